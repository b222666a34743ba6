import { gunzipSync, gzipSync } from 'node:zlib';
import type { ConnectorInstance } from '../../api/connector-instance.js';
import { GROUP } from '../../api/group.js';
import { KINDS } from '../../api/kinds.js';
import type { DescribedConnector } from '../../fleet/described.js';
import type { Kube } from '../../kube/kube.js';
import { descriptionConfigMapName } from '../objects/names.js';
import { instanceLabels, ownedBy } from '../objects/owned.js';
import type { ConfigMap } from '../objects/template.js';
import type { Ensure } from '../provision/ensure.js';

const SOURCE = `${GROUP}/description-source`;
const DATA_KEY = 'description.json.gz';

/** Descriptions that instances keep in ConfigMaps, each with the source that it answers. */
export interface StoredDescriptions {
  /** The description that an instance keeps for a source. */
  find(instance: ConnectorInstance, source: string): Promise<DescribedConnector | undefined>;
  /** Writes the description of an instance, unless it has been written or found here before. */
  keep(instance: ConnectorInstance, source: string, described: DescribedConnector): Promise<void>;
  /** Writes the description of an instance. */
  write(instance: ConnectorInstance, source: string, described: DescribedConnector): Promise<void>;
}

export function storedDescriptions({ kube, ensure }: { kube: Kube; ensure: Ensure }): StoredDescriptions {
  /** By uid of the instance, the source of the description that its ConfigMap holds. */
  const storedFor = new Map<string, string>();
  const write: StoredDescriptions['write'] = async (instance, source, described) => {
    await ensure.applied(KINDS.configMap, instance, configMapOf(instance, source, described));
    storedFor.set(instance.metadata.uid as string, source);
  };
  return {
    write,
    find: async (instance, source) => {
      const { namespace, name, uid } = instance.metadata;
      const found = await kube.get<ConfigMap>(KINDS.configMap, { namespace, name: descriptionConfigMapName(name) });
      const data = found?.metadata.annotations?.[SOURCE] === source ? found.binaryData?.[DATA_KEY] : undefined;
      if (data === undefined) return undefined;
      storedFor.set(uid as string, source);
      return JSON.parse(gunzipSync(Buffer.from(data, 'base64')).toString('utf8')) as DescribedConnector;
    },
    keep: async (instance, source, described) => {
      if (storedFor.get(instance.metadata.uid as string) !== source) await write(instance, source, described);
    },
  };
}

function configMapOf(instance: ConnectorInstance, source: string, described: DescribedConnector): ConfigMap {
  const { namespace, name } = instance.metadata;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: descriptionConfigMapName(name),
      namespace,
      labels: instanceLabels(name),
      annotations: { [SOURCE]: source },
      ownerReferences: [ownedBy(instance)],
    },
    binaryData: { [DATA_KEY]: gzipSync(JSON.stringify(described)).toString('base64') },
  };
}
