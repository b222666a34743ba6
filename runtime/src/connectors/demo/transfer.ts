import { capability } from '../sdk/capability.js';
import type { CapabilityContext } from '../sdk/context.js';
import { idempotentWrite } from '../sdk/contract.js';
import type { DemoConfig } from './config.js';
import { DEMO } from './contract.js';

/** A requested transfer; a line of the provider's ledger also has an id. */
interface Transfer {
  from: string;
  to: string;
  amount_minor: number;
}
type Booked = Transfer & { transfer_id: string };

const account = { type: 'string', minLength: 1, maxLength: 128 } as const;
const amount_minor = { type: 'integer', minimum: 1, maximum: 100_000_000 } as const;
const required = ['from', 'to', 'amount_minor'] as const;

/** cap:demo:transfer: planned first, then booked once for each commit, whatever happens in between. */
export const transfer = capability({
  id: 'cap:demo:transfer',
  name: 'Transfer',
  description:
    'Books an amount from one account to another. Plan it, read the plan, then commit it: one commit books once.',
  risk: 'low',
  stability: 'stable',
  input: {
    type: 'object',
    additionalProperties: false,
    required,
    properties: { from: account, to: account, amount_minor },
  },
  output: { type: 'object', required },
  contract: idempotentWrite({
    ...DEMO,
    key: 'optional',
    side_effects: ['write', 'financial'],
    transaction: {
      supported_modes: ['dry_run', 'plan', 'commit', 'execute', 'reconcile'],
      requires_plan_before_commit: true,
      dry_run_fidelity: 'downstream_validation',
    },
  }),
  run: book,
  commit: book,
  plan: ({ from, to, amount_minor: amount }) => ({ from, to, amount_minor: amount, fee_minor: 0 }),
  reconcile: async ({ action }, { state, idempotencyKey }) => {
    const booked = (await state.get(ledgerKey(idempotencyKey ?? action.id))) as Booked | undefined;
    return booked ? { terminal: true, committed: true, output: { ...booked } } : { terminal: true, committed: false };
  },
});

async function book(
  { from, to, amount_minor: amount }: Transfer,
  { action, state, checkpoint, idempotencyKey }: CapabilityContext<DemoConfig>,
): Promise<Transfer & Record<string, unknown>> {
  const line: Booked = { transfer_id: `transfer:${action.id}`, from, to, amount_minor: amount };
  const { value } = await state.once(ledgerKey(idempotencyKey ?? action.id), { ...line });
  const booked = value as Booked;
  await checkpoint.effectCommitted({ transfer_id: booked.transfer_id });
  return { ...booked };
}

function ledgerKey(key: string): string {
  return `transfer:${key}`;
}
