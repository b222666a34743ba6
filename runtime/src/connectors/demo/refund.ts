import { capability } from '../sdk/capability.js';
import { idempotentWrite } from '../sdk/contract.js';
import { ConnectorFailure } from '../sdk/failure.js';
import { DEMO } from './contract.js';

/** One line of the provider's ledger. */
interface LedgerEntry {
  refund_id: string;
  order: string;
  amount_minor: number;
  currency: string;
}

/** cap:demo:refund: the ledger line is the provider's side effect; the key makes it one, also over a crash and a second run. */
export const refund = capability({
  id: 'cap:demo:refund',
  name: 'Refund',
  description: 'Pays an amount back. Needs an approval and an idempotency key; one key pays once, whatever happens.',
  risk: 'high',
  stability: 'stable',
  requiresHumanApproval: true,
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['order', 'amount_minor'],
    properties: {
      order: { type: 'string', minLength: 1, maxLength: 128 },
      amount_minor: { type: 'integer', minimum: 1, maximum: 100_000_000 },
      currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    },
  },
  output: { type: 'object', required: ['refund_id', 'order', 'amount_minor', 'currency'] },
  contract: idempotentWrite({
    ...DEMO,
    side_effects: ['write', 'financial'],
    data: { sensitivity: 'confidential' },
    approval: {
      required: true,
      reason: 'money leaves the account',
      approver_selector: { type: 'role', name: 'approver' },
      ttl_ms: 86_400_000,
      minimum_distinct_principals: 1,
      separation_of_duties: { requester_must_differ: true, operator_must_differ: false, allow_self_approval: false },
      policy_version: 'demo-refund/1',
    },
  }),
  run: async ({ order, amount_minor, currency = 'EUR' }, { action, state, checkpoint, idempotencyKey }) => {
    const entry: LedgerEntry = { refund_id: `refund:${action.id}`, order, amount_minor, currency };
    const { created, value } = await state.once(ledgerKey(idempotencyKey), entry);
    const written = value as LedgerEntry;
    const same = written.order === order && written.amount_minor === amount_minor && written.currency === currency;
    if (!created && !same) {
      throw new ConnectorFailure({
        code: 'connector.demo.idempotency_mismatch',
        message: 'the provider knows this idempotency key with another refund',
        category: 'permanent',
      });
    }
    if (created) await state.increment('refunds');
    await checkpoint.effectCommitted({ refund_id: written.refund_id });
    return { ...written };
  },
  // The ledger has the key when it was paid.
  reconcile: async (_lost, { state, idempotencyKey }) => {
    const written = (await state.get(ledgerKey(idempotencyKey))) as LedgerEntry | undefined;
    return written ? { terminal: true, committed: true, output: { ...written } } : { terminal: true, committed: false };
  },
});

function ledgerKey(idempotencyKey: string | undefined): string {
  if (idempotencyKey !== undefined) return `refund:${idempotencyKey}`;
  throw new ConnectorFailure({
    code: 'connector.demo.idempotency_key_required',
    message: 'a refund needs an idempotency_key',
    category: 'permanent',
  });
}
