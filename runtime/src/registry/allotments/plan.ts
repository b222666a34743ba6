import { chosenPlacement } from '../routes/assign.js';
import { assignmentOf, type RouteAssignment, type RouteRequest } from '../routes/assignment.js';
import type { BindingsCache } from '../routes/bindings-cache.js';
import type { Placement } from '../routes/place.js';
import type { ReplicaView } from '../routes/replica-view.js';
import type { Allotments } from './allotments.js';
import { type Destination, placedRow } from './place-held.js';

/** A route that is chosen and has its slot, to be stored by the statement that stores its action. */
export interface PlannedRoute {
  /** What the statement stores, under the guard of the holder's lease and newest change. */
  readonly row: Placement & { readonly holder: string; readonly holder_seq: number };
  /** The statement stored it. */
  stored(destination: Destination): RouteAssignment;
  /** It was not stored; `unknown`: nobody knows. */
  notStored(outcome: 'refused' | 'unknown'): void;
}

/** Chooses and reserves a route in memory. Undefined where that needs the database: nothing fits, or nothing is held unused. */
export async function planRoute(
  deps: {
    readonly bindings: BindingsCache;
    readonly replicas: ReplicaView;
    readonly allotments: Allotments | undefined;
  },
  request: RouteRequest,
): Promise<PlannedRoute | undefined> {
  const placement = deps.allotments && (await chosenPlacement(deps, request));
  const slot = placement && deps.allotments?.hold(placement);
  if (!slot) return undefined;
  const { instance_id, replica_id } = placement;
  deps.replicas.reserve(instance_id, replica_id);
  const answered = (outcome: 'stored' | 'refused' | 'unknown'): void => {
    slot.written(outcome);
    deps.replicas.reserved(instance_id, replica_id, outcome === 'stored');
    // The catalog or the replica may be another one now.
    if (outcome === 'refused') deps.replicas.stale([instance_id]);
  };
  return {
    row: { ...placement, holder: slot.holderId, holder_seq: slot.seq },
    stored: (destination) => {
      answered('stored');
      return assignmentOf(placedRow(placement, destination));
    },
    notStored: answered,
  };
}
