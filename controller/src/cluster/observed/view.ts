import type { Logger } from '@aip/runtime/internal/program';
import type { ConnectorInstance } from '../../api/connector-instance.js';
import { connectorInstanceSchema } from '../../api/connector-instance.js';
import { type ConnectorReplica, connectorReplicaSchema } from '../../api/connector-replica.js';
import { ANNOTATIONS, LABELS } from '../../api/group.js';
import { withDefaults } from '../../api/json-schema.js';
import { KINDS } from '../../api/kinds.js';
import { keyOf } from '../../api/metadata.js';
import { type Informer, type InformerHooks, startInformer } from '../../kube/cache/informer.js';
import type { Kube, KubeObject, ObjectRef, ResourceKind } from '../../kube/kube.js';
import { MANAGER } from '../../trust/objects.js';
import type { Pod } from '../objects/host-pod.js';
import { followNamespaces } from './namespaces.js';
import { onlyStatusChanged } from './only-status.js';
import { INSTANCE_CONDITIONS, REPLICA_CONDITIONS } from './own-conditions.js';
import { recentWrites } from './recent-writes.js';

/** What the reconcilers know of the API server: copies that follow it. */
export interface ClusterView {
  /** Those that no other release runs. */
  instances(): ConnectorInstance[];
  instance(key: string): ConnectorInstance | undefined;
  /** Those of instances that no other release runs. */
  replicas(): ConnectorReplica[];
  replicasOf(key: string): ConnectorReplica[];
  podsOf(key: string): Map<string, Pod>;
  namespace(name: string): KubeObject | undefined;
  /** A replica that a step wrote, or an instance or replica whose status was written: it counts at once. */
  wrote(written: ConnectorInstance | ConnectorReplica): void;
  readonly synced: Promise<void>;
  healthy(): boolean;
  stop(): void;
}

const BY_INSTANCE = 'instance';

/** Kinds of what stands beside the hosts of an instance. */
const CHILDREN = [KINDS.service, KINDS.podDisruptionBudget, KINDS.networkPolicy] as const;

/** Key of the instance that owns a child, or that a host's Pod is named after: neither can be changed, as labels can. */
function ownerKey(object: KubeObject): string | undefined {
  const owner = (object.metadata.ownerReferences ?? []).find(({ controller }) => controller);
  const name =
    owner?.kind === 'ConnectorInstance' ? owner.name : (object as { spec?: { subdomain?: string } }).spec?.subdomain;
  return name === undefined ? undefined : `${object.metadata.namespace}/${name}`;
}

/** Key of the instance that a replica names. */
export function instanceKeyOf(replica: ConnectorReplica): string {
  return `${replica.metadata.namespace}/${replica.spec.instanceRef.name}`;
}

/** Starts to follow everything; `changed` is called with the key of each instance that something happened to. */
export function openView({
  kube,
  releaseId,
  namespaces,
  log,
  changed,
  childChanged,
  hooks,
}: {
  kube: Kube;
  releaseId: string;
  namespaces: readonly string[] | 'all';
  log: Logger;
  changed(instance: string): void;
  /** Takes changes of what is beside hosts: an object that is gone (no `after`), or differs in what the fleet writes. Says whether that is news. */
  childChanged(kind: ResourceKind, ref: ObjectRef, after: KubeObject | undefined): boolean;
  hooks(kind: string): InformerHooks;
}): ClusterView {
  const writes = recentWrites<ConnectorReplica>();
  const instanceWrites = recentWrites<ConnectorInstance>();
  const spaces = followNamespaces({ kube, namespaces, log, hooks: hooks(KINDS.namespace.kind) });
  const follow = <T extends KubeObject>(
    kind: ResourceKind,
    options: Partial<Parameters<typeof startInformer<T>>[0]> = {},
  ): Informer<T> =>
    startInformer<T>({ kube, kind, namespaces, isLeft: spaces.isLeft, log, hooks: hooks(kind.kind), ...options });
  const filled =
    <T>(schema: Parameters<typeof withDefaults>[0]) =>
    (object: T): T => {
      delete ((object as KubeObject).metadata as { managedFields?: unknown }).managedFields;
      return withDefaults(schema, object) as T;
    };
  const filledInstance = filled<ConnectorInstance>(connectorInstanceSchema);
  const instances = follow<ConnectorInstance>(KINDS.connectorInstance, { transform: filledInstance });
  const replicas = follow<ConnectorReplica>(KINDS.connectorReplica, {
    transform: filled<ConnectorReplica>(connectorReplicaSchema),
    indexes: { [BY_INSTANCE]: (replica) => [instanceKeyOf(replica)] },
  });
  const pods = follow<Pod>(KINDS.pod, {
    labelSelector: `${LABELS.managedBy}=${MANAGER}`,
    indexes: { [BY_INSTANCE]: (pod) => [ownerKey(pod) ?? ''] },
  });
  const children = CHILDREN.map((kind) =>
    follow<KubeObject>(kind, { labelSelector: `${LABELS.managedBy}=${MANAGER}`, transform: withoutStatus }),
  );
  const all: Informer<never>[] = [instances, replicas, pods, ...children, ...spaces.informers] as never;
  instances.onChange((_, before, after) => {
    const instance = (after ?? before) as ConnectorInstance;
    if (after) instanceWrites.seen(after);
    else instanceWrites.gone(instance);
    if (!onlyStatusChanged(before, after, INSTANCE_CONDITIONS)) changed(keyOf(instance));
  });
  replicas.onChange((_, before, after) => {
    const replica = (after ?? before) as ConnectorReplica;
    if (after) writes.seen(after);
    else writes.gone(replica);
    if (!onlyStatusChanged(before, after, REPLICA_CONDITIONS)) changed(instanceKeyOf(replica));
  });
  pods.onChange((_, before, after) => {
    const key = ownerKey((after ?? before) as Pod);
    if (key !== undefined) changed(key);
  });
  for (const [index, copy] of children.entries())
    copy.onChange((ref, before, after) => {
      if (!before || (after && sameContent(before, after))) return;
      const key = ownerKey(before);
      if (key !== undefined && childChanged(CHILDREN[index] as ResourceKind, ref, after)) changed(key);
    });
  spaces.onChange((ref, before, after) => {
    if (before && after && sameAnnotations(before, after)) return;
    for (const instance of instances.list()) if (instance.metadata.namespace === ref.name) changed(keyOf(instance));
  });
  return {
    instances: () => instances.list().filter((instance) => !isForeign(instance, releaseId)),
    instance: (key) => {
      const [namespace, name] = key.split('/') as [string, string];
      const known = instances.get({ namespace, name });
      return known && instanceWrites.latest(known);
    },
    replicas: () => replicas.list().filter((replica) => !isForeign(replica, releaseId)),
    replicasOf: (key) => {
      const known = replicas.byIndex(BY_INSTANCE, key);
      const unseen = writes.unseen(known, (replica) => instanceKeyOf(replica) === key);
      return [...known.map((replica) => writes.latest(replica)), ...unseen];
    },
    podsOf: (key) => new Map(pods.byIndex(BY_INSTANCE, key).map((pod) => [pod.metadata.name, pod])),
    namespace: spaces.get,
    wrote: (written) => {
      if (isInstance(written)) instanceWrites.wrote(filledInstance(written));
      else writes.wrote(written);
    },
    synced: Promise.all(all.map((informer) => informer.synced)).then(() => undefined),
    healthy: () => all.every((informer) => informer.healthy()),
    stop: () => {
      for (const informer of all) informer.stop();
    },
  };
}

function isInstance(object: ConnectorInstance | ConnectorReplica): object is ConnectorInstance {
  return object.kind === KINDS.connectorInstance.kind;
}

/** Whether an instance or replica belongs to another release. */
export function isForeign({ metadata }: KubeObject, releaseId: string): boolean {
  const owner = metadata.annotations?.[ANNOTATIONS.release];
  return owner !== undefined && owner !== releaseId;
}

/** Whether two states of an object are alike in what the fleet writes. */
function sameContent(a: KubeObject, b: KubeObject): boolean {
  const content = ({ metadata, ...rest }: KubeObject): string =>
    JSON.stringify([metadata.labels, metadata.ownerReferences, rest]);
  return content(a) === content(b);
}

function withoutStatus(object: KubeObject): KubeObject {
  const { status: _, ...rest } = object as KubeObject & { status?: unknown };
  delete (rest.metadata as { managedFields?: unknown }).managedFields;
  return rest;
}

function sameAnnotations(a: KubeObject, b: KubeObject): boolean {
  return JSON.stringify(a.metadata.annotations ?? {}) === JSON.stringify(b.metadata.annotations ?? {});
}
