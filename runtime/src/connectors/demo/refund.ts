import type { Action, Capability } from '../../protocol/types.js';
import type { ConnectorResult, Operation, ReconcileInput, ReconcileResult } from '../sdk/connector.js';
import type { ExecutionContext } from '../sdk/context.js';
import { ConnectorFailure } from '../sdk/failure.js';
import type { DemoConfig } from './config.js';
import { harmless } from './contract.js';

export const refundCapability: Capability = {
  id: 'cap:demo:refund',
  name: 'Refund',
  kind: 'tool',
  description: 'Pays an amount back. Needs an approval and an idempotency key; one key pays once, whatever happens.',
  risk: 'high',
  stability: 'stable',
  requires_human_approval: true,
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['order', 'amount_minor'],
    properties: {
      order: { type: 'string', minLength: 1, maxLength: 128 },
      amount_minor: { type: 'integer', minimum: 1, maximum: 100_000_000 },
      currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    },
  },
  output_schema: { type: 'object', required: ['refund_id', 'order', 'amount_minor', 'currency'] },
  contract: harmless({
    side_effects: ['write', 'financial'],
    idempotency: { requirement: 'required', collision_behavior: 'return_original_result', key_scope: 'tenant' },
    execution: { retry_safety: 'safe_with_idempotency_key' },
    data: { sensitivity: 'confidential', contains_pii: false, redaction_required: false },
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
};

/** One line of the provider's ledger. */
interface LedgerEntry {
  refund_id: string;
  order: string;
  amount_minor: number;
  currency: string;
}

const ledgerKey = (idempotencyKey: string): string => `refund:${idempotencyKey}`;

/** cap:demo:refund: the ledger line is the provider's side effect; the key makes it one, also over a crash and a second run. */
export const refund: Operation<DemoConfig> = async (action, context) => {
  const key = requiredKey(context);
  const {
    order,
    amount_minor,
    currency = 'EUR',
  } = action.input as Omit<LedgerEntry, 'currency'> & { currency?: string };
  const entry: LedgerEntry = { refund_id: `refund:${action.id}`, order, amount_minor, currency };
  const { created, value } = await context.state.once(ledgerKey(key), entry);
  const written = value as LedgerEntry;
  if (!created && (written.order !== order || written.amount_minor !== amount_minor || written.currency !== currency)) {
    throw new ConnectorFailure({
      code: 'connector.demo.idempotency_mismatch',
      message: 'the provider knows this idempotency key with another refund',
      category: 'permanent',
    });
  }
  if (created) await context.state.increment('refunds');
  await context.checkpoint.effectCommitted({ refund_id: written.refund_id });
  return paid(written);
};

/** Looks the key up in the ledger: there it was paid, otherwise it was not. */
export async function reconcileRefund(
  _input: ReconcileInput,
  context: ExecutionContext<DemoConfig>,
): Promise<ReconcileResult> {
  const written = (await context.state.get(ledgerKey(requiredKey(context)))) as LedgerEntry | undefined;
  return written ? { terminal: true, committed: true, ...paid(written) } : { terminal: true, committed: false };
}

function paid(entry: LedgerEntry): ConnectorResult & { output: LedgerEntry } {
  return { output: entry };
}

function requiredKey({ idempotencyKey }: { idempotencyKey?: string }): string {
  if (idempotencyKey !== undefined) return idempotencyKey;
  throw new ConnectorFailure({
    code: 'connector.demo.idempotency_key_required',
    message: 'a refund needs an idempotency_key',
    category: 'permanent',
  });
}

/** Whether an action is a refund. */
export const isRefund = ({ capability_id }: Action): boolean => capability_id === refundCapability.id;
