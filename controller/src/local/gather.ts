import type { ConnectorReplica } from '../api/connector-replica.js';
import { keyOf } from '../api/metadata.js';
import { connectorInstanceId, templateHash } from '../api/names.js';
import { type AdmissionResult, descriptionOf } from '../fleet/admission.js';
import type { FleetRegistry, RegistryReplica } from '../fleet/fleet-registry.js';
import { leaseUntil, recordState } from '../fleet/record-state.js';
import type { InstanceInputs, ObservedReplica } from '../reconcile/inputs.js';
import type { HostRunner } from './process/runner.js';
import type { InstanceRecord, LocalState, ReplicaRecord } from './state/store.js';

/** What one instance looks like now, for the desired-state core. */
export interface Gathered {
  key: string;
  record: InstanceRecord;
  inputs: InstanceInputs;
}

/** Gathers one instance: its document, its registry records, its replicas and their processes. */
export async function gather(
  key: string,
  context: {
    now: number;
    state: LocalState;
    admission: AdmissionResult | undefined;
    registry: FleetRegistry;
    registryReplicas: ReadonlyMap<string, RegistryReplica>;
    runner: Pick<HostRunner, 'state' | 'endsAt'>;
    /** Why a host does not become ready. */
    trouble: (key: string) => string | undefined;
  },
): Promise<Gathered> {
  const { now, state, registry, registryReplicas, runner, trouble } = context;
  const record = state.instances[key] as InstanceRecord;
  const { spec } = record.resource;
  const description = descriptionOf(context.admission);
  const versionId = description?.ok ? description.versionId : undefined;
  const instanceId = connectorInstanceId(record.resource, record.uid);
  const replicas = Object.values(state.replicas)
    .filter((replica) => replica.instance === key)
    .map((replica) => observed(replica, registryReplicas.get(replica.replicaId), { runner, trouble }, now));
  const external = Object.values(state.externals)
    .filter(({ resource }) => `${resource.metadata.namespace}/${resource.spec.instanceRef.name}` === key)
    .filter(({ resource }) => resource.spec.desiredState === 'Ready')
    .filter(({ resource }) => isStillThatHost(resource, versionId, state.replicas[keyOf(resource)]))
    .map(({ resource }) => keyOf(resource));
  return {
    key,
    record,
    inputs: {
      now,
      desired: {
        name: record.resource.metadata.name,
        hosting: spec.hosting,
        deleted: record.deleted,
        suspend: spec.suspend,
        enabled: spec.enabled,
        replicas: spec.replicas,
        template: templateHash(record.resource),
        configRevision: record.configRevision,
        bindings: spec.bindings,
        maxSurge: spec.rollout.maxSurge,
        maxUnavailable: spec.rollout.maxUnavailable,
        drainTimeoutMs: spec.rollout.drainTimeoutSeconds * 1000,
        progressDeadlineMs: spec.rollout.progressDeadlineSeconds * 1000,
        paused: spec.rollout.paused,
        scaleToZero: spec.scaleToZero && {
          idleAfterMs: spec.scaleToZero.idleAfterSeconds * 1000,
          wakeTimeoutMs: spec.scaleToZero.wakeTimeoutSeconds * 1000,
        },
        external,
      },
      description,
      registry: await registry.observe(instanceId, versionId),
      replicas,
    },
  };
}

/** Endpoint, DID and version of a registered replica never change: what has others takes its place once the old one is gone. */
function isStillThatHost(
  wanted: ConnectorReplica,
  versionId: string | undefined,
  known: ReplicaRecord | undefined,
): boolean {
  if (!known) return true;
  const { endpoint, peerDid } = wanted.spec;
  return (
    known.endpoint === endpoint && known.did === peerDid && (versionId === undefined || known.versionId === versionId)
  );
}

function observed(
  replica: ReplicaRecord,
  record: RegistryReplica | undefined,
  { runner, trouble }: { runner: Pick<HostRunner, 'state' | 'endsAt'>; trouble: (key: string) => string | undefined },
  now: number,
): ObservedReplica {
  const key = `${replica.namespace}/${replica.name}`;
  return {
    name: key,
    ordinal: replica.ordinal,
    template: replica.template,
    managed: replica.managed,
    record: recordState(record, now),
    versionId: record?.versionId,
    runner: replica.managed ? runner.state(key) : 'absent',
    trouble: replica.managed ? trouble(key) : undefined,
    inFlight: record?.pinned ?? 0,
    endsAt: runner.endsAt(key),
    retiring: replica.retiring,
    cordoned: replica.cordoned === true && !replica.retiring,
    neverReady: (record?.leaseExpiresAt ?? 0) === 0,
    leaseUntil: leaseUntil(record, now),
    createdAt: replica.createdAt,
  };
}
