import type { LocalCapability } from '#runtime/gateway/actions/capabilities/local-capabilities.js';
import { readTransaction, type TransactionRecord } from '#runtime/gateway/actions/transaction/record.js';
import { startReconciler } from '#runtime/gateway/transactions/reconciler.js';
import { newId } from '#runtime/protocol/ids.js';
import type { Action, ActionResult, CapabilityContract } from '#runtime/protocol/types.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../../support/until.ts';
import { caller, capability, contractOf, resultOf, type TestGateway } from '../support/actions.ts';

export const MODES = [
  'execute',
  'dry_run',
  'plan',
  'commit',
  'compensate',
  'reconcile',
  'rollback_not_supported',
] as const;

/** A contract with every transaction mode, with changes. */
export function transactional(changes: Partial<CapabilityContract> = {}): CapabilityContract {
  const contract = contractOf({
    transaction: {
      supported_modes: [...MODES],
      requires_plan_before_commit: false,
      dry_run_fidelity: 'schema_only',
    },
  });
  return { ...contract, ...changes };
}

/** What a provider of a test was asked, and how it answers. */
export interface TestProvider {
  readonly asked: Action[];
  /** Runs for each action; a test sets it. */
  answer: (action: Action) => unknown;
}

/** A capability that hands every action to the provider. */
export function providedBy(provider: TestProvider, id: string, contract = transactional()): LocalCapability {
  return capability(
    id,
    async (action) => {
      provider.asked.push(action);
      return provider.answer(action);
    },
    { contract },
  );
}

/** Submits a step and returns its result. */
export async function take(
  gateway: TestGateway,
  capability_id: string,
  transaction: Action['transaction'],
  more: Partial<Action> = {},
  as = caller(),
): Promise<ActionResult> {
  const action = { id: newId('action'), capability_id, ...(transaction && { transaction }), ...more };
  return resultOf(await gateway.submit(action, { as }));
}

/** The stored transaction; throws when there is none. */
export async function stored(gateway: TestGateway, transactionId: string, tenant = 'acme'): Promise<TransactionRecord> {
  const record = await readTransaction(gateway.pool, tenant, transactionId);
  if (!record) throw new Error(`there is no transaction ${transactionId}`);
  return record;
}

/** Waits until a transaction has a status. */
export function inStatus(gateway: TestGateway, transactionId: string, status: string): Promise<TransactionRecord> {
  return until(`${transactionId} is ${status}`, async () => {
    const record = await stored(gateway, transactionId);
    return record.status === status && record;
  });
}

/** Runs the automatic reconciler beside a gateway. */
export function reconcilerOf(gateway: TestGateway, clock: () => number = Date.now) {
  const { capabilities, worker } = gateway.actions;
  const log = openLogger({ component: 'test', level: 'silent' });
  return startReconciler({ pool: gateway.pool, clock, log, capabilities, wake: worker.wake });
}
