import { actionKey } from '../../protocol/content/action-ref.js';
import type { Action } from '../../protocol/types.js';
import type { Destination } from '../../registry/allotments/place-held.js';
import type { PlannedRoute } from '../../registry/allotments/plan.js';
import type { Registry } from '../../registry/registry.js';
import type { RouteAssignment, RoutedAction, TopologyPreference } from '../../registry/routes/assignment.js';
import { bytesOf } from './project.js';
import type { Releases } from './releases.js';
import type { Permit, Scheduler } from './scheduler.js';

/** A place and a route of an action, to be stored with it. Exactly one of its functions is to be called. */
export interface PlannedDispatch {
  readonly route: PlannedRoute['row'];
  /** The route was stored: `execute` uses it. */
  stored(destination: Destination): void;
  /** It was not stored; `unknown`: nobody knows. */
  notStored(outcome: 'refused' | 'unknown'): void;
}

/** What was planned and stored for an action: its place and its route. */
export interface StoredPlan {
  readonly permit: Permit;
  readonly assignment: RouteAssignment;
}

/** Places and routes of actions that are to be accepted, until they are dispatched. */
export interface Plans {
  /** As Dispatcher.plan. */
  plan(action: Action, tenantId: string): Promise<PlannedDispatch | undefined>;
  /** What was planned for an action, once. */
  take(action: RoutedAction): StoredPlan | undefined;
  /** As Dispatcher.abandon. */
  abandon(action: RoutedAction): void;
}

export function openPlans(deps: {
  readonly registry: Pick<Registry, 'routes'>;
  readonly scheduler: Pick<Scheduler, 'tryAcquire'>;
  readonly releases: Releases;
  readonly topology: TopologyPreference | undefined;
}): Plans {
  const { registry, scheduler, releases, topology } = deps;
  const planned = new Map<string, StoredPlan>();
  const take = (action: RoutedAction): StoredPlan | undefined => {
    const key = actionKey(action);
    const found = planned.get(key);
    planned.delete(key);
    return found;
  };
  return {
    take,
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
        stored: (destination) => {
          planned.set(actionKey({ actionId, tenantId }), { permit, assignment: route.stored(destination) });
        },
        notStored: (outcome) => {
          route.notStored(outcome);
          permit.release();
        },
      };
    },
    abandon: (action) => {
      const unused = take(action);
      if (!unused) return;
      unused.permit.release();
      void releases.write({
        actionId: action.actionId,
        fenceToken: unused.assignment.fenceToken,
        settlement: 'cancelled',
      });
    },
  };
}
