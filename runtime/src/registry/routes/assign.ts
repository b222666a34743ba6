import type { Queryable } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { AipError, ReplicaUnavailable } from '../../protocol/errors.js';
import { newId } from '../../protocol/ids.js';
import { parseJson } from '../../protocol/json.js';
import { admissionOf } from './admission.js';
import {
  ASSIGNMENT_COLUMNS,
  type AssignmentAdmission,
  type AssignmentRow,
  assignmentOf,
  type RouteAssignment,
  type RouteRequest,
} from './assignment.js';
import type { RouteOption } from './bindings-cache.js';
import { chooseReplica } from './choose.js';
import type { CounterMaker } from './counters.js';
import type { Placement, PlaceOutcome } from './place.js';
import { type RefusalDeps, type Refused, refusalsOf, type Unplaced } from './refusals.js';
import type { ReplicaView } from './replica-view.js';
import { takeSlots } from './reserve.js';

/** The outcome of one request: a route, or why there is none. */
export type AssignOutcome = RouteAssignment | AipError;

export interface AssignDeps extends RefusalDeps {
  readonly clock: Clock;
  readonly replicas: ReplicaView;
  readonly counters: CounterMaker;
  /** Writes placements; a gateway puts them into the commits of its other writes. */
  readonly place: (placements: readonly Placement[]) => Promise<Map<string, PlaceOutcome>>;
  /** Has other processes give back what they keep unused of places; absent: none does. */
  readonly requestRoom?: (() => Promise<void>) | undefined;
  /** Gives back what processes keep unused of places and counters; absent: none does. */
  readonly makeRoom?: (() => Promise<void>) | undefined;
}

/** How often a batch looks for another replica after the one it chose was taken, or the catalog moved. */
const TRIES = 4;

// Routes that are known already, with what a repeated reservation needs. The row stays locked: one caller at a time works on an action.
const READ_KNOWN = `
SELECT ${ASSIGNMENT_COLUMNS}, reserved, admission::text AS admission FROM registry.assignments
WHERE action_id = ANY($1) AND (action_id, tenant_id) IN (SELECT * FROM unnest($1::text[], $2::text[])) ORDER BY action_id FOR UPDATE`;

// Marks settled routes as reserved again, with the counters that a retry holds.
const RESERVE_AGAIN = `
UPDATE registry.assignments a SET reserved = true, settlement = NULL, held = i.held, holder = NULL, updated_at = $2
FROM json_to_recordset($1::json) AS i(action_id text, tenant_id text, held json) WHERE a.action_id = i.action_id AND a.tenant_id = i.tenant_id`;

type KnownRow = AssignmentRow & { reserved: boolean; admission: string };

/**
 * Assigns routes for a batch, each outcome in its place: a new action gets the best replica, a known one its stored destination and never
 * another one (docs/protocol/registry.md#choosing-a-replica). Throws StorageUnavailable.
 */
export async function assignRoutes(deps: AssignDeps, requests: readonly RouteRequest[]): Promise<AssignOutcome[]> {
  const outcomes = new Map<RouteRequest, AssignOutcome>();
  for (let open = [...requests]; open.length > 0; ) {
    const { distinct, later } = apart(open);
    const assigned = await assignDistinct(deps, distinct);
    for (const [index, request] of distinct.entries()) outcomes.set(request, assigned[index] as AssignOutcome);
    open = later;
  }
  return requests.map((request) => outcomes.get(request) as AssignOutcome);
}

/** Splits off the actions that have the id of another tenant's action before them: one statement goes by ids alone. */
function apart(requests: readonly RouteRequest[]): { distinct: RouteRequest[]; later: RouteRequest[] } {
  const tenants = new Map<string, string>();
  const distinct: RouteRequest[] = [];
  const later: RouteRequest[] = [];
  for (const request of requests) {
    const { actionId, tenantId } = request;
    if (!tenants.has(actionId)) tenants.set(actionId, tenantId);
    (tenants.get(actionId) === tenantId ? distinct : later).push(request);
  }
  return { distinct, later };
}

async function assignDistinct(deps: AssignDeps, requests: readonly RouteRequest[]): Promise<AssignOutcome[]> {
  const outcomes = new Map<string, AssignOutcome>();
  const known: RouteRequest[] = [];
  let open = [...new Map(requests.map((request) => [request.actionId, request])).values()];
  for (let attempt = 0; attempt < TRIES && open.length > 0; attempt += 1)
    open = await placeNew(deps, open, outcomes, known, attempt === 0);
  for (const { actionId } of open) outcomes.set(actionId, new ReplicaUnavailable());
  if (known.length > 0) {
    const refused = await deps.pool.tx((client) => reserveKnown(deps, client, known, outcomes));
    if (refused.length > 0 && deps.makeRoom) {
      await deps.makeRoom();
      await deps.pool.tx((client) => reserveKnown(deps, client, refused, outcomes));
    }
  }
  return requests.map((request) => outcomeFor(request, outcomes.get(request.actionId) as AssignOutcome));
}

/** The outcome, unless the request names the action's id for other work. */
function outcomeFor(request: RouteRequest, outcome: AssignOutcome): AssignOutcome {
  if (outcome instanceof Error) return outcome;
  const same = outcome.capabilityId === request.capabilityId;
  return same ? outcome : new AipError('action.id_conflict', 'the action is assigned to another capability');
}

/**
 * Chooses and reserves for new actions; returns those to be chosen for again, and adds those that have a route to `known`. What finds no
 * replica at `first` is checked again with replicas read again, since one may just have come, or other processes have given places back.
 */
async function placeNew(
  deps: AssignDeps,
  requests: readonly RouteRequest[],
  outcomes: Map<string, AssignOutcome>,
  known: RouteRequest[],
  first: boolean,
): Promise<RouteRequest[]> {
  const chosen = new Map<RouteRequest, Placement>();
  const unplaced = new Map<RouteRequest, Unplaced>();
  const again: RouteRequest[] = [];
  const touched = new Set<string>();
  let isFull = false;
  for (const request of requests) {
    const { revision, options } = await deps.bindings.get(request.tenantId, request.capabilityId);
    const instanceIds = instancesOf(options);
    for (const id of instanceIds) touched.add(id);
    const candidates = await deps.replicas.of(instanceIds);
    const choice = chooseReplica(request.actionId, options, candidates, request.topology);
    isFull ||= first && !choice && candidates.length > 0;
    const option = choice?.option ?? options[0];
    if (first && option && !choice) again.push(request);
    else if (!choice || option?.policy?.enabled === false)
      unplaced.set(request, {
        revision,
        option,
        instanceIds,
        found: choice !== undefined,
        ready: candidates.length > 0,
      });
    else {
      deps.replicas.reserve(choice.option.instanceId, choice.replica.id);
      chosen.set(request, placementOf(request, choice.option, choice.replica.id, revision));
    }
  }
  const { placed, refused } = await writeChosen(deps, chosen, unplaced);
  for (const [request, why] of refused)
    if (why === 'known') known.push(request);
    else if (why === 'again') again.push(request);
    else outcomes.set(request.actionId, why);
  for (const [request, { instance_id, replica_id }] of chosen) {
    const outcome = placed.get(request.actionId);
    const taken = typeof outcome === 'object' && 'action_id' in outcome;
    deps.replicas.reserved(instance_id, replica_id, taken);
    if (taken) {
      outcomes.set(request.actionId, assignmentOf(outcome));
      continue;
    }
    if (outcome === 'known') known.push(request);
    else if (typeof outcome === 'object') outcomes.set(request.actionId, full(outcome.full));
    else {
      if (outcome === 'moved') deps.bindings.clear();
      again.push(request);
    }
  }
  // What was placed is placed, also where the others cannot be asked.
  if (isFull) await deps.requestRoom?.().catch(() => undefined);
  if (again.length > 0) deps.replicas.stale([...touched]);
  return again;
}

const instancesOf = (options: readonly RouteOption[]): string[] => [
  ...new Set(options.map(({ instanceId }) => instanceId)),
];

/** The placement of one new action as the caches know the fleet; undefined where nothing fits. */
export async function chosenPlacement(
  deps: Pick<AssignDeps, 'bindings' | 'replicas'>,
  request: RouteRequest,
): Promise<Placement | undefined> {
  const { revision, options } = await deps.bindings.get(request.tenantId, request.capabilityId);
  const candidates = await deps.replicas.of(instancesOf(options));
  const choice = chooseReplica(request.actionId, options, candidates, request.topology);
  if (!choice || choice.option.policy?.enabled === false) return undefined;
  return placementOf(request, choice.option, choice.replica.id, revision);
}

/** Writes what was chosen, and finds out why the others were not. What could not be written is reserved no longer. */
async function writeChosen(
  deps: AssignDeps,
  chosen: ReadonlyMap<RouteRequest, Placement>,
  unplaced: ReadonlyMap<RouteRequest, Unplaced>,
): Promise<{ placed: Map<string, PlaceOutcome>; refused: Map<RouteRequest, Refused> }> {
  try {
    const refused = unplaced.size > 0 ? await refusalsOf(deps, unplaced) : new Map<RouteRequest, Refused>();
    const placed = chosen.size > 0 ? await deps.place([...chosen.values()]) : new Map<string, PlaceOutcome>();
    return { placed, refused };
  } catch (error) {
    for (const { instance_id, replica_id } of chosen.values()) deps.replicas.reserved(instance_id, replica_id, false);
    throw error;
  }
}

function placementOf(request: RouteRequest, option: RouteOption, replicaId: string, revision: number): Placement {
  return {
    action_id: request.actionId,
    capability_id: request.capabilityId,
    tenant_id: request.tenantId,
    instance_id: option.instanceId,
    replica_id: replicaId,
    version_id: option.versionId,
    manifest_digest: option.manifestDigest,
    catalog_revision: revision,
    binding_policy_revision: option.policyRevision,
    credential_revision_ref: option.credentialRevisionRef,
    quota_policy_ref: option.quotaPolicyRef,
    fence_token: newId('route'),
    admission: admissionOf(option, request.tenantId, request.capabilityId),
  };
}

/** Pinned work: the same replica or none; it may be draining, and holds a retry counter beside the others. Returns what there was no room for. */
async function reserveKnown(
  deps: AssignDeps,
  client: Queryable,
  requests: readonly RouteRequest[],
  outcomes: Map<string, AssignOutcome>,
): Promise<RouteRequest[]> {
  const { rows } = await client.query<KnownRow>({
    name: 'registry.route.known',
    text: READ_KNOWN,
    values: [requests.map(({ actionId }) => actionId), requests.map(({ tenantId }) => tenantId)],
  });
  const wanted = new Map(requests.map((request) => [request.actionId, request]));
  const again: KnownRow[] = [];
  for (const row of rows) {
    const assignment = assignmentOf(row);
    const ours = !(outcomeFor(wanted.get(row.action_id) as RouteRequest, assignment) instanceof Error);
    if (row.reserved || !ours) outcomes.set(row.action_id, assignment);
    else again.push(row);
  }
  if (again.length === 0) return [];
  const slots = again.map((row) => {
    const { base, retry } = parseJson(row.admission) as AssignmentAdmission;
    const { action_id, tenant_id, replica_id } = row;
    return { action_id, tenant_id, replica_id, scopes: retry ? [...base, retry] : base };
  });
  const taken = await takeSlots(client, deps.counters, slots, deps.clock(), ['ready', 'draining']);
  const reserved = slots.filter(({ action_id }) => taken.get(action_id) === 'taken');
  if (reserved.length > 0)
    await client.query({
      name: 'registry.route.again',
      text: RESERVE_AGAIN,
      values: [
        JSON.stringify(reserved.map(({ action_id, tenant_id, scopes }) => ({ action_id, tenant_id, held: scopes }))),
        deps.clock(),
      ],
    });
  for (const row of again) {
    const outcome = taken.get(row.action_id);
    if (outcome === 'taken') outcomes.set(row.action_id, assignmentOf(row));
    else if (typeof outcome === 'object') outcomes.set(row.action_id, full(outcome.full));
    else
      outcomes.set(row.action_id, new ReplicaUnavailable('the replica that the action is pinned to is not available'));
  }
  return again.flatMap(({ action_id }) =>
    taken.get(action_id) === 'taken' ? [] : [wanted.get(action_id) as RouteRequest],
  );
}

function full(scope: string): AipError {
  return new AipError('connector.admission_capacity', undefined, { details: { scope } });
}
