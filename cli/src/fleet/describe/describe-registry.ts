import { readJson } from '@aip/controller/fleet/files.js';
import { dataPaths } from '@aip/controller/local/state/data-dir.js';
import type { LocalState } from '@aip/controller/local/state/store.js';
import { UsageError } from '../../client/errors.js';
import { openRegistry } from '../registry-fleet.js';
import type { RegistryDescription } from './description.js';

/** Everything that a registry says of one instance, with the bindings of its document for an `aip dev`. Throws UsageError, RegistryUnreachable. */
export async function describeInRegistry(
  source: { url: string; dataDir?: string | undefined },
  name: string,
  namespace: string | undefined,
): Promise<RegistryDescription> {
  const registry = openRegistry(source.url);
  const rows = await registry.read(namespace).finally(() => registry.close());
  const replicas = rows.filter(({ instance }) => instance === name || instance.endsWith(`/${name}`));
  const [first] = replicas;
  if (!first) throw new UsageError(`There is no instance ${name}.`, '`aip fleet status` shows those there are.');
  if (replicas.some(({ instance_id }) => instance_id !== first.instance_id))
    throw new UsageError(`There are several instances ${name}.`, 'Name the namespace with --namespace.');
  const state = source.dataDir === undefined ? undefined : await readJson<LocalState>(dataPaths(source.dataDir).state);
  const key = first.instance.includes('/') ? first.instance : `default/${first.instance}`;
  const record = state?.instances[key];
  return {
    kind: 'registry',
    name: first.instance,
    instance_id: first.instance_id,
    tenant_id: first.tenant_id,
    connector: first.connector,
    config_revision: record?.configRevision ?? null,
    bindings: record?.resource.spec.bindings ?? null,
    replicas: replicas.filter(({ replica }) => replica !== null),
  };
}
