/** No action waits while PostgreSQL cuts empty pages off a table. */
export const keptPages = {
  id: 11,
  name: 'kept-pages',
  sql: `
-- The rows last for seconds or are updated all the time, so that their last pages are often empty. To give those back, a vacuum locks the table
-- against all; it keeps them for the rows to come.
ALTER TABLE registry.assignments SET (vacuum_truncate = off);
ALTER TABLE registry.control_replay SET (vacuum_truncate = off);
ALTER TABLE registry.allotments SET (vacuum_truncate = off);
ALTER TABLE registry.holders SET (vacuum_truncate = off);
ALTER TABLE registry.policy_counters SET (vacuum_truncate = off);
ALTER TABLE registry.replicas SET (vacuum_truncate = off);
`,
} as const;
