import {
  type CapabilityContext,
  ConnectorFailure,
  capability,
  defineConnector,
  type FromSchema,
  unsafeWrite,
} from '@aip/runtime/sdk';

const configSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, sla_ms: { type: 'integer' } },
} as const;
type Config = FromSchema<typeof configSchema>;

const book = (slaMs: number | undefined) =>
  capability({
    id: 'cap:ledger:book',
    name: 'Book',
    kind: 'resource',
    input: { type: 'object' },
    output: { type: 'object', required: ['booked'] },
    contract: {
      ...unsafeWrite(),
      sla: slaMs === undefined ? { async_expected: false } : { timeout_ms: slaMs, async_expected: false },
    },
    run: async (input, { action, state, checkpoint }: CapabilityContext<Config>) => {
      const { lost, silent, wrong, unbooked, broken } = input;
      if (unbooked) throw new ConnectorFailure({ code: 'connector.ledger.closed', message: 'the ledger is closed' });
      if (broken) throw new TypeError('the password is hunter2');
      const runs = await state.increment(`runs:${action.id}`);
      if (lost && runs === 1) await new Promise(() => undefined);
      await state.put(`booked:${action.id}`, true);
      await checkpoint.effectCommitted({ line: 7 });
      if (silent && runs === 1) await new Promise(() => undefined);
      return wrong ? ({ other: 1 } as never) : { booked: true, runs };
    },
    cancel: async ({ stubborn }) => {
      if (stubborn) throw new Error('the provider did not take the cancellation');
    },
    reconcile: async ({ input, action, evidence }, { state }) => {
      if (input.pending) return { terminal: false, cursor: 'later' };
      const booked = await state.get(`booked:${action.id}`);
      return booked === true
        ? { terminal: true, committed: true, output: { booked: true, evidence } }
        : { terminal: true, committed: false };
    },
  });

/**
 * A connector that is loaded by path. Its one capability is not safe to repeat: it books once, then hangs on request,
 * and can say afterwards whether it booked. `lost` in the input makes it hang before it books, `silent` after.
 */
export default defineConnector<Config>({
  type: 'ledger',
  configSchema,
  agent: () => ({ id: 'agent:demo:test', kind: 'agent', display_name: 'Demo connector' }),
  capabilities: ({ sla_ms: slaMs }) => [book(slaMs)],
});
