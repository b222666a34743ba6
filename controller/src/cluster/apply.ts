import type { ConnectorInstance } from '../api/connector-instance.js';
import type { ConnectorReplica } from '../api/connector-replica.js';
import { ANNOTATIONS, LABELS } from '../api/group.js';
import { connectorInstanceId, connectorReplicaId, secretProviderRef } from '../api/names.js';
import type { Admission } from '../fleet/admission.js';
import type { FleetRegistry } from '../fleet/fleet-registry.js';
import type { CentralAddresses } from '../fleet/host-variables.js';
import { launchOf } from '../fleet/launch.js';
import { removeFinalizer } from '../kube/finalizer.js';
import { KINDS } from '../kube/kinds.js';
import type { Kube } from '../kube/kube.js';
import type { Step } from '../reconcile/step.js';
import type { Databases } from './databases.js';
import type { Descriptions } from './descriptions.js';
import type { Ensure } from './ensure.js';
import { currentTemplate, hasEnded } from './gather.js';
import { IdentityLost, type KnownIdentity } from './identities.js';
import { hostPod, type Pod } from './objects/host-pod.js';
import { disruptionBudget, headlessService, hostNetworkPolicy } from './objects/instance-objects.js';
import { FINALIZER, templateConfigMapName } from './objects/names.js';
import { managedReplica } from './objects/replica.js';
import { type ConfigMap, templateConfigMap, templateOf } from './objects/template.js';

/** Beyond its drain time a host has this long to go offline and end, in s. */
const GRACE_SECONDS = 30;

/** What carrying out steps in a cluster needs. */
export interface ClusterMachine {
  kube: Kube;
  ensure: Ensure;
  registry: FleetRegistry;
  databases: Databases;
  descriptions: Descriptions;
  /** Makes or renews the identity Secret of a replica. */
  identify(replica: ConnectorReplica): Promise<KnownIdentity>;
  /** Id of the authority that signs now. */
  issuer(): Promise<string | undefined>;
  /** Puts the fleet's public trust into a namespace. */
  trustIn(namespace: string): Promise<void>;
  fleet: CentralAddresses;
  runtimeImage: string;
  clusterDomain: string;
  releaseNamespace: string;
  networkPolicy: boolean;
}

/** One instance as a round found it. */
export interface Subject {
  instance: ConnectorInstance;
  configRevision: number;
  admission: Admission | undefined;
  replicas: ReadonlyMap<string, ConnectorReplica>;
  pods: ReadonlyMap<string, Pod>;
  /** Registry record of the instance, if there is one. */
  registered: { versionId: string; configRevision: number; enabled: boolean } | undefined;
  /** Replicas whose identity was looked at in this round. */
  identified: Set<string>;
  /** Told of every ConnectorReplica that a step wrote. */
  wrote(replica: ConnectorReplica): void;
}

/** Carries out one step in a cluster. Steps may be repeated. */
export async function applyStep(step: Step, subject: Subject, machine: ClusterMachine): Promise<void> {
  const { instance, admission } = subject;
  const { spec } = instance;
  const { registry } = machine;
  const instanceId = connectorInstanceId(instance, instance.metadata.uid as string);
  const instanceRecord = (change: { versionId: string; configRevision: number; enabled: boolean }) => ({
    instanceId,
    connectorType: spec.connector.type,
    tenantId: spec.tenantId,
    secretProviderRef: secretProviderRef(instance),
    ...change,
  });
  switch (step.do) {
    case 'describe':
      return machine.descriptions.ask(instance);
    case 'admit-version':
      if (!admission) return;
      return registry.admitVersion({
        versionId: step.versionId,
        connectorType: spec.connector.type,
        versionLabel: spec.connector.version,
        manifest: admission.manifest,
        manifestDigest: admission.manifestDigest,
        artifactDigest: admission.artifactDigest,
        implementationSupport: admission.implementationSupport,
      });
    case 'put-instance': {
      const { versionId, configRevision, enabled } = step;
      return registry.putInstance(instanceRecord({ versionId, configRevision, enabled }));
    }
    case 'put-binding':
      return registry.putBinding(spec.tenantId, instanceId, step);
    case 'provision':
      if (admission) await provision(step, { ...subject, admission }, machine, instanceId);
      return;
    case 'start':
      return start(step.replica, subject, machine);
    case 'drain': {
      const replica = subject.replicas.get(step.replica);
      if (!replica) return;
      await retire(replica, step.reason, { machine, wrote: subject.wrote });
      return stop(step.replica, step.timeoutMs, subject, machine);
    }
    case 'stop':
      return stop(step.replica, step.timeoutMs, subject, machine);
    case 'remove':
      return remove(step.replica, subject, machine);
    case 'forget-instance': {
      const { registered } = subject;
      if (registered?.enabled)
        await registry.putInstance(
          instanceRecord({
            versionId: registered.versionId,
            configRevision: registered.configRevision + 1,
            enabled: false,
          }),
        );
      if (spec.deletionPolicy === 'Delete' && spec.hosting === 'Managed') await machine.databases.drop(instance);
      await removeFinalizer(machine.kube, KINDS.connectorInstance, instance, FINALIZER);
      return;
    }
  }
}

type Provision = Extract<Step, { do: 'provision' }>;

async function provision(
  step: Provision,
  subject: Subject & { admission: Admission },
  machine: ClusterMachine,
  instanceId: string,
): Promise<void> {
  const { admission } = subject;
  const replica = step.managed ? await ownReplica(step, subject, machine) : await usersReplica(step, subject, machine);
  if (!replica) return;
  const { endpoint, peerDid, topology, capacity } = replica.spec;
  await machine.registry.provision({
    replicaId: connectorReplicaId(replica, replica.metadata.uid as string),
    instanceId,
    versionId: step.managed ? (replica.spec.versionId as string) : admission.versionId,
    endpoint: endpoint as string,
    peerPrincipal: admission.manifest.agent,
    peerDid: peerDid as string,
    trustDomain: machine.fleet.trustDomain,
    topology,
    capacity,
    configRevision: step.managed ? subject.configRevision : undefined,
  });
}

/** Object, key and template of a replica that the fleet runs. */
async function ownReplica(
  { replica: name, ordinal, template }: Provision,
  { instance, configRevision, admission, replicas, identified: looked, wrote }: Subject & { admission: Admission },
  machine: ClusterMachine,
): Promise<ConnectorReplica> {
  const { ensure, clusterDomain } = machine;
  if (template === currentTemplate(instance, configRevision, machine.runtimeImage)) {
    const launch = launchOf(instance, { uid: instance.metadata.uid as string, configRevision, admission });
    const image = instance.spec.connector.image ?? machine.runtimeImage;
    const configMap = templateConfigMap(instance, template, { launch, image, pod: instance.spec.pod });
    await ensure.created(KINDS.configMap, instance, configMap);
  }
  const wanted = managedReplica(instance, { name, ordinal, template, admission, clusterDomain });
  const made = replicas.get(name) ?? (await ensure.created(KINDS.connectorReplica, instance, wanted));
  looked.add(name);
  return identified(made, { machine, wrote });
}

/** What a change of a replica needs. */
interface Writing {
  machine: ClusterMachine;
  wrote(replica: ConnectorReplica): void;
}

/** Notes on a replica that it has to go, unless that is noted. */
async function retire(replica: ConnectorReplica, reason: string, { machine, wrote }: Writing): Promise<void> {
  if (replica.metadata.annotations?.[ANNOTATIONS.retiring]) return;
  wrote(
    await machine.kube.merge<ConnectorReplica>(KINDS.connectorReplica, replica.metadata, {
      metadata: { annotations: { [ANNOTATIONS.retiring]: reason } },
      spec: { desiredState: 'Drained' },
    }),
  );
}

/** Makes or renews the identity of a replica and notes it on the replica. One that is lost takes its replica with it: IdentityLost then. */
export async function identified(replica: ConnectorReplica, writing: Writing): Promise<ConnectorReplica> {
  const { machine, wrote } = writing;
  const { did, leafExpires, issuer } = await machine.identify(replica).catch(async (error: unknown) => {
    if (error instanceof IdentityLost) await retire(replica, error.name, writing);
    throw error;
  });
  const annotations = { [ANNOTATIONS.leafExpires]: leafExpires, [ANNOTATIONS.leafIssuer]: issuer };
  const noted = replica.metadata.annotations ?? {};
  if (replica.spec.peerDid === did && Object.entries(annotations).every(([name, value]) => noted[name] === value))
    return replica;
  const named = await machine.kube.merge<ConnectorReplica>(KINDS.connectorReplica, replica.metadata, {
    metadata: { annotations },
    spec: { peerDid: did },
  });
  wrote(named);
  return named;
}

/** A replica that the user wrote gets what only the fleet knows, and our finalizer, since a registry record hangs on it. */
async function usersReplica(
  { replica: name }: Provision,
  { admission, replicas, wrote }: Subject & { admission: Admission },
  { kube }: ClusterMachine,
): Promise<ConnectorReplica | undefined> {
  const replica = replicas.get(name);
  if (!replica || replica.metadata.deletionTimestamp) return undefined;
  const { finalizers = [], resourceVersion } = replica.metadata;
  const { versionId, manifestDigest } = admission;
  if (
    finalizers.includes(FINALIZER) &&
    replica.spec.versionId === versionId &&
    replica.spec.manifestDigest === manifestDigest
  )
    return replica;
  const marked = await kube.merge<ConnectorReplica>(KINDS.connectorReplica, replica.metadata, {
    metadata: {
      resourceVersion,
      finalizers: finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER],
      labels: { [LABELS.instance]: replica.spec.instanceRef.name },
    },
    spec: { versionId, manifestDigest },
  });
  wrote(marked);
  return marked;
}

/** What stands around the hosts of an instance. At rest it costs nothing. */
export async function surroundings(
  instance: ConnectorInstance,
  { ensure, networkPolicy, releaseNamespace }: ClusterMachine,
): Promise<void> {
  await ensure.applied(KINDS.service, instance, headlessService(instance));
  await ensure.applied(KINDS.podDisruptionBudget, instance, disruptionBudget(instance));
  if (networkPolicy) await ensure.applied(KINDS.networkPolicy, instance, hostNetworkPolicy(instance, releaseNamespace));
}

async function start(name: string, subject: Subject, machine: ClusterMachine): Promise<void> {
  const { instance } = subject;
  const { kube, ensure } = machine;
  const present = subject.pods.get(name);
  if (present) {
    // Its end will be seen, and then another one is made.
    if (hasEnded(present))
      await kube.delete(KINDS.pod, present.metadata, { uid: present.metadata.uid, graceSeconds: 0 });
    return;
  }
  const { namespace } = instance.metadata;
  const replica = await kube.get<ConnectorReplica>(KINDS.connectorReplica, { namespace, name });
  const hash = replica?.metadata.labels?.[LABELS.template];
  if (!replica?.spec.peerDid || hash === undefined) return;
  const kept = await kube.get<ConfigMap>(KINDS.configMap, {
    namespace,
    name: templateConfigMapName(instance.metadata.name, hash),
  });
  if (!kept) return;
  // A Pod whose Secret is missing would wait for it for ever.
  if (!subject.identified.has(name)) await identified(replica, { machine, wrote: subject.wrote });
  await machine.trustIn(namespace);
  await machine.databases.ensure(instance);
  await surroundings(instance, machine);
  const replicaId = connectorReplicaId(replica, replica.metadata.uid as string);
  await ensure.created(
    KINDS.pod,
    replica,
    hostPod(replica, { template: templateOf(kept), replicaId, fleet: machine.fleet }),
  );
}

async function stop(name: string, timeoutMs: number, { pods }: Subject, { kube }: ClusterMachine): Promise<void> {
  const pod = pods.get(name);
  if (!pod) return;
  const graceSeconds = timeoutMs === 0 ? 0 : Math.ceil(timeoutMs / 1000) + GRACE_SECONDS;
  await kube.delete(KINDS.pod, pod.metadata, { uid: pod.metadata.uid, graceSeconds });
}

async function remove(name: string, subject: Subject, machine: ClusterMachine): Promise<void> {
  const replica = subject.replicas.get(name);
  if (!replica) return;
  const { instance, configRevision } = subject;
  await machine.registry.remove(connectorReplicaId(replica, replica.metadata.uid as string));
  // A user's own document stays until the user deletes it.
  const usersOwn = instance.spec.hosting === 'External';
  if (!usersOwn && !replica.metadata.deletionTimestamp)
    await machine.kube.delete(KINDS.connectorReplica, replica.metadata, { uid: replica.metadata.uid });
  await removeFinalizer(machine.kube, KINDS.connectorReplica, replica, FINALIZER);
  const template = replica.metadata.labels?.[LABELS.template];
  if (
    usersOwn ||
    template === undefined ||
    template === currentTemplate(instance, configRevision, machine.runtimeImage)
  )
    return;
  const others = [...subject.replicas.values()].filter(
    ({ metadata }) => metadata.name !== name && metadata.labels?.[LABELS.template] === template,
  );
  if (others.length > 0) return;
  const { namespace } = instance.metadata;
  await machine.kube.delete(KINDS.configMap, {
    namespace,
    name: templateConfigMapName(instance.metadata.name, template),
  });
}
