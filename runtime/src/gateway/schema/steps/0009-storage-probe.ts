/** What readiness writes to see that the database takes commits. */
export const storageProbe = {
  id: 9,
  name: 'storage-probe',
  sql: `
-- One row a gateway principal; the processes that share it write the same row.
CREATE TABLE runtime.storage_probe (
  gateway_id text COLLATE "C" PRIMARY KEY,
  written_at bigint NOT NULL
);
`,
} as const;
