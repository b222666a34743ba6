/** A gateway's shares are known to be of no use once it has no connection left. */
export const holderConnections = {
  id: 10,
  name: 'holder-connections',
  sql: `
-- What the connections are called on which the holder's places are used; null: they have no name of their own, and its shares stay until its lease has ended.
ALTER TABLE registry.holders ADD COLUMN connections text COLLATE "C";
-- A time after which nothing is placed in the holder's shares any more, but by what began before.
ALTER TABLE registry.holders ADD COLUMN fenced_at timestamptz;
`,
} as const;
