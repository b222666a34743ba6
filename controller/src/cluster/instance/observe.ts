import { type ConnectorInstance, connectorInstanceProblems } from '../../api/connector-instance.js';
import type { ConnectorReplica } from '../../api/connector-replica.js';
import { KINDS } from '../../api/kinds.js';
import { keyOf } from '../../api/metadata.js';
import { connectorInstanceId, connectorReplicaId } from '../../api/names.js';
import type { AdmissionResult } from '../../fleet/admission.js';
import type { RegistryReplica } from '../../fleet/fleet-registry.js';
import type { ReplicaFailure } from '../../fleet/outcomes/last-failures.js';
import type { InstanceInputs } from '../../reconcile/inputs.js';
import { canaryOf } from '../../reconcile/rollout/canary.js';
import type { ClusterContext } from '../context.js';
import type { Pod } from '../objects/host-pod.js';
import { gather } from '../observed/gather.js';
import { awaitedSecrets } from '../observed/host-trouble.js';
import { claimRefusal, type Refusal } from '../observed/refusal.js';
import { openShared } from '../provision/shared-objects.js';
import type { Target } from '../steps/target.js';
import { annotationsPatch, type InstanceAnnotations, instanceAnnotations } from './annotations.js';
import { isFleets } from './orphans.js';
import type { ReconcileContext } from './reconcile-context.js';
import { effectiveInstance } from './rollback.js';

/** An instance as a reconcile found it: what decisions rest on, and what steps work with. */
export interface ObservedInstance {
  inputs: InstanceInputs;
  target: Target & { replicas: Map<string, ConnectorReplica> };
  marks: InstanceAnnotations;
  admission: AdmissionResult | undefined;
  /** Records of its replicas, read before the replicas themselves. */
  records: readonly RegistryReplica[];
  /** The newest failure of replicas that fail at present, by the id of their record. */
  hostFailures: ReadonlyMap<string, ReplicaFailure>;
  /** Why the connector could not be asked about itself, where that failed; nothing is done then, but said. */
  unasked?: unknown;
}

/** Marks an instance and reads everything of it. Throws StorageUnavailable, and what marking it is refused with. */
export async function observeInstance(
  given: ConnectorInstance,
  { view, cluster, rules, clock }: ReconcileContext,
): Promise<ObservedInstance> {
  const { registry } = cluster;
  const { instance: found, rolledBack } = effectiveInstance(given, cluster.runtimeImage);
  const instanceId = connectorInstanceId(found, found.metadata.uid as string);
  const [observed, records] = await Promise.all([
    registry.observe(instanceId, undefined),
    registry.replicas(instanceId),
  ]);
  const marks = instanceAnnotations(found, observed.instance?.configRevision);
  const instance = await marked(found, marks, cluster);
  const key = keyOf(instance);
  const pods = view.podsOf(key);
  const replicas = new Map(
    view
      .replicasOf(key)
      .filter((replica) => instance.spec.hosting === 'External' || isFleets(replica))
      .map((replica) => [replica.metadata.name, replica]),
  );
  const refusal = refusalOf(instance, view.namespace(instance.metadata.namespace)?.metadata.annotations, rules);
  let admission: AdmissionResult | undefined;
  let unasked: unknown;
  if (!refusal && !instance.metadata.deletionTimestamp) {
    admission = await cluster.descriptions.find(instance, pods).catch((error: unknown) => {
      unasked = error;
      return undefined;
    });
  }
  const admitted = admission?.ok ? admission.admission : undefined;
  const { configRevision } = marks;
  const now = clock();
  const gathered = gather({
    now,
    missingSecrets: await missingSecrets(instance, pods, cluster, now),
    instance,
    configRevision,
    replicas: [...replicas.values()],
    pods,
    admission,
    refusal,
    registry: admitted ? await registry.observe(instanceId, admitted.versionId) : observed,
    registryReplicas: new Map(records.map((record) => [record.replicaId, record])),
    rolledBack,
    tenancy: rules.tenancy,
    runtimeImage: cluster.runtimeImage,
  });
  const inputs = { ...gathered, canaryOutcome: await outcomeOfCanary(gathered, replicas, cluster) };
  const target = {
    instance,
    configRevision,
    admission: admitted,
    replicas,
    pods,
    registered: observed.instance,
    shared: openShared({ instance, configRevision, admission: admitted }, cluster),
    identified: new Set<string>(),
    wrote: (replica: ConnectorReplica) => {
      replicas.set(replica.metadata.name, replica);
      view.wrote(replica);
    },
  };
  return { inputs, target, marks, admission, records, hostFailures: await hostFailuresOf(records, cluster), unasked };
}

/** What failing replicas failed with last; asked only while one fails. */
async function hostFailuresOf(
  records: readonly RegistryReplica[],
  { registry }: Pick<ClusterContext, 'registry'>,
): Promise<ReadonlyMap<string, ReplicaFailure>> {
  const failing = records.filter(({ consecutiveFailures }) => consecutiveFailures > 0);
  return failing.length === 0 ? new Map() : registry.failures(failing.map(({ replicaId }) => replicaId));
}

/** How the actions of a template that is tried ended; asked only meanwhile. */
async function outcomeOfCanary(
  inputs: InstanceInputs,
  replicas: ReadonlyMap<string, ConnectorReplica>,
  { registry }: Pick<ClusterContext, 'registry'>,
): Promise<InstanceInputs['canaryOutcome']> {
  if (canaryOf(inputs) === undefined) return undefined;
  const tried = inputs.replicas.filter(({ template }) => template === inputs.desired.template);
  const since = tried.flatMap(({ readySince }) => readySince ?? []);
  const ids = tried.flatMap(({ name }) => {
    const replica = replicas.get(name);
    return replica ? [connectorReplicaId(replica, replica.metadata.uid as string)] : [];
  });
  return since.length === 0 ? undefined : registry.canaryOutcome(ids, Math.min(...since));
}

/** The user's Secrets that Pods wait for and that are not there; asked about only while a Pod waits, and nothing of a Secret but its metadata is read. */
async function missingSecrets(
  { metadata: { namespace } }: ConnectorInstance,
  pods: ReadonlyMap<string, Pod>,
  { kube }: Pick<ClusterContext, 'kube'>,
  now: number,
): Promise<Set<string>> {
  const awaited = new Set([...pods.values()].flatMap((pod) => awaitedSecrets(pod, now)));
  const missing = new Set<string>();
  for (const name of awaited) if (!(await kube.exists(KINDS.secret, { namespace, name }))) missing.add(name);
  return missing;
}

/** The instance with finalizer and configuration revision. Throws KubeConflict when it changed meanwhile: it comes again then. */
async function marked(
  instance: ConnectorInstance,
  marks: InstanceAnnotations,
  { kube, releaseId }: ClusterContext,
): Promise<ConnectorInstance> {
  if (instance.metadata.deletionTimestamp) return instance;
  const patch = annotationsPatch(instance, marks, releaseId);
  if (!patch) return instance;
  const written = await kube.merge<ConnectorInstance>(KINDS.connectorInstance, instance.metadata, patch);
  return { ...instance, metadata: { ...instance.metadata, ...written.metadata } };
}

function refusalOf(
  instance: ConnectorInstance,
  annotations: Parameters<typeof claimRefusal>[1],
  rules: ReconcileContext['rules'],
): Refusal | undefined {
  // Whether images need a digest is a claim, with a reason of its own.
  const problems = connectorInstanceProblems(instance, { allowImageTags: true });
  if (problems.length > 0)
    return {
      reason: 'InvalidSpec',
      message: problems.map(({ path, message }) => `${path} ${message}`).join('; '),
    };
  return claimRefusal(instance, annotations, rules);
}
