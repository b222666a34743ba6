import type { Connector } from '../../connectors/sdk/connector.js';
import type { DurableState } from '../../connectors/sdk/durable-state.js';
import { projectFailure } from '../../connectors/sdk/failure.js';
import type { Clock } from '../../protocol/clock.js';
import {
  ActionIdConflict,
  HostExecution,
  HostNotReady,
  HostReplay,
  StorageUnavailable,
  TimeoutExceeded,
} from '../../protocol/errors.js';
import { actionInputHash } from '../../protocol/hashes.js';
import { plainJson } from '../../protocol/json.js';
import { REPLAY_WINDOW_MS } from '../../protocol/limits.js';
import { parseTime } from '../../protocol/time.js';
import type { Action, ActionResult, Capability, ConnectorRoute, Envelope, Event } from '../../protocol/types.js';
import type { Logger } from '../../transport/logger.js';
import { doubling, retry } from '../../transport/retry.js';
import type { HostConfig } from '../config/config.js';
import type { ChunkStream } from '../publish/chunk-stream.js';
import { contextOf } from './context.js';
import { ExecutionCancelled, execute } from './execute.js';
import type { Delivery, ExecutionRecord, Journal } from './journal.js';
import { askProvider, ReconciliationPending } from './reconcile.js';
import { cancelled, completed, failed, mutates, outcomeUnknown } from './results.js';
import { resumption } from './resumption.js';
import type { Outcome, RunningActions } from './running.js';

/** Time of an action that names none, neither itself nor in its contract. */
const DEFAULT_TIMEOUT_MS = 300_000;
/** A result is offered to the journal this often before it is answered without being recorded. */
const FINISH_ATTEMPTS = 8;
const MAX_TIMER_MS = 2_147_483_647;

/** An action that passed the gate. */
export interface Work {
  envelope: Envelope;
  action: Action;
  route: ConnectorRoute;
}

/** Carries out what passed the gate. */
export interface Executor {
  /**
   * The action's result. A delivery of an action that runs here waits for the same result; one that is recorded is answered from the journal.
   * Throws HostReplay, ActionIdConflict, HostCapacity, HostNotReady.
   */
  deliver(work: Work): Promise<ActionResult>;
  /** Ends an action. Throws HostExecution when the host does not know it or the connector refuses, HostReplay, HostNotReady. */
  cancel(envelope: Envelope, actionId: string): Promise<ActionResult>;
  /** Capability of an action that runs here or is in the journal. */
  recordedCapability(actionId: string): Promise<string | undefined>;
}

/** What an executor is made of. */
export interface ExecutorOptions {
  config: HostConfig;
  connector: Connector;
  connectorConfig: unknown;
  capabilities: ReadonlyMap<string, Capability>;
  journal: Journal;
  running: RunningActions;
  state: DurableState;
  publishEvents: (channel: string, events: Event[]) => Promise<void>;
  /** Opens the way of an action's chunks to the central server. */
  openChunks: (work: Work, signal: AbortSignal) => ChunkStream;
  clock: Clock;
  log: Logger;
}

/** Opens the executor of a host. */
export function openExecutor(options: ExecutorOptions): Executor {
  const { connector, capabilities, journal, running, clock, log } = options;

  const run = async (work: Work, signal: AbortSignal): Promise<Outcome> => {
    const { action } = work;
    const capability = capabilities.get(action.capability_id) as Capability;
    const deadline = clock() + timeoutOf(action, capability);
    const timed = withDeadline(signal, deadline - clock());
    const chunks = options.openChunks(work, timed.signal);
    let effect = false;
    const context = contextOf(options, work, {
      signal: timed.signal,
      deadline,
      chunks,
      effectCommitted: async (evidence) => {
        await retry(() => journal.effect(action.id, evidence), untilStored(FINISH_ATTEMPTS));
        effect = true;
      },
    });
    const { result, ended } = await execute({
      connector,
      capability,
      action: projected(options, work),
      context,
      effectCommitted: () => effect,
      streamFailure: chunks.failure,
    });
    const settled = (ended ?? Promise.resolve()).finally(timed.clear);
    await record(action.id, result);
    return { result, ended: settled };
  };

  const record = async (actionId: string, result: ActionResult, cursor?: string): Promise<void> => {
    await retry(() => journal.finish(actionId, result, cursor), untilStored(FINISH_ATTEMPTS)).catch((error) => {
      log.error({ action_id: actionId, code: error.code }, 'the result is answered but could not be recorded');
    });
  };

  const settle = async (work: Work, delivery: Delivery, signal: AbortSignal): Promise<Outcome> => {
    const { action } = work;
    const admission = await stored(() => journal.admit(delivery));
    if (admission.kind === 'forged') throw new HostReplay('the message id was used before');
    if (admission.kind !== 'fresh' && admission.record.requestDigest !== delivery.requestDigest)
      throw new ActionIdConflict();
    const capability = capabilities.get(action.capability_id) as Capability;
    const decision = resumption(admission, action, capability, connector.reconcile !== undefined);
    if (decision === 'run') return run(work, signal);
    log.info({ action_id: action.id, decision }, 'the action was delivered before');
    const known = (admission as { record: ExecutionRecord }).record;
    switch (decision) {
      case 'answer':
        return { result: known.result as ActionResult };
      case 'run_again':
        await stored(() => journal.restart(action.id));
        return run(work, signal);
      case 'reconcile':
        return reconcile(work, known, signal);
      default: {
        const result = outcomeUnknown(action.id);
        await record(action.id, result);
        return { result };
      }
    }
  };

  /** Asks the provider about a call of a former process; runs it when it certainly left nothing, answers what is known otherwise. */
  const reconcile = async (work: Work, known: ExecutionRecord, signal: AbortSignal): Promise<Outcome> => {
    const { action } = work;
    const chunks = options.openChunks(work, signal);
    const deadline = clock() + DEFAULT_TIMEOUT_MS;
    const context = contextOf(options, work, { signal, deadline, chunks, effectCommitted: async () => undefined });
    const { evidence, cursor } = known;
    const input = {
      action: projected(options, work),
      ...(evidence !== undefined && { evidence }),
      ...(cursor !== undefined && { cursor }),
    };
    try {
      const answer = await askProvider(connector, input, context);
      if (!answer.committed) {
        await stored(() => journal.restart(action.id));
        return run(work, signal);
      }
      const result = completed(action.id, { output: answer.output });
      await record(action.id, result);
      return { result };
    } catch (error) {
      if (error instanceof HostNotReady) throw error;
      if (error instanceof ReconciliationPending) {
        const result = failed(action.id, error.projected(connector.type, 'reconciliation'));
        return { result };
      }
      log.warn({ action_id: action.id }, 'reconciliation failed');
      return { result: outcomeUnknown(action.id) };
    }
  };

  const tellConnector = async (work: Work): Promise<void> => {
    if (!connector.cancel) return;
    const { signal } = new AbortController();
    const chunks = options.openChunks(work, signal);
    const deadline = clock() + options.config.controlTimeoutMs;
    const context = contextOf(options, work, { signal, deadline, chunks, effectCommitted: async () => undefined });
    try {
      await connector.cancel(projected(options, work), context);
    } catch (error) {
      const at = { source: connector.type, operation: 'cancellation', mutates: true } as const;
      throw new HostExecution('the connector could not cancel the action', {
        details: projectFailure(error, at),
        cause: error,
      });
    }
  };
  const works = new Map<string, Work>();

  return {
    deliver: async (work) => {
      const { action, envelope } = work;
      const requestDigest = actionInputHash(action);
      const current = running.get(action.id);
      if (current) {
        if (current.requestDigest !== requestDigest) throw new ActionIdConflict();
        return current.done;
      }
      const delivery = deliveryOf(envelope, action, requestDigest);
      works.set(action.id, work);
      const started = running.start(delivery, (signal) => settle(work, delivery, signal));
      return started.done.finally(() => works.delete(action.id));
    },
    cancel: async (envelope, actionId) => {
      const claim = claimOf(envelope);
      if (!(await stored(() => journal.claim(claim)))) throw new HostReplay('the message id was used before');
      const current = running.get(actionId);
      if (current) {
        current.abort(new ExecutionCancelled('the action was cancelled'));
        await tellConnector(works.get(actionId) as Work);
        return current.done;
      }
      const known = await stored(() => journal.find(actionId));
      if (!known) throw new HostExecution('the host does not know this action');
      if (known.result) return known.result;
      const capability = capabilities.get(known.capabilityId);
      const result = cancelled(actionId, connector.type, capability === undefined || mutates(capability));
      await record(actionId, result);
      return result;
    },
    recordedCapability: async (actionId) =>
      running.get(actionId)?.capabilityId ?? (await stored(() => journal.find(actionId)))?.capabilityId,
  };
}

/** The storage is a condition of readiness: when it fails before a call, nothing was executed and the host is not ready. */
async function stored<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (cause) {
    if (cause instanceof StorageUnavailable)
      throw new HostNotReady('the storage of the connector host is not ready', { cause });
    throw cause;
  }
}

function untilStored(attempts: number) {
  return { attempts, delayMs: doubling(100, 2000), retryable: (error: unknown) => error instanceof StorageUnavailable };
}

function claimOf({ message_id, sent_at, security }: Envelope): Pick<Delivery, 'messageId' | 'signature' | 'expiresAt'> {
  return {
    messageId: message_id,
    signature: (security as { signature: string }).signature,
    expiresAt: parseTime(sent_at) + REPLAY_WINDOW_MS,
  };
}

function deliveryOf(envelope: Envelope, action: Action, requestDigest: string): Delivery {
  return { ...claimOf(envelope), actionId: action.id, capabilityId: action.capability_id, requestDigest };
}

/** The action as the connector sees it: the host's own identity in the place of the payload's, no transport members. */
function projected({ config }: ExecutorOptions, { action }: Work): Action {
  const { callback: _, ...rest } = action;
  const { gateway, tenant, externalAccount, credential } = config;
  return {
    ...rest,
    input: plainJson(action.input),
    identity: {
      tenant,
      ...(externalAccount && { external_account: externalAccount }),
      service_account: gateway,
      ...(credential && {
        credential_ref: { id: credential.id, issuer: credential.issuer, scopes: credential.scopes },
      }),
    },
  };
}

function timeoutOf({ timeout_ms: own }: Action, { contract }: Capability): number {
  return Math.min(own ?? contract?.sla?.timeout_ms ?? DEFAULT_TIMEOUT_MS, MAX_TIMER_MS);
}

/** The signal, which also fires by itself after `ms`. */
function withDeadline(signal: AbortSignal, ms: number): { signal: AbortSignal; clear: () => void } {
  const timer = new AbortController();
  const handle = setTimeout(() => timer.abort(new TimeoutExceeded()), ms);
  return { signal: AbortSignal.any([signal, timer.signal]), clear: () => clearTimeout(handle) };
}
