/**
 * Audit events are numbered with the events: no two have one place in the order of (xid, seq), wherever they are stored, also in a database that was
 * restored, whose transactions are counted as one.
 */
export const oneAuditOrder = {
  id: 31,
  name: 'one-audit-order',
  sql: `
ALTER TABLE runtime.audit ALTER COLUMN seq DROP IDENTITY;
SELECT setval('runtime.events_seq_seq', greatest(
  (SELECT last_value FROM runtime.events_seq_seq), (SELECT coalesce(max(seq), 1) FROM runtime.audit)));
ALTER TABLE runtime.audit ALTER COLUMN seq SET DEFAULT nextval('runtime.events_seq_seq');
`,
} as const;
