/** The key under which every gateway of a deployment seals the positions in its cursors. */
export const cursorKey = {
  id: 11,
  name: 'cursor-key',
  sql: `
-- One row, made here and never changed: a cursor that one gateway issued continues on every other one.
CREATE TABLE runtime.cursor_key (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  key bytea NOT NULL
);
INSERT INTO runtime.cursor_key (key) SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
`,
} as const;
