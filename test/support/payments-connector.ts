import { defineConnector } from '@aip/runtime/connectors/sdk/index.js';
import type { Capability, RetrySafety } from '@aip/runtime/protocol/types.js';

const capability = (id: string, retrySafety: RetrySafety): Capability => ({
  id,
  name: id,
  kind: 'tool',
  risk: 'low',
  input_schema: { type: 'object', required: ['amount'] },
  output_schema: { type: 'object', required: ['key', 'amount'] },
  contract: {
    side_effects: ['write', 'financial'],
    idempotency: { requirement: 'optional', collision_behavior: 'return_original_result', key_scope: 'tenant' },
    execution: {
      supports_sync: true,
      supports_async: true,
      supports_streaming: false,
      supports_cancel: false,
      supports_retry: true,
      expected_completion: 'any',
      retry_safety: retrySafety,
    },
    data: { sensitivity: 'internal', contains_pii: false, redaction_required: false },
    transaction: { supported_modes: ['execute'], requires_plan_before_commit: false, dry_run_fidelity: 'schema_only' },
  },
});

/**
 * Pays at a provider of the test (test/support/provider.ts). `cap:payments:pay` may run again with its idempotency key. `cap:payments:book`
 * is told by no key and never safe to repeat: after a crash the host asks the provider what became of it.
 */
export default defineConnector<{ provider_url: string }>({
  type: 'payments',
  configSchema: {
    type: 'object',
    required: ['provider_url'],
    properties: { provider_url: { type: 'string' } },
  },
  manifest: () => ({
    manifest_version: 'aip-manifest/v1',
    agent: { id: 'agent:payments:test', kind: 'agent', display_name: 'Payments' },
    profiles: ['aip.native.http.v1'],
    capabilities: [
      capability('cap:payments:pay', 'safe_with_idempotency_key'),
      capability('cap:payments:book', 'unsafe'),
    ],
  }),
  invoke: async (action, context) => {
    const key = context.idempotencyKey ?? action.id;
    const { amount } = action.input as { amount: number };
    const answer = await fetch(`${context.config.provider_url}/${encodeURIComponent(key)}`, {
      method: 'POST',
      headers: context.idempotencyKey === undefined ? {} : { 'idempotency-key': key },
      body: JSON.stringify({ amount }),
      signal: context.signal,
    });
    const output = await answer.json();
    await context.checkpoint.effectCommitted({ key });
    return { output };
  },
  reconcile: async ({ action }, context) => {
    const key = context.idempotencyKey ?? action.id;
    const answer = await fetch(`${context.config.provider_url}/${encodeURIComponent(key)}`);
    if (answer.status !== 200) return { terminal: true, committed: false };
    return { terminal: true, committed: true, output: await answer.json() };
  },
});
