/** A gateway's shares are known to be of no use once it has no connection left. */
export const holderConnections = {
  id: 10,
  name: 'holder-connections',
  sql: `
-- What the connections are called on which the holder's places are used; null: they have no name of their own, and its shares stay until its lease has ended.
ALTER TABLE registry.holders ADD COLUMN connections text COLLATE "C";
`,
} as const;
