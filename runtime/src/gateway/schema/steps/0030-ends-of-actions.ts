/**
 * The event that carries the audit event of a result is found by the transaction that ended its action, so that no index of actions names it. A gateway
 * of the release before finds such events more slowly on this schema.
 */
export const endsOfActions = {
  id: 30,
  name: 'ends-of-actions',
  sql: `
-- The transaction that ended the action; null: it has not ended, or ended before this column was there.
ALTER TABLE runtime.actions ADD COLUMN ended_xid xid8;
DROP INDEX runtime.events_action;
CREATE INDEX events_action ON runtime.events (action_id, xid, seq) WHERE action_id IS NOT NULL AND audit IS NULL;
UPDATE runtime.actions a SET ended_xid = e.xid FROM runtime.events e
WHERE e.audit IS NOT NULL AND a.action_id = e.action_id AND a.tenant_id IS NOT DISTINCT FROM e.tenant_id;
`,
} as const;
