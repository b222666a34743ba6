import { ConnectorFailure, defineConnector } from '@aip/runtime/connectors/sdk/index.js';

/**
 * A connector of one's own, loaded by path. Its one capability is not safe to repeat: it books once, then hangs when it is told so, and
 * can say afterwards whether it booked. `lost` in the input makes it hang before it books, `silent` after.
 */
export default defineConnector<{ name?: string; sla_ms?: number }>({
  type: 'ledger',
  configSchema: { type: 'object', properties: { name: { type: 'string' }, sla_ms: { type: 'integer' } } },
  manifest: ({ sla_ms }) => ({
    manifest_version: 'aip-manifest/v1',
    agent: { id: 'agent:demo:test', kind: 'agent', display_name: 'Demo connector' },
    profiles: ['aip.native.http.v1'],
    capabilities: [
      {
        id: 'cap:ledger:book',
        name: 'Book',
        kind: 'resource',
        input_schema: { type: 'object' },
        output_schema: { type: 'object', required: ['booked'] },
        contract: {
          side_effects: ['write'],
          idempotency: { requirement: 'optional', collision_behavior: 'reject_conflict', key_scope: 'tenant' },
          execution: {
            supports_sync: true,
            supports_async: true,
            supports_streaming: false,
            supports_cancel: true,
            supports_retry: false,
            expected_completion: 'sync',
            retry_safety: 'unsafe',
          },
          data: { sensitivity: 'internal', contains_pii: false, redaction_required: false },
          ...(sla_ms !== undefined && { sla: { timeout_ms: sla_ms, async_expected: false } }),
        },
      },
    ],
  }),
  invoke: async (action, context) => {
    const { lost, silent, wrong, unbooked, broken } = action.input as Record<string, boolean | undefined>;
    if (unbooked) throw new ConnectorFailure({ code: 'connector.ledger.closed', message: 'the ledger is closed' });
    if (broken) throw new TypeError('the password is hunter2');
    const runs = await context.state.increment(`runs:${action.id}`);
    if (lost && runs === 1) await new Promise(() => undefined);
    await context.state.put(`booked:${action.id}`, true);
    await context.checkpoint.effectCommitted({ line: 7 });
    if (silent && runs === 1) await new Promise(() => undefined);
    return { output: wrong ? { other: 1 } : { booked: true, runs } };
  },
  cancel: async (action) => {
    if ((action.input as { stubborn?: boolean }).stubborn)
      throw new Error('the provider did not take the cancellation');
  },
  reconcile: async ({ action, evidence }, context) => {
    if ((action.input as { pending?: boolean }).pending) return { terminal: false, cursor: 'later' };
    const booked = await context.state.get(`booked:${action.id}`);
    return booked === true
      ? { terminal: true, committed: true, output: { booked: true, evidence } }
      : { terminal: true, committed: false };
  },
});
