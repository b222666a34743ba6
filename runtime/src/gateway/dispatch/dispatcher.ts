import { batched } from '../../postgres/lane.js';
import { AipError, NotAuthorized, outcomeUnknown } from '../../protocol/errors.js';
import type { Action } from '../../protocol/types.js';
import type { RouteAssignment, RoutedAction, RouteRequest } from '../../registry/routes/assignment.js';
import type { RouteSettlement } from '../../registry/routes/settle.js';
import { InstanceWaking, WokenTooLate } from '../../registry/scaling.js';
import { waited } from '../../time/wait.js';
import { askPinned, mayHaveBegun } from './ask-pinned.js';
import { cancelAtHost } from './cancel.js';
import { type Dispatched, type HeldPlace, heldPlace } from './dispatched.js';
import type { DispatcherDeps } from './dispatcher-deps.js';
import type { SchedulerSnapshot } from './fair-queue.js';
import { openPlaceQueue } from './place-queue.js';
import { openPlans, type PlannedDispatch } from './plans.js';
import { bytesOf, type RemoteWork } from './project.js';
import { openReleases } from './releases.js';
import { openScheduler } from './scheduler.js';

export type { Dispatched, HeldPlace } from './dispatched.js';
export type { PlannedDispatch } from './plans.js';
export type { RemoteWork } from './project.js';

/** Routes that one registry call assigns at most. */
const MAX_BATCH = 256;

/** How often a waiting caller's action looks for a host of an instance that is being woken, in milliseconds. */
const WAKE_POLL_MS = 250;

/**
 * An abort of an execution with this reason leaves its assignment reserved: another worker has taken the action over
 * and dispatches it under the same assignment.
 */
export const LEASE_LOST = 'lease_lost';

/** Sends actions to the connector hosts that they are pinned to. */
export interface Dispatcher {
  /**
   * Runs an action at a host: waits for a place, pins a replica and asks it. Work that an earlier dispatch may have
   * begun is sent again only to a host that journals actions by id, or when it is repeatable. Never rejects. `failed`
   * has `auth.tenant_mismatch`, NotAuthorized, RemoteError (a signed refusal, with its retry hint; the action stays pinned),
   * ReplicaUnavailable, TimeoutExceeded or `connector.outcome_unknown`. `refused` has `connector.request_rejected`,
   * `connector.scheduler_overloaded`, `connector.binding_unavailable`, ReplicaUnavailable, `connector.admission_capacity`, NotAuthorized,
   * StorageUnavailable, or `connector.outcome_unknown` in the place of all of these when an earlier dispatch may have begun the work; or the reason of `signal`,
   * where it waited for a place. The caller disposes the place.
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
   * Asks the host of an action to stop it, without waiting for a place, and releases its assignment. Throws
   * `resource.not_found` when no host was assigned, and what the host or the way to it refuses.
   */
  cancel(action: RoutedAction, reason: string): Promise<void>;
  snapshot(): SchedulerSnapshot;
  /** Refuses what waits for a place and finishes the releases that are under way. */
  stop(): Promise<void>;
}

/** Opens the dispatcher. Throws SchedulerLimitInvalid for scheduler bounds that contradict each other. */
export function openDispatcher(deps: DispatcherDeps): Dispatcher {
  const { registry, clock, log, topology } = deps;
  const scheduler = openScheduler({ limits: deps.scheduler, clock });
  const assign = batched<RouteRequest, RouteAssignment>({
    name: 'registry.assign',
    maxBatch: MAX_BATCH,
    run: (requests) => registry.routes.assign(requests),
  });
  const holding = { routes: registry.routes, log };
  const places = openPlaceQueue();
  const releases = openReleases(registry.routes, log);
  const plans = openPlans({ registry, scheduler, releases, topology });

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

  const dispatch = async (work: RemoteWork, began: boolean, signal: AbortSignal): Promise<Dispatched> => {
    const ready = plans.take({ actionId: work.action.id, tenantId: work.tenantId });
    const permit = ready?.permit ?? (await scheduler.acquire(work.tenantId, bytesOf(work.action), signal));
    const key = placeKey(work.action, work.tenantId);
    // What may be pinned to one replica holds up nothing that may go to others.
    const ownKey = work.again ? `${key}\u001f${work.action.id}` : key;
    const giveBack = (): void => {
      permit.release();
      places.freed(key);
    };
    const held = (release: RouteSettlement | undefined): HeldPlace =>
      heldPlace(holding, { release: giveBack }, release);
    try {
      const { id: actionId, capability_id: capabilityId } = work.action;
      const request = { actionId, capabilityId, tenantId: work.tenantId, topology };
      const assignment = ready?.assignment ?? (await places.find(ownKey, () => assign(request), signal));
      const { fenceToken } = assignment;
      if (signal.aborted && signal.reason !== LEASE_LOST) {
        const error = new AipError('runtime.handler_failed', 'the execution was stopped before it began', {
          cause: signal.reason,
        });
        return { kind: 'failed', error, place: held({ actionId, fenceToken, settlement: 'cancelled' }) };
      }
      const { settlement, ...outcome } = await askPinned(deps, work, assignment, began, signal);
      const taken = signal.aborted && signal.reason === LEASE_LOST;
      return { ...outcome, place: held(taken ? undefined : { actionId, fenceToken, settlement }) };
    } catch (error) {
      permit.release();
      throw error;
    }
  };

  return {
    execute: async (work, signal) => {
      let began = false;
      try {
        if (work.tenantId === '') throw new NotAuthorized('remote work needs a verified tenant');
        began = await mayHaveBegun(registry, work);
        return await dispatchAwake(work, began, signal);
      } catch (error) {
        // Its host cannot be asked now; what that says about this dispatch says nothing about the earlier one.
        const unknown = began && error instanceof AipError;
        return { kind: 'refused', error: unknown ? outcomeUnknown(undefined, { cause: error }) : error };
      }
    },
    plan: async (action, tenantId) =>
      // What waits longer goes first.
      places.isWaiting(placeKey(action, tenantId)) ? undefined : plans.plan(action, tenantId),
    abandon: plans.abandon,
    cancel: (action, reason) => cancelAtHost(deps, releases, action, reason),
    snapshot: scheduler.snapshot,
    stop: async () => {
      scheduler.stop();
      await releases.ended();
    },
  };
}

/** What has the same key may run at the same places. */
function placeKey({ capability_id: capabilityId }: Action, tenantId: string): string {
  return `${tenantId}\u001f${capabilityId}`;
}
