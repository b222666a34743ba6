import { projectFailure } from '../../connectors/sdk/failure.js';
import { AipError } from '../../protocol/errors.js';
import { actionInputHash } from '../../protocol/hashes.js';
import { REPLAY_WINDOW_MS } from '../../protocol/limits.js';
import { parseTime } from '../../protocol/time.js';
import type { Action, ActionResult, Envelope } from '../../protocol/types.js';
import { timed } from '../../time/deadline.js';
import type { Delivery } from '../journal/admit.js';
import { beforeCall } from '../journal/storage-faults.js';
import { contextOf } from './context.js';
import { ExecutionCancelled } from './execute.js';
import type { ExecutorOptions } from './executor-options.js';
import { cancelled, mayRunAgain, mutates } from './results.js';
import { openRunner } from './runner.js';
import { settle } from './settle.js';
import type { Work } from './work.js';

/** Carries out what passed the gate. */
export interface Executor {
  /**
   * The action's result. A delivery of an action that runs here waits for the same result; one that is recorded is answered from the journal.
   * Throws `connector_host.replay`, `action.id_conflict`, `connector_host.capacity`, HostNotReady.
   */
  deliver(work: Work): Promise<ActionResult>;
  /**
   * Ends an action. Throws `connector_host.execution` when the host does not know it or the connector refuses, `connector_host.replay`, HostNotReady.
   */
  cancel(envelope: Envelope, actionId: string): Promise<ActionResult>;
  /** The result with which a repeat of the action is answered without a call, when there is one. Throws HostNotReady. */
  recordedResult(action: Action): Promise<ActionResult | undefined>;
  /** Capability of an action that runs here or is in the journal. */
  recordedCapability(actionId: string): Promise<string | undefined>;
}

/** Opens the executor of a host. */
export function openExecutor(options: ExecutorOptions): Executor {
  const { connectorType, capabilities, journal, running } = options;
  const runner = openRunner(options);

  const recordedResult = async (action: Action): Promise<ActionResult | undefined> => {
    const record = await beforeCall(() => journal.find(action.id));
    const result = record?.requestDigest === actionInputHash(action) ? record.result : undefined;
    return result && !mayRunAgain(result) ? result : undefined;
  };

  return {
    recordedResult,
    deliver: async (work) => {
      const { action, envelope } = work;
      const requestDigest = actionInputHash(action);
      // What is over needs no slot.
      const over = running.free() > 0 || running.has(action.id) ? undefined : await recordedResult(action);
      if (over) return over;
      const current = running.get(action.id);
      if (current) {
        if (current.requestDigest !== requestDigest) throw new AipError('action.id_conflict');
        return current.done;
      }
      const delivery = { ...claimOf(envelope), actionId: action.id, capabilityId: action.capability_id, requestDigest };
      return running.start({ work, requestDigest }, (deadline) => settle(work, delivery, deadline, options, runner))
        .done;
    },
    cancel: async (envelope, actionId) => {
      if (!(await beforeCall(() => journal.claim(claimOf(envelope))))) {
        throw new AipError('connector_host.replay', 'the message id was used before');
      }
      const current = running.get(actionId);
      if (current) {
        current.abort(new ExecutionCancelled('the action was cancelled'));
        await cancelAtConnector(current.work, options);
        return current.done;
      }
      const known = await beforeCall(() => journal.find(actionId));
      if (!known) throw new AipError('connector_host.execution', 'the host does not know this action');
      if (known.result) return known.result;
      const capability = capabilities.get(known.capabilityId);
      const result = cancelled(actionId, connectorType, capability === undefined || mutates(capability));
      await runner.record(actionId, result);
      return result;
    },
    recordedCapability: async (actionId) =>
      running.get(actionId)?.work.action.capability_id ??
      (await beforeCall(() => journal.find(actionId)))?.capabilityId,
  };
}

function claimOf({ message_id, sent_at, security }: Envelope): Pick<Delivery, 'messageId' | 'signature' | 'expiresAt'> {
  return {
    messageId: message_id,
    signature: (security as { signature: string }).signature,
    expiresAt: parseTime(sent_at) + REPLAY_WINDOW_MS,
  };
}

/** The connector's own cancel call. Throws `connector_host.execution` when it fails. */
async function cancelAtConnector(work: Work, options: ExecutorOptions): Promise<void> {
  const { config, connectorType, handlers, clock } = options;
  const { cancel } = handlers.get(work.action.capability_id) ?? {};
  if (!cancel) return;
  try {
    await timed(config.controlTimeoutMs, async (signal) => {
      const context = contextOf(options, work, {
        signal,
        deadline: clock() + config.controlTimeoutMs,
        chunks: options.openChunks(work, signal),
        effectCommitted: async () => undefined,
      });
      await cancel(context.action.input, context);
    });
  } catch (cause) {
    const at = { source: connectorType, operation: 'cancellation', mutates: true } as const;
    throw new AipError('connector_host.execution', 'the connector could not cancel the action', {
      details: projectFailure(cause, at),
      cause,
    });
  }
}
