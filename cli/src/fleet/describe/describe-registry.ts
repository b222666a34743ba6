import {
  type DevInfo,
  type DevInstanceStatus,
  type DevStatus,
  dataPaths,
  type LocalState,
  readJson,
} from '@aip/controller/internal/data-folder';
import { shownName } from '@aip/controller/internal/names';
import { didYouMean, similar } from '@aip/controller/internal/suggest';
import { UsageError } from '../../client/errors.js';
import { readDevStatus, withDevFacts } from '../dev-status.js';
import { openRegistry } from '../registry-fleet.js';
import type { RegistryDescription } from './description.js';

/** Everything that a registry says of one instance, with the bindings of its document for an `aip dev`. Throws UsageError, RegistryUnreachable. */
export async function describeInRegistry(
  source: { url: string; dataDir?: string | undefined },
  name: string,
  namespace: string | undefined,
): Promise<RegistryDescription> {
  const registry = openRegistry(source.url);
  const status = await readDevStatus(source.dataDir);
  const found = await registry
    .read(namespace)
    .catch((error: unknown) => {
      if (status) return [];
      throw error;
    })
    .finally(() => registry.close());
  const rows = withDevFacts(found, status?.instances);
  const replicas = rows.filter(({ instance }) => instance === name || instance.endsWith(`/${name}`));
  const known = status?.instances.filter(
    (instance) => instance.name === name && (namespace === undefined || instance.namespace === namespace),
  );
  const [first] = replicas;
  if (!first) {
    const [instance] = known ?? [];
    if (instance) return descriptionOf(instance, status, []);
    const names = [...rows.map((row) => row.instance), ...(status?.instances ?? []).map((each) => each.name)];
    const near = didYouMean(similar(name, names));
    throw new UsageError(
      `There is no instance ${name}.`,
      `${near ? `${near} ` : ''}\`aip fleet status\` shows those there are.`,
    );
  }
  if (replicas.some(({ instance_id }) => instance_id !== first.instance_id))
    throw new UsageError(`There are several instances ${name}.`, 'Name the namespace with --namespace.');
  const state = source.dataDir === undefined ? undefined : await readJson<LocalState>(dataPaths(source.dataDir).state);
  const key = first.instance.includes('/') ? first.instance : `default/${first.instance}`;
  const record = state?.instances[key];
  const instance = status?.instances.find(({ instance_id }) => instance_id === first.instance_id);
  const webhookUrl = await webhookUrlOf(source.dataDir, first.instance_id);
  return {
    ...(instance ? descriptionOf(instance, status, []) : {}),
    kind: 'registry',
    name: first.instance,
    instance_id: first.instance_id,
    tenant_id: first.tenant_id,
    connector: first.connector,
    config_revision: record?.configRevision ?? null,
    bindings: record?.resource.spec.bindings ?? null,
    replicas: replicas.filter(({ replica }) => replica !== null),
    ...(webhookUrl !== undefined && { webhook_url: webhookUrl }),
  };
}

function descriptionOf(
  instance: DevInstanceStatus,
  status: DevStatus | undefined,
  replicas: RegistryDescription['replicas'],
): RegistryDescription {
  const key = `${instance.namespace}/${instance.name}`;
  return {
    kind: 'registry',
    name: shownName(key),
    instance_id: instance.instance_id,
    tenant_id: instance.tenant_id,
    connector: instance.connector,
    config_revision: null,
    bindings: null,
    conditions: instance.conditions,
    events: status?.events.filter((event) => event.instance === key) ?? [],
    replicas,
  };
}

async function webhookUrlOf(dataDir: string | undefined, instanceId: string): Promise<string | undefined> {
  if (dataDir === undefined) return undefined;
  const info = await readJson<DevInfo>(dataPaths(dataDir).devJson);
  return info?.instances.find((each) => each.instance_id === instanceId)?.webhook_url;
}
