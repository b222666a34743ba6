import type { ConnectorInstance } from '../../api/connector-instance.js';
import type { ConnectorReplica } from '../../api/connector-replica.js';
import { ANNOTATIONS } from '../../api/group.js';
import { connectorReplicaId, partsOfReplicaName } from '../../api/names.js';
import { revisionsOf } from '../../api/revisions.js';
import type { AdmissionResult } from '../../fleet/admission.js';
import { descriptionOf } from '../../fleet/admission.js';
import type { RegistryReplica } from '../../fleet/fleet-registry.js';
import { leaseUntil, recordState } from '../../fleet/record-state.js';
import type { InstanceInputs, ObservedRegistry, ObservedReplica } from '../../reconcile/inputs.js';
import { hasEnded, type Pod } from '../objects/host-pod.js';
import { currentTemplate } from '../objects/template.js';
import { awaitedSecrets, hostTrouble } from './host-trouble.js';
import { capabilityRefusal, type Refusal } from './refusal.js';

/** Beyond its drain time the removal of an instance may take this long before it is forced, in ms. */
const REMOVAL_GRACE_MS = 60_000;

/** Everything of one instance, as the API server and the registry hold it. */
export interface Observed {
  now: number;
  instance: ConnectorInstance;
  configRevision: number;
  replicas: readonly ConnectorReplica[];
  pods: ReadonlyMap<string, Pod>;
  admission: AdmissionResult | undefined;
  refusal: Refusal | undefined;
  registry: ObservedRegistry;
  registryReplicas: ReadonlyMap<string, RegistryReplica>;
  /** Secrets of the user that Pods wait for and that are not there. */
  missingSecrets?: ReadonlySet<string> | undefined;
  /** Why an earlier revision runs instead of the spec. */
  rolledBack?: string | undefined;
  tenancy: 'annotated' | 'open';
  /** Image of hosts whose instance names none. */
  runtimeImage: string;
}

/** What one reconcile observes (docs/kubernetes/reference.md). Pure. */
export function gather(observed: Observed): InstanceInputs {
  const { instance, now, admission, configRevision } = observed;
  const { metadata, spec } = instance;
  const description = descriptionOf(admission);
  const drainTimeoutMs = spec.rollout.drainTimeoutSeconds * 1000;
  const removedAt = metadata.deletionTimestamp ? Date.parse(metadata.deletionTimestamp) : undefined;
  const deadline = removedAt === undefined ? undefined : removedAt + drainTimeoutMs + REMOVAL_GRACE_MS;
  const versionId = description?.ok ? description.versionId : undefined;
  const recordOf = (replica: ConnectorReplica): RegistryReplica | undefined =>
    observed.registryReplicas.get(connectorReplicaId(replica, replica.metadata.uid as string));
  const managed = spec.hosting === 'Managed';
  return {
    now,
    desired: {
      name: metadata.name,
      hosting: spec.hosting,
      deleted: removedAt !== undefined,
      forced:
        removedAt !== undefined &&
        (metadata.annotations?.[ANNOTATIONS.forceDelete] === 'true' || now > (deadline as number)),
      suspend: spec.suspend && removedAt === undefined,
      enabled: spec.enabled,
      replicas: spec.replicas,
      template: currentTemplate(instance, observed.runtimeImage),
      configRevision,
      bindings: spec.bindings,
      maxSurge: spec.rollout.maxSurge,
      maxUnavailable: spec.rollout.maxUnavailable,
      drainTimeoutMs,
      progressDeadlineMs: spec.rollout.progressDeadlineSeconds * 1000,
      paused: spec.rollout.paused,
      rolledBack: observed.rolledBack,
      scaleToZero: spec.scaleToZero && {
        idleAfterMs: spec.scaleToZero.idleAfterSeconds * 1000,
        wakeTimeoutMs: spec.scaleToZero.wakeTimeoutSeconds * 1000,
      },
      canary: desiredCanary(observed),
      external: managed
        ? []
        : observed.replicas
            .filter((replica) => isWantedHost(replica, recordOf(replica), versionId))
            .map(({ metadata: { name } }) => name),
    },
    refusal:
      observed.refusal ??
      (description?.ok ? capabilityRefusal(instance, description.capabilityIds, observed.tenancy) : undefined),
    description,
    registry: observed.registry,
    replicas: observed.replicas.map((replica) =>
      replicaAsSeen(replica, managed, recordOf(replica), observed.pods.get(replica.metadata.name), observed),
    ),
  };
}

/** How the wanted template is tried; undefined where it is not requested, or it ran or was tried with success before. */
function desiredCanary({ instance, rolledBack, runtimeImage }: Observed): InstanceInputs['desired']['canary'] {
  const { canary } = instance.spec.rollout;
  if (!canary || rolledBack !== undefined) return undefined;
  const template = currentTemplate(instance, runtimeImage);
  if (instance.metadata.annotations?.[ANNOTATIONS.canaryPassed] === template) return undefined;
  if (revisionsOf(instance).some((each) => each.template === template)) return undefined;
  const { percent, durationSeconds, minActions, maxFailurePercent } = canary;
  return { percent, durationMs: durationSeconds * 1000, minActions, maxFailurePercent };
}

/** Endpoint, DID and version of a registered replica never change: one that has others is registered again once the old record is gone. */
function isWantedHost(
  replica: ConnectorReplica,
  record: RegistryReplica | undefined,
  versionId: string | undefined,
): boolean {
  const { endpoint, peerDid, desiredState } = replica.spec;
  if (replica.metadata.deletionTimestamp || desiredState !== 'Ready' || !endpoint || !peerDid) return false;
  if (!record) return true;
  return (
    record.endpoint === endpoint &&
    record.did === peerDid &&
    (versionId === undefined || record.versionId === versionId)
  );
}

function replicaAsSeen(
  replica: ConnectorReplica,
  managed: boolean,
  record: RegistryReplica | undefined,
  pod: Pod | undefined,
  { now, missingSecrets }: Pick<Observed, 'now' | 'missingSecrets'>,
): ObservedReplica {
  const { metadata, spec } = replica;
  const { annotations = {} } = metadata;
  // The name cannot be changed, as labels and annotations can.
  const parts = managed ? partsOfReplicaName(spec.instanceRef.name, metadata.name) : undefined;
  const missing = pod ? awaitedSecrets(pod, now).filter((name) => missingSecrets?.has(name)) : [];
  const retiring = metadata.deletionTimestamp !== undefined || annotations[ANNOTATIONS.retiring] !== undefined;
  return {
    name: metadata.name,
    ordinal: parts?.ordinal ?? 0,
    template: parts?.template ?? '',
    managed,
    record: recordState(record, now),
    versionId: record?.versionId,
    unreachable: (record?.circuitOpenUntil ?? 0) > now,
    runner: managed ? runnerState(pod) : 'absent',
    trouble: managed ? hostTrouble(pod, now, missing) : undefined,
    inFlight: record?.pinned ?? 0,
    endsAt: pod && managed && runnerState(pod) === 'stopping' ? endOf(pod) : undefined,
    retiring,
    neverReady: (record?.leaseExpiresAt ?? 0) === 0,
    leaseUntil: leaseUntil(record, now),
    cordoned: !retiring && spec.desiredState === 'Drained',
    readySince: readySince(replica),
    createdAt: metadata.creationTimestamp ? Date.parse(metadata.creationTimestamp) : now,
  };
}

function readySince({ status }: ConnectorReplica): number | undefined {
  const found = status?.conditions?.find(({ type, status: is }) => type === 'Ready' && is === 'True');
  return found?.lastTransitionTime === undefined ? undefined : Date.parse(found.lastTransitionTime);
}

/** Kubernetes writes the end of the grace period as the time of deletion. */
function endOf({ metadata: { deletionTimestamp } }: Pod): number | undefined {
  return deletionTimestamp === undefined ? undefined : Date.parse(deletionTimestamp);
}

/** A Pod that has ended permanently, evicted for example, runs nothing: another one takes its place. */
export function runnerState(pod: Pod | undefined): ObservedReplica['runner'] {
  if (!pod || hasEnded(pod)) return 'absent';
  return pod.metadata.deletionTimestamp === undefined ? 'running' : 'stopping';
}
