import type { Clock } from '../../protocol/clock.js';
import { actionKey } from '../../protocol/content/action-ref.js';
import { newEnvelope } from '../../protocol/envelope.js';
import {
  AipError,
  aipErrorOf,
  HandlerFailed,
  NotAuthorized,
  OutcomeUnknown,
  ReplicaUnavailable,
  ResourceNotFound,
  StorageUnavailable,
} from '../../protocol/errors.js';
import { newId } from '../../protocol/ids.js';
import type { Action, ActionResult } from '../../protocol/types.js';
import type { Destination } from '../../registry/allotments/place-held.js';
import type { PlannedRoute } from '../../registry/allotments/plan.js';
import type { Registry } from '../../registry/registry.js';
import type {
  RouteAssignment,
  RoutedAction,
  RouteRequest,
  TopologyPreference,
} from '../../registry/routes/assignment.js';
import type { RouteSettlement } from '../../registry/routes/settle.js';
import { InstanceWaking, WokenTooLate } from '../../registry/scaling.js';
import type { SignerSource } from '../../transport/http/error-response.js';
import type { PeerClient } from '../../transport/peer/client.js';
import type { Logger } from '../../transport/process/logger.js';
import { doubling, retry } from '../../transport/process/retry.js';
import { waited } from '../../transport/process/wait.js';
import { type AskRule, askHost, DEFAULT_ASK_RULE, type HostOutcome, peerOf, type ResultDocuments } from './ask.js';
import { batched } from './batches.js';
import type { SchedulerSnapshot } from './fair-queue.js';
import { cancelRoute, connectorRoute, projectAction, type RemoteWork } from './project.js';
import { openReleases } from './releases.js';
import { openScheduler, type Permit } from './scheduler.js';
import type { SchedulerLimits } from './scheduler-limits.js';

export type { RemoteWork } from './project.js';

/** Routes that one registry call assigns at most. */
const MAX_BATCH = 256;

/** How long a route is looked for while every replica is full or away: about a second. */
const PLACE_AGAIN = {
  attempts: 24,
  delayMs: doubling(2, 50),
  retryable: (error: unknown) => error instanceof ReplicaUnavailable && !(error instanceof InstanceWaking),
};

/** How often a waiting caller's action looks for a host of an instance that is being woken, in milliseconds. */
const WAKE_POLL_MS = 250;

/**
 * An abort of an execution with this reason leaves its assignment reserved: another worker has taken the action over
 * and dispatches it under the same assignment.
 */
export const LEASE_LOST = 'lease_lost';

/** What became of dispatched work, with the release that is still to be written. */
export interface Dispatched {
  readonly outcome: { readonly result: ActionResult } | { readonly error: AipError };
  /**
   * To be given to registry.routes.settle, best in the transaction that ends the action; absent when another worker
   * holds it.
   */
  readonly release?: RouteSettlement | undefined;
  /** Whether the host journals actions by id, so that a later dispatch can learn an outcome that is unknown now. */
  readonly journaled?: boolean | undefined;
  /** Gives the place in the scheduler back; to be called, once, when the release is written or given up. */
  done(): void;
}

/** A place and a route of an action, to be stored with it. Exactly one of its functions is to be called. */
export interface PlannedDispatch {
  readonly route: PlannedRoute['row'];
  /** The route was stored at a time: `execute` uses it. */
  stored(destination: Destination, atMs: number): void;
  /** It was not stored; `unknown`: nobody knows. */
  notStored(outcome: 'refused' | 'unknown'): void;
}

/** Sends actions to the connector hosts that they are pinned to. */
export interface Dispatcher {
  /**
   * Runs an action at a host: waits for a place, pins a replica and asks it. Work that an earlier dispatch may have
   * begun is sent again only to a host that journals actions by id, or when it is repeatable. The outcome is the host's
   * result, also a failed one, or TenantMismatch, NotAuthorized, RemoteError (a signed refusal, with its retry hint; the
   * action stays pinned), ReplicaUnavailable, TimeoutExceeded or OutcomeUnknown. The caller writes the release, so that
   * it can are in the transaction that ends the action. Throws, before a replica is pinned, ConnectorRequestRejected,
   * SchedulerOverloaded, BindingUnavailable, ReplicaUnavailable, AdmissionCapacity, NotAuthorized, StorageUnavailable,
   * or OutcomeUnknown in the place of all of these when an earlier dispatch may have begun the work; the reason of
   * `signal` while it waits for a place.
   */
  execute(work: RemoteWork, signal: AbortSignal): Promise<Dispatched>;
  /**
   * Takes a place and chooses a route for an action that is to be accepted, without waiting. Undefined where that is not possible
   * now: `execute` then does it.
   */
  plan(action: Action, tenantId: string): Promise<PlannedDispatch | undefined>;
  /** Gives back what was planned and stored for an action that `execute` did not get. */
  abandon(action: RoutedAction): void;
  /**
   * Tells the host of an action to stop it, without waiting for a place, and releases its assignment. Throws
   * ResourceNotFound when no host was assigned, and what the host or the way to it refuses.
   */
  cancel(action: RoutedAction, reason: string): Promise<void>;
  snapshot(): SchedulerSnapshot;
  /** Refuses what waits for a place and finishes the releases that are under way. */
  stop(): Promise<void>;
}

/** What the dispatcher is made of. */
export interface DispatcherDeps {
  readonly registry: Pick<Registry, 'routes' | 'replicas'>;
  readonly peer: Pick<PeerClient, 'send'>;
  /** Bounds of the scheduler; absent ones take their defaults. */
  readonly scheduler?: Partial<SchedulerLimits> | undefined;
  /** The gateway as hosts know it, with its trust domain, and its present key. */
  readonly signer: SignerSource;
  /** The fixed address of the connector ingress for chunks; absent: no remote streaming. */
  readonly callbackUrl?: string | undefined;
  /** Where new work should rather go; pinned work stays. */
  readonly topology?: TopologyPreference | undefined;
  readonly asking?: Partial<AskRule> | undefined;
  /** Where documents of results are kept; absent: results have none. */
  readonly documents?: ResultDocuments | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Opens the dispatcher. Throws SchedulerLimitInvalid for scheduler bounds that contradict each other. */
export function openDispatcher(deps: DispatcherDeps): Dispatcher {
  const { registry, peer, clock, log, topology } = deps;
  const scheduler = openScheduler({ limits: deps.scheduler, clock });
  const rule: AskRule = { ...DEFAULT_ASK_RULE, ...deps.asking };
  const assign = batched<RouteRequest, RouteAssignment>({
    maxBatch: MAX_BATCH,
    lanes: 1,
    run: (requests) => registry.routes.assign(requests),
  });
  const releases = openReleases(registry.routes, log);
  const planned = new Map<string, { readonly permit: Permit; readonly assignment: RouteAssignment }>();
  /** What was planned for an action, once. */
  const takePlanned = (action: RoutedAction) => {
    const key = actionKey(action);
    const found = planned.get(key);
    planned.delete(key);
    return found;
  };

  const ask = async (
    work: RemoteWork,
    assignment: RouteAssignment,
    began: boolean,
    signal: AbortSignal,
  ): Promise<HostOutcome & { readonly journaled?: boolean }> => {
    const route = connectorRoute(work, assignment);
    let journaled: boolean | undefined;
    try {
      journaled = await registry.routes.journals(assignment.versionId);
      if (began && !journaled && !work.repeatable) throw new OutcomeUnknown();
      const outcome = await askHost(
        { peer, signer: deps.signer, registry, documents: deps.documents, rule, clock, log },
        {
          action: projectAction(work, route, deps.callbackUrl),
          route,
          assignment,
          sessionId: work.sessionId,
          timeoutMs: work.timeoutMs,
          mayHaveBegun: began,
          maxDocumentBytes: work.maxDocumentBytes,
          journaled,
        },
        signal,
      );
      return { ...outcome, journaled };
    } catch (error) {
      const known = journaled === undefined ? {} : { journaled };
      if (!began) return { error: aipErrorOf(error), settlement: 'refused', ...known };
      return { error: new OutcomeUnknown(undefined, { cause: error }), settlement: 'outcome_unknown', ...known };
    }
  };

  /** Dispatches once a host of the instance is awake; while it waits it holds no place that others could use. */
  const dispatchAwake = async (work: RemoteWork, began: boolean, signal: AbortSignal): Promise<Dispatched> => {
    const since = clock();
    for (;;) {
      try {
        return await dispatch(work, began, signal);
      } catch (error) {
        if (!(error instanceof InstanceWaking) || work.wakeBy === undefined) throw error;
        const left = Math.min(work.wakeBy, since + error.wakeTimeoutMs) - clock();
        if (left <= 0) throw new WokenTooLate();
        if (await waited(Math.min(WAKE_POLL_MS, left), signal)) continue;
        throw signal.reason === LEASE_LOST ? signal.reason : new WokenTooLate();
      }
    }
  };

  /** Whether an earlier dispatch may have begun the work; a registry that cannot be read does not say no. */
  const mayHaveBegun = async ({ again, action, tenantId }: RemoteWork): Promise<boolean> => {
    if (!again) return false;
    try {
      return await registry.routes.mayHaveBegun({ actionId: action.id, tenantId });
    } catch (error) {
      if (error instanceof StorageUnavailable) return true;
      throw error;
    }
  };

  const dispatch = async (work: RemoteWork, began: boolean, signal: AbortSignal): Promise<Dispatched> => {
    const ready = takePlanned({ actionId: work.action.id, tenantId: work.tenantId });
    const permit = ready?.permit ?? (await scheduler.acquire(work.tenantId, bytesOf(work.action), signal));
    const done = permit.release;
    try {
      const { id: actionId, capability_id: capabilityId } = work.action;
      const request = { actionId, capabilityId, tenantId: work.tenantId, topology };
      const assignment = ready?.assignment ?? (await retry(() => assign(request), { ...PLACE_AGAIN, signal }));
      const { fenceToken } = assignment;
      if (signal.aborted && signal.reason !== LEASE_LOST) {
        const error = new HandlerFailed('the execution was stopped before it began', { cause: signal.reason });
        return { outcome: { error }, release: { actionId, fenceToken, settlement: 'cancelled' }, done };
      }
      const { settlement, journaled, ...outcome } = await ask(work, assignment, began, signal);
      const taken = signal.aborted && signal.reason === LEASE_LOST;
      return { outcome, journaled, ...(taken ? {} : { release: { actionId, fenceToken, settlement } }), done };
    } catch (error) {
      done();
      throw error;
    }
  };

  return {
    execute: async (work, signal) => {
      if (work.tenantId === '') throw new NotAuthorized('remote work needs a verified tenant');
      const began = await mayHaveBegun(work);
      try {
        return await dispatchAwake(work, began, signal);
      } catch (error) {
        // Its host cannot be asked now; what that says about this dispatch says nothing about the earlier one.
        if (began && error instanceof AipError) throw new OutcomeUnknown(undefined, { cause: error });
        throw error;
      }
    },
    plan: async (action, tenantId) => {
      const permit = tenantId === '' ? undefined : scheduler.tryAcquire(tenantId, bytesOf(action));
      if (!permit) return undefined;
      const { id: actionId, capability_id: capabilityId } = action;
      // A registry that cannot be read now is read again when the action is dispatched.
      const route = await registry.routes.plan({ actionId, capabilityId, tenantId, topology }).catch(() => undefined);
      if (!route) {
        permit.release();
        return undefined;
      }
      return {
        route: route.row,
        stored: (destination, atMs) => {
          planned.set(actionKey({ actionId, tenantId }), { permit, assignment: route.stored(destination, atMs) });
        },
        notStored: (outcome) => {
          route.notStored(outcome);
          permit.release();
        },
      };
    },
    abandon: (action) => {
      const unused = takePlanned(action);
      if (!unused) return;
      unused.permit.release();
      void releases.write({
        actionId: action.actionId,
        fenceToken: unused.assignment.fenceToken,
        settlement: 'cancelled',
      });
    },
    cancel: async (action, reason) => {
      const { actionId } = action;
      const assignment = await registry.routes.find(action);
      if (!assignment) throw new ResourceNotFound('no connector host was assigned to the action');
      const envelope = newEnvelope(
        { cancel: { target: { action: actionId }, reason } },
        { correlation_id: newId('correlation'), security: { connector_route: cancelRoute(assignment) } },
        { clock },
      );
      const answer = await peer.send(envelope, peerOf(assignment));
      const { action_result: result } = answer.body as { action_result?: ActionResult };
      if (result?.action_id !== actionId)
        throw new HandlerFailed('the host answered the cancellation with something else', { retryable: false });
      await releases.write({ actionId, fenceToken: assignment.fenceToken, settlement: 'cancelled' });
    },
    snapshot: scheduler.snapshot,
    stop: async () => {
      scheduler.stop();
      await releases.ended();
    },
  };
}

/** The size by which the scheduler bounds an action. */
function bytesOf(action: Action): number {
  return Buffer.byteLength(JSON.stringify(action));
}
