import type { ConnectorInstance } from '../../api/connector-instance.js';
import { LABELS } from '../../api/group.js';
import type { Launch } from '../../fleet/launch.js';
import type { KubeObject } from '../../kube/kube.js';
import { templateConfigMapName } from './names.js';
import { instanceLabels, ownedBy } from './owned.js';
import type { PodSettings } from './pod-parts.js';

/** What every replica of one template is made from; kept beside the replicas, so that one that starts again later is what it was. */
export interface Template {
  launch: Launch;
  image: string;
  pod: PodSettings;
}

/** A ConfigMap with text data. */
export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  immutable?: boolean;
}

const TEMPLATE_KEY = 'template.json';

/** The template as an immutable ConfigMap; hosts mount its `config.json`. */
export function templateConfigMap(instance: ConnectorInstance, hash: string, template: Template): ConfigMap {
  const { name, namespace } = instance.metadata;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: templateConfigMapName(name, hash),
      namespace,
      labels: { ...instanceLabels(name), [LABELS.template]: hash },
      ownerReferences: [ownedBy(instance)],
    },
    immutable: true,
    data: { [TEMPLATE_KEY]: JSON.stringify(template), 'config.json': JSON.stringify(template.launch.config) },
  };
}

/** The template that a ConfigMap keeps. */
export function templateOf(configMap: ConfigMap): Template {
  return JSON.parse(configMap.data?.[TEMPLATE_KEY] ?? 'null') as Template;
}
