import type { Testbed } from './testbed.ts';

/** How often the connector was really called for an action of cap:demo:flaky; the connector counts itself. */
export async function callsOf(testbed: Testbed, actionId: string): Promise<number> {
  const { rows } = await testbed.pool.query<{ value: number }>(
    `SELECT (value #>> '{}')::bigint AS value FROM aip_host.connector_state WHERE key = $1`,
    [`flaky:${actionId}`],
  );
  return rows[0]?.value ?? 0;
}

/** Whether the journal knows the action. */
export async function isJournaled(testbed: Testbed, actionId: string): Promise<boolean> {
  const { rowCount } = await testbed.pool.query('SELECT 1 FROM aip_host.executions WHERE action_id = $1', [actionId]);
  return rowCount > 0;
}
