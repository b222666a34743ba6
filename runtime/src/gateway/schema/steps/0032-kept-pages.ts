/** No action waits while PostgreSQL cuts empty pages off a table whose rows last for minutes or are updated all the time. */
export const keptPages = {
  id: 32,
  name: 'kept-pages',
  sql: `
ALTER TABLE runtime.replay_claims SET (vacuum_truncate = off);
ALTER TABLE runtime.tenant_stock SET (vacuum_truncate = off);
`,
} as const;
