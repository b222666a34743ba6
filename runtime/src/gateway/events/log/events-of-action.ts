/**
 * SQL of the events of one action, as a table. Both terms are SQL of one value, `tenant` of null outside every tenant. The event that carries an audit
 * event is in no index of actions: it was written by the transaction that ended its action.
 */
export function eventsOfAction(action: string, tenant: string): string {
  return `(
    SELECT * FROM runtime.events WHERE action_id = ${action} AND tenant_id IS NOT DISTINCT FROM ${tenant} AND audit IS NULL
    UNION ALL
    SELECT * FROM runtime.events WHERE action_id = ${action} AND tenant_id IS NOT DISTINCT FROM ${tenant} AND audit IS NOT NULL
      AND xid = (SELECT own.ended_xid FROM runtime.actions own WHERE own.action_id = ${action} AND own.tenant_id IS NOT DISTINCT FROM ${tenant}))`;
}
