import type { ConnectorCapability } from '../../connectors/sdk/capability.js';
import { StorageUnavailable, TimeoutExceeded } from '../../protocol/errors.js';
import type { ActionResult, Capability } from '../../protocol/types.js';
import type { Deadline } from '../../time/deadline.js';
import { afterCall } from '../journal/storage-faults.js';
import { contextOf } from './context.js';
import { execute } from './execute.js';
import type { ExecutorOptions } from './executor-options.js';
import type { Outcome } from './running.js';
import { timeoutOf, type Work } from './work.js';

/** Calls the connector and records what came of it. */
export interface Runner {
  run(work: Work, deadline: Deadline): Promise<Outcome>;
  /** Records a result; when the storage stays away the result is answered all the same, and that is logged. */
  record(actionId: string, result: ActionResult): Promise<void>;
}

/** Opens the runner: one call within its deadline, its checkpoint, its result. The intent must be in the journal already. */
export function openRunner(options: ExecutorOptions): Runner {
  const { connectorType, capabilities, handlers, journal, clock, log } = options;

  const record: Runner['record'] = async (actionId, result) => {
    try {
      await afterCall(() => journal.finish(actionId, result));
    } catch (error) {
      log.error({ action_id: actionId, err: error }, 'the result is answered but could not be recorded');
    }
  };
  return {
    record,
    run: async (work, deadline) => {
      const { action } = work;
      const capability = capabilities.get(action.capability_id) as Capability;
      const timeoutMs = timeoutOf(action, capability);
      const { signal } = deadline;
      deadline.after(timeoutMs, () => deadline.abort(new TimeoutExceeded()));
      const chunks = options.openChunks(work, signal);
      let effect = false;
      const context = contextOf(options, work, {
        signal,
        deadline: clock() + timeoutMs,
        chunks,
        effectCommitted: async (evidence) => {
          effect = true;
          try {
            await afterCall(() => journal.effect(action.id, evidence));
          } catch (error) {
            // The provider took it: a call that failed here would deny it.
            if (!(error instanceof StorageUnavailable)) throw error;
            log.error({ action_id: action.id, err: error }, 'the effect could not be recorded');
          }
        },
      });
      const { result, ended = Promise.resolve() } = await execute({
        connectorType,
        capability,
        handler: handlers.get(action.capability_id) as ConnectorCapability,
        context,
        effectCommitted: () => effect,
        streamSettled: chunks.settled,
        streamFailure: chunks.failure,
        onUntyped: (error) =>
          log.error({ action_id: action.id, ...placeOf(error) }, 'the connector failed without a type'),
      });
      deadline.clear();
      await record(action.id, result);
      return { result, ended };
    },
  };
}

/** Where an error came from. Its message may hold anything, so it is not logged. */
function placeOf(error: unknown): { error: string; frames: string[] } {
  if (!(error instanceof Error)) return { error: typeof error, frames: [] };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { error: error.name, frames: frames.slice(0, 8).map((line) => line.trim()) };
}
