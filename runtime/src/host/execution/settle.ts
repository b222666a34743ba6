import type { ConnectorCapability } from '../../connectors/sdk/capability.js';
import { AipError, HostNotReady } from '../../protocol/errors.js';
import type { Capability } from '../../protocol/types.js';
import type { Deadline } from '../../time/deadline.js';
import type { Delivery } from '../journal/admit.js';
import type { ExecutionRecord } from '../journal/journal.js';
import { beforeCall } from '../journal/storage-faults.js';
import { contextOf } from './context.js';
import type { ExecutorOptions } from './executor-options.js';
import { askProvider, ReconciliationPending } from './reconcile.js';
import { completed, failed, interrupted, mutates } from './results.js';
import { resumption } from './resumption.js';
import type { Runner } from './runner.js';
import type { Outcome } from './running.js';
import { DEFAULT_TIMEOUT_MS, type Work } from './work.js';

/**
 * Takes a delivery to its one outcome: claims the message, records the intent and calls the connector, or answers from what the journal
 * already knows of the action. Throws `connector_host.replay`, `action.id_conflict`, HostNotReady.
 */
export async function settle(
  work: Work,
  delivery: Delivery,
  deadline: Deadline,
  options: ExecutorOptions,
  runner: Runner,
): Promise<Outcome> {
  const { capabilities, handlers, journal, log } = options;
  const { action } = work;
  const capability = capabilities.get(action.capability_id) as Capability;
  const admission = await beforeCall(() => journal.admit(delivery, mutates(capability)));
  if (admission.kind === 'fresh') return runner.run(work, deadline);
  if (admission.kind === 'forged') throw new AipError('connector_host.replay', 'the message id was used before');
  const { record } = admission;
  if (record.requestDigest !== delivery.requestDigest) throw new AipError('action.id_conflict');

  const handler = handlers.get(action.capability_id) as ConnectorCapability;
  const decision = resumption(admission, action, capability, handler.reconcile !== undefined);
  log.info({ action_id: action.id, decision }, 'the action was delivered before');
  switch (decision) {
    case 'run_again':
      await beforeCall(() => journal.restart(action.id));
      return runner.run(work, deadline);
    case 'reconcile':
      return reconcile(work, record, deadline, options, runner);
    case 'answer':
      if (record.result) return { result: record.result };
  }
  const result = interrupted(action.id);
  await runner.record(action.id, result);
  return { result };
}

/** Asks the provider about the call of a former process: its effect is the result, and when there certainly is none the action runs. */
async function reconcile(
  work: Work,
  { evidence, cursor }: ExecutionRecord,
  deadline: Deadline,
  options: ExecutorOptions,
  runner: Runner,
): Promise<Outcome> {
  const { connectorType, handlers, journal, clock, log } = options;
  const { action } = work;
  const { signal } = deadline;
  const context = contextOf(options, work, {
    signal,
    deadline: clock() + DEFAULT_TIMEOUT_MS,
    chunks: options.openChunks(work, signal),
    effectCommitted: async () => undefined,
  });
  const lost = {
    action: context.action,
    input: context.action.input,
    ...(evidence !== undefined && { evidence }),
    ...(cursor !== undefined && { cursor }),
  };
  try {
    const handler = handlers.get(action.capability_id) as ConnectorCapability;
    const { committed, output } = await askProvider(handler, lost, context);
    if (!committed) {
      await beforeCall(() => journal.restart(action.id));
      return await runner.run(work, deadline);
    }
    const result = completed(action.id, { output });
    await runner.record(action.id, result);
    return { result };
  } catch (error) {
    if (error instanceof HostNotReady) throw error;
    if (error instanceof ReconciliationPending) {
      await beforeCall(() => journal.unsettled(action.id, error.cursor));
      return { result: failed(action.id, error.projected(connectorType, 'reconciliation')) };
    }
    log.warn({ action_id: action.id, reason: (error as Error).message }, 'the provider could not be asked');
    return { result: interrupted(action.id) };
  }
}
