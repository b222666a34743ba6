import {
  type CapabilityContext,
  type ContractOverrides,
  capability,
  defineConnector,
  type FromSchema,
  idempotentWrite,
  unsafeWrite,
} from '@aip/runtime/sdk';

const configSchema = {
  type: 'object',
  required: ['provider_url'],
  properties: { provider_url: { type: 'string' } },
} as const;
type Config = FromSchema<typeof configSchema>;

const input = { type: 'object', required: ['amount'] } as const;
const output = { type: 'object', required: ['key', 'amount'] } as const;

const BOTH = {
  side_effects: ['write', 'financial'],
  execution: { supports_cancel: false, supports_retry: true, expected_completion: 'any' },
  transaction: {
    supported_modes: ['execute', 'reconcile'],
    requires_plan_before_commit: false,
    dry_run_fidelity: 'schema_only',
  },
} satisfies ContractOverrides;

const placeOf = (action: { id: string }, { config, idempotencyKey }: CapabilityContext<Config>): string =>
  `${config.provider_url}/${encodeURIComponent(idempotencyKey ?? action.id)}`;

async function pay(
  { amount }: { amount?: unknown },
  ctx: CapabilityContext<Config>,
): Promise<FromSchema<typeof output>> {
  const key = ctx.idempotencyKey ?? ctx.action.id;
  const answer = await ctx.fetch(placeOf(ctx.action, ctx), {
    method: 'POST',
    headers: ctx.idempotencyKey === undefined ? {} : { 'idempotency-key': key },
    body: JSON.stringify({ amount }),
  });
  const paid = (await answer.json()) as FromSchema<typeof output>;
  await ctx.checkpoint.effectCommitted({ key });
  return paid;
}

async function lookUp({ action }: { action: { id: string } }, ctx: CapabilityContext<Config>) {
  const answer = await ctx.fetch(placeOf(action, ctx));
  if (answer.status !== 200) return { terminal: true, committed: false };
  return { terminal: true, committed: true, output: (await answer.json()) as FromSchema<typeof output> };
}

/**
 * Pays at a provider of the test (test/support/provider.ts). `cap:payments:pay` may run again with its idempotency key.
 * `cap:payments:book` takes no key and is never safe to repeat: after a crash the host asks the provider what became of
 * it.
 */
export default defineConnector<Config>({
  type: 'payments',
  configSchema,
  agent: () => ({ id: 'agent:payments:test', kind: 'agent', display_name: 'Payments' }),
  capabilities: [
    capability({
      id: 'cap:payments:pay',
      name: 'cap:payments:pay',
      risk: 'low',
      input,
      output,
      contract: idempotentWrite({ key: 'optional', ...BOTH }),
      run: pay,
      reconcile: lookUp,
    }),
    capability({
      id: 'cap:payments:book',
      name: 'cap:payments:book',
      risk: 'low',
      input,
      output,
      contract: unsafeWrite({ ...BOTH, idempotency: { collision_behavior: 'return_original_result' } }),
      run: pay,
      reconcile: lookUp,
    }),
  ],
});
