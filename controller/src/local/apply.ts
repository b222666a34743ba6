import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from '@aip/runtime/internal/postgres';
import type { Manifest } from '@aip/runtime/internal/protocol';
import { CapabilityConflict } from '@aip/runtime/internal/registry';
import { ANNOTATIONS } from '../api/group.js';
import { connectorInstanceId, connectorReplicaId } from '../api/names.js';
import type { Topology } from '../api/topology.js';
import type { Admission } from '../fleet/admission.js';
import type { FleetRegistry } from '../fleet/fleet-registry.js';
import { dropHostDatabase, ensureHostDatabase } from '../fleet/host-database.js';
import { launchOf } from '../fleet/launch.js';
import { applyRegistryStep, disableInstance, versionToAdmit } from '../fleet/registry-steps.js';
import type { Step } from '../reconcile/step.js';
import type { Gathered } from './gather.js';
import { withCapabilityPlace } from './module/capability-place.js';
import { type FleetCoordinates, prepareHost } from './process/host-environment.js';
import type { HostTroubles } from './process/host-trouble.js';
import { freePorts, isFree } from './process/ports.js';
import { childEnvironment } from './process/programs.js';
import type { HostRunner } from './process/runner.js';
import { redefineCapabilities, takenOver } from './redefine-capability.js';
import type { DataPaths } from './state/data-dir.js';
import { ensureKey, replicaKeyFile } from './state/keys.js';
import type { LocalState, ReplicaRecord } from './state/store.js';

/** What carrying out steps on this machine needs. */
export interface LocalContext {
  paths: DataPaths;
  state: LocalState;
  env: NodeJS.ProcessEnv;
  pool: Pool;
  databaseUrl: string;
  registry: FleetRegistry;
  runner: HostRunner;
  troubles: HostTroubles;
  /** A changed contract was taken over, because nothing else depends on it; `note` names the capability and its place. */
  onRedefined: (instance: string, note: string) => void;
  fleet: FleetCoordinates;
  clock: () => number;
}

/** The wanted manifests of the other instances by their registry ids, undefined where one is not known. */
export type Others = () => ReadonlyMap<string, Manifest | undefined>;

/** Carries out one step with child processes and the embedded database. Steps may be repeated. `describe` belongs to the loop. */
export async function applyStep(
  step: Step,
  gathered: Gathered,
  admission: Admission | undefined,
  local: LocalContext,
  others: Others,
): Promise<void> {
  const { record } = gathered;
  const { spec } = record.resource;
  const { registry, state } = local;
  const instanceId = connectorInstanceId(record.resource, record.uid);
  switch (step.do) {
    case 'admit-version':
      if (!admission) return;
      return admitVersion(step.versionId, gathered, admission, local, others);
    case 'put-instance':
    case 'put-binding':
    case 'put-canary':
    case 'put-scaling':
    case 'begin-idle':
    case 'end-wake':
      return applyRegistryStep(registry, step, record);
    case 'provision': {
      if (!admission) return;
      const replica = step.managed
        ? await managedReplica(step, gathered, admission, local)
        : externalReplica(step, gathered, admission, local);
      await registry.provision({
        replicaId: replica.replicaId,
        instanceId,
        versionId: admission.versionId,
        endpoint: replica.endpoint,
        peerPrincipal: admission.manifest.agent,
        peerDid: replica.did,
        trustDomain: local.fleet.trustDomain,
        topology: replica.launch?.topology ?? topologyOf(step.replica, local) ?? spec.topology,
        capacity: replica.capacity,
        configRevision: step.managed ? record.configRevision : undefined,
      });
      state.replicas[step.replica] = replica;
      return;
    }
    case 'start':
      return startHost(step.replica, gathered, local);
    case 'drain': {
      const replica = state.replicas[step.replica];
      if (replica) replica.retiring = true;
      local.runner.drain(step.replica, step.timeoutMs);
      return;
    }
    case 'stop':
      local.runner.drain(step.replica, step.timeoutMs);
      return;
    case 'remove':
      return removeReplica(step.replica, local);
    case 'forget-instance': {
      await disableInstance(registry, record, gathered.inputs.registry.instance);
      await registry.putScaling(instanceId, undefined);
      if (spec.deletionPolicy === 'Delete') await dropHostDatabase(local.pool, record.uid);
      delete state.instances[gathered.key];
      return;
    }
    case 'describe':
      return;
  }
}

async function admitVersion(
  versionId: string,
  { key, record }: Gathered,
  admission: Admission,
  { registry, pool, onRedefined }: LocalContext,
  others: Others,
): Promise<void> {
  const version = versionToAdmit(versionId, record.resource, admission);
  try {
    await registry.admitVersion(version);
  } catch (error) {
    if (!(error instanceof CapabilityConflict)) throw error;
    const redefined = await redefineCapabilities(pool, admission.manifest, others());
    if (!redefined) throw error;
    await registry.admitVersion(version);
    const module = record.resource.metadata.annotations?.[ANNOTATIONS.module];
    for (const id of redefined) onRedefined(key, await withCapabilityPlace(takenOver(id), module));
  }
}

type Provision = Extract<Step, { do: 'provision' }>;

async function managedReplica(
  step: Provision,
  { record, key }: Gathered,
  admission: Admission,
  local: LocalContext,
): Promise<ReplicaRecord> {
  const before = local.state.replicas[step.replica];
  if (before) return before;
  const { metadata, spec } = record.resource;
  const name = step.replica.slice(metadata.namespace.length + 1);
  const identity = await ensureKey(replicaKeyFile(local.paths.keys, metadata.namespace, name));
  const taken = new Set(Object.values(local.state.replicas).flatMap((replica) => (replica.port ? [replica.port] : [])));
  const [port] = await freePorts(1, taken);
  return {
    namespace: metadata.namespace,
    name,
    instance: key,
    replicaId: connectorReplicaId({ metadata: { namespace: metadata.namespace, name } }, randomUUID()),
    ordinal: step.ordinal,
    template: step.template,
    managed: true,
    versionId: admission.versionId,
    endpoint: `http://127.0.0.1:${port}/aip/v1/messages`,
    did: identity.did,
    capacity: spec.capacity,
    createdAt: local.clock(),
    retiring: false,
    port: port as number,
    launch: launchOf(record.resource, { uid: record.uid, configRevision: record.configRevision, admission }),
    module: metadata.annotations?.[ANNOTATIONS.module],
  };
}

function externalReplica(
  step: Provision,
  { key }: Gathered,
  admission: Admission,
  { state, clock }: LocalContext,
): ReplicaRecord {
  const before = state.replicas[step.replica];
  if (before) return before;
  const { uid, resource } = state.externals[step.replica] as LocalState['externals'][string];
  return {
    namespace: resource.metadata.namespace,
    name: resource.metadata.name,
    instance: key,
    replicaId: connectorReplicaId(resource, uid),
    ordinal: step.ordinal,
    template: step.template,
    managed: false,
    versionId: admission.versionId,
    endpoint: resource.spec.endpoint as string,
    did: resource.spec.peerDid as string,
    capacity: resource.spec.capacity,
    createdAt: clock(),
    retiring: false,
  };
}

function topologyOf(key: string, { state }: LocalContext): Topology | undefined {
  return state.externals[key]?.resource.spec.topology;
}

async function startHost(key: string, { record }: Gathered, local: LocalContext): Promise<void> {
  const replica = local.state.replicas[key];
  if (!replica?.launch || replica.port === undefined) return;
  if (local.runner.state(key) !== 'absent') return;
  const database = await ensureHostDatabase(
    local.pool,
    { url: local.databaseUrl },
    record.uid,
    record.databasePassword,
  );
  const own = await prepareHost(
    { ...replica, launch: replica.launch, port: replica.port },
    database.url,
    local.fleet,
    local.state.secrets,
    local.paths,
  );
  await local.runner.start(key, () => childEnvironment(local.env, 'AIP_CONNECTOR_HOST_', own, local.paths.cache));
}

async function removeReplica(key: string, local: LocalContext): Promise<void> {
  const replica = local.state.replicas[key];
  if (!replica) return;
  await local.registry.remove(replica.replicaId);
  delete local.state.replicas[key];
  const { namespace, name } = replica;
  await Promise.all([
    rm(replicaKeyFile(local.paths.keys, namespace, name), { force: true }),
    rm(join(local.paths.run, `${namespace}.${name}`), { recursive: true, force: true }),
    rm(join(local.paths.secrets, `${namespace}.${name}`), { recursive: true, force: true }),
  ]);
}

/** Replicas whose port was taken by another program since the last run, which therefore can't keep their endpoint. */
export async function replicasWithoutPort(state: LocalState): Promise<string[]> {
  const lost: string[] = [];
  for (const [key, replica] of Object.entries(state.replicas))
    if (replica.port !== undefined && !(await isFree(replica.port))) lost.push(key);
  return lost;
}
