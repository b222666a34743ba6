import type { Pool, Queryable } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import {
  ActionIdConflict,
  AdmissionCapacity,
  type AipError,
  BindingUnavailable,
  ReplicaUnavailable,
} from '../../protocol/errors.js';
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
import type { BindingsCache } from './bindings-cache.js';
import { type Choice, chooseReplica } from './choose.js';
import type { ReplicaView } from './replica-view.js';
import { takeSlots } from './reserve.js';

/** The outcome of one request: a route, or why there is none. */
export type AssignOutcome = RouteAssignment | AipError;

export interface AssignDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly bindings: BindingsCache;
  readonly replicas: ReplicaView;
}

/** How often a batch looks for another replica after the one it chose was taken. */
const ROUNDS = 4;

// Routes that are known already, with what a repeated reservation needs. The row stays locked: one caller at a time works on an action.
const READ_KNOWN = `
SELECT ${ASSIGNMENT_COLUMNS}, reserved, admission::text AS admission FROM registry.assignments
WHERE action_id = ANY($1) ORDER BY action_id FOR UPDATE`;

// Stores new routes while the catalog still is what they were chosen from; what identifies the destination comes from the replica's own row.
const STORE = `
INSERT INTO registry.assignments (${ASSIGNMENT_COLUMNS}, admission, reserved, held, updated_at)
SELECT i.action_id, i.capability_id, i.tenant_id, i.instance_id, r.id, i.version_id, i.manifest_digest, r.endpoint, r.peer_principal_id,
  r.peer_principal_kind, r.peer_did, r.trust_domain, r.transport_profile, i.catalog_revision, i.binding_policy_revision,
  i.credential_revision_ref, i.quota_policy_ref, r.health_revision, i.fence_token, $2, i.admission, true, i.admission -> 'base', $2
FROM json_to_recordset($1::json) AS i(action_id text, capability_id text, tenant_id text, instance_id text, replica_id text,
  version_id text, manifest_digest text, catalog_revision bigint, binding_policy_revision bigint, credential_revision_ref text,
  quota_policy_ref text, fence_token text, admission json)
JOIN registry.replicas r ON r.id = i.replica_id
WHERE i.catalog_revision = (SELECT revision FROM registry.catalog FOR SHARE)
RETURNING ${ASSIGNMENT_COLUMNS}`;

// Marks settled routes as reserved again, with the counters that a retry holds.
const RESERVE_AGAIN = `
UPDATE registry.assignments a SET reserved = true, settlement = NULL, held = i.held, updated_at = $2
FROM json_to_recordset($1::json) AS i(action_id text, held json) WHERE a.action_id = i.action_id`;

type KnownRow = AssignmentRow & { reserved: boolean; admission: string };

/** The catalog moved while routes were chosen from it; nothing of the batch may be kept. */
class CatalogMoved extends Error {}

/**
 * Assigns routes for a batch, each outcome in its place: a known action gets its stored destination and never another one, a new one the best
 * replica (spec 05 §3). With `client` it works in the caller's transaction, which must then be repeated when CatalogMoved is thrown.
 */
export async function assignRoutes(
  deps: AssignDeps,
  requests: readonly RouteRequest[],
  client?: Queryable,
): Promise<AssignOutcome[]> {
  const once = (db: Queryable): Promise<AssignOutcome[]> => assignIn(deps, db, requests);
  if (client) return once(client);
  for (let round = 0; ; round += 1) {
    try {
      return await deps.pool.tx(once);
    } catch (error) {
      if (!(error instanceof CatalogMoved) || round + 1 >= ROUNDS) throw error;
      deps.bindings.clear();
    }
  }
}

async function assignIn(deps: AssignDeps, db: Queryable, requests: readonly RouteRequest[]): Promise<AssignOutcome[]> {
  const outcomes = new Map<string, AssignOutcome>();
  const known = await readKnown(db, requests);
  await reserveKnown(deps, db, requests, known, outcomes);
  let open = unique(requests).filter(({ actionId }) => !known.has(actionId));
  for (let round = 0; round < ROUNDS && open.length > 0; round += 1) open = await placeNew(deps, db, open, outcomes);
  for (const { actionId } of open) outcomes.set(actionId, new ReplicaUnavailable());
  return requests.map(({ actionId }) => outcomes.get(actionId) as AssignOutcome);
}

function unique(requests: readonly RouteRequest[]): RouteRequest[] {
  return [...new Map(requests.map((request) => [request.actionId, request])).values()];
}

async function readKnown(db: Queryable, requests: readonly RouteRequest[]): Promise<Map<string, KnownRow>> {
  const { rows } = await db.query<KnownRow>({
    name: 'registry.route.known',
    text: READ_KNOWN,
    values: [requests.map(({ actionId }) => actionId)],
  });
  return new Map(rows.map((row) => [row.action_id, row]));
}

/** Pinned work: the same replica or none; it may be draining, and holds a retry counter beside the others. */
async function reserveKnown(
  deps: AssignDeps,
  db: Queryable,
  requests: readonly RouteRequest[],
  known: ReadonlyMap<string, KnownRow>,
  outcomes: Map<string, AssignOutcome>,
): Promise<void> {
  const again: KnownRow[] = [];
  for (const request of requests) {
    const row = known.get(request.actionId);
    if (!row) continue;
    if (row.capability_id !== request.capabilityId || row.tenant_id !== request.tenantId)
      outcomes.set(request.actionId, new ActionIdConflict('the action is assigned to another capability or tenant'));
    else if (row.reserved) outcomes.set(request.actionId, assignmentOf(row));
    else again.push(row);
  }
  if (again.length === 0) return;
  const slots = again.map((row) => {
    const { base, retry } = parseJson(row.admission) as AssignmentAdmission;
    return { action_id: row.action_id, replica_id: row.replica_id, scopes: retry ? [...base, retry] : base };
  });
  const taken = await takeSlots(db, slots, deps.clock(), ['ready', 'draining']);
  const reserved = slots.filter(({ action_id }) => taken.get(action_id) === 'taken');
  if (reserved.length > 0)
    await db.query({
      name: 'registry.route.again',
      text: RESERVE_AGAIN,
      values: [JSON.stringify(reserved.map(({ action_id, scopes }) => ({ action_id, held: scopes }))), deps.clock()],
    });
  for (const row of again) {
    const outcome = taken.get(row.action_id);
    if (outcome === 'taken') outcomes.set(row.action_id, assignmentOf(row));
    else if (typeof outcome === 'object') outcomes.set(row.action_id, full(outcome.full));
    else
      outcomes.set(row.action_id, new ReplicaUnavailable('the replica that the action is pinned to is not available'));
  }
}

/** Chooses and reserves for new actions; returns those whose replica was gone, to be chosen for again. */
async function placeNew(
  deps: AssignDeps,
  db: Queryable,
  requests: readonly RouteRequest[],
  outcomes: Map<string, AssignOutcome>,
): Promise<RouteRequest[]> {
  const chosen = new Map<RouteRequest, Choice & { revision: number; admission: AssignmentAdmission }>();
  const touched = new Set<string>();
  for (const request of requests) {
    const { revision, options } = await deps.bindings.get(request.tenantId, request.capabilityId);
    const instanceIds = options.map(({ instanceId }) => instanceId);
    for (const id of instanceIds) touched.add(id);
    const choice = chooseReplica(request.actionId, options, await deps.replicas.of(instanceIds), request.topology);
    if (options.length === 0)
      outcomes.set(
        request.actionId,
        new BindingUnavailable(undefined, { details: { capability_id: request.capabilityId } }),
      );
    else if (!choice) outcomes.set(request.actionId, new ReplicaUnavailable());
    else if (choice.option.policy?.enabled === false)
      outcomes.set(request.actionId, new BindingUnavailable('the quota policy of the binding is disabled'));
    else {
      deps.replicas.count(choice.option.instanceId, choice.replica.id, 1);
      const admission = admissionOf(choice.option, request.tenantId, request.capabilityId);
      chosen.set(request, { ...choice, revision, admission });
    }
  }
  if (chosen.size === 0) return [];
  const now = deps.clock();
  const slots = [...chosen].map(([{ actionId }, { replica, admission }]) => ({
    action_id: actionId,
    replica_id: replica.id,
    scopes: admission.base,
  }));
  const taken = await takeSlots(db, slots, now, ['ready']);
  const rows = [...chosen]
    .filter(([{ actionId }]) => taken.get(actionId) === 'taken')
    .map(([request, { option, replica, revision, admission }]) => ({
      action_id: request.actionId,
      capability_id: request.capabilityId,
      tenant_id: request.tenantId,
      instance_id: option.instanceId,
      replica_id: replica.id,
      version_id: option.versionId,
      manifest_digest: option.manifestDigest,
      catalog_revision: revision,
      binding_policy_revision: option.policyRevision,
      credential_revision_ref: option.credentialRevisionRef,
      quota_policy_ref: option.quotaPolicyRef,
      fence_token: newId('route'),
      admission,
    }));
  if (rows.length > 0) {
    const stored = await db.query<AssignmentRow>({
      name: 'registry.route.store',
      text: STORE,
      values: [JSON.stringify(rows), now],
    });
    if (stored.rowCount !== rows.length) {
      deps.replicas.stale([...touched]);
      throw new CatalogMoved('the catalog changed while routes were chosen');
    }
    for (const row of stored.rows) outcomes.set(row.action_id, assignmentOf(row));
  }
  const left: RouteRequest[] = [];
  for (const [request, { option, replica }] of chosen) {
    const outcome = taken.get(request.actionId);
    if (outcome === 'taken') continue;
    deps.replicas.count(option.instanceId, replica.id, -1);
    if (typeof outcome === 'object') outcomes.set(request.actionId, full(outcome.full));
    else left.push(request);
  }
  if (left.length > 0) deps.replicas.stale([...touched]);
  return left;
}

function full(scope: string): AdmissionCapacity {
  return new AdmissionCapacity(undefined, { details: { scope } });
}
