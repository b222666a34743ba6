import { type ConnectorInstance, KINDS } from '@aip/controller/internal/api';
import type { Kube, KubeObject } from '@aip/controller/internal/kube';
import { isSameRevision, type Revision, revisionPatch, revisionsOf } from '@aip/controller/internal/resources';
import { UsageError } from '../client/errors.js';

/** What a rollback restored. */
export interface RolledBack {
  instance: string;
  revision: number;
  version: string;
}

/** Restores a revision of an instance's history, by default the newest one that differs from its spec. Throws UsageError, KubeError. */
export async function rollBack(
  kube: Kube,
  { name, namespace, to }: { name: string; namespace: string | undefined; to: number | undefined },
): Promise<RolledBack> {
  const { items } = await kube.list<ConnectorInstance & KubeObject>(KINDS.connectorInstance, { namespace });
  const [instance, ...others] = items.filter(({ metadata }) => metadata.name === name);
  if (!instance)
    throw new UsageError(`There is no ConnectorInstance ${name}.`, '`aip fleet status` shows those there are.');
  if (others.length > 0)
    throw new UsageError(`There are several instances ${name}.`, 'Name the namespace with --namespace.');
  const found = chosen(instance, to);
  const spec = revisionPatch(found, instance);
  const { resourceVersion } = instance.metadata;
  await kube.merge(KINDS.connectorInstance, instance.metadata, { metadata: { resourceVersion }, spec });
  const key = `${instance.metadata.namespace}/${name}`;
  return { instance: key, revision: found.revision, version: found.spec.connector.version };
}

function chosen(instance: ConnectorInstance, to: number | undefined): Revision {
  const revisions = revisionsOf(instance);
  const found =
    to === undefined
      ? revisions.find((each) => !isSameRevision(instance, each))
      : revisions.find(({ revision }) => revision === to);
  if (found) return found;
  const known = revisions.map(({ revision, spec }) => `${revision} (${spec.connector.version})`).join(', ');
  throw new UsageError(
    to === undefined ? 'There is no earlier revision.' : `There is no revision ${to}.`,
    known === '' ? 'A revision is kept when a rollout is complete.' : `The history has ${known}.`,
  );
}
