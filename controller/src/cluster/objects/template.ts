import { digestOf } from '@aip/runtime/internal/signing';
import type { ConnectorInstance } from '../../api/connector-instance.js';
import { LABELS } from '../../api/group.js';
import { templateHash } from '../../api/names.js';
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

/** The template that a ConfigMap keeps; undefined when it holds none. */
export function templateOf(configMap: ConfigMap): Template | undefined {
  try {
    return (JSON.parse(configMap.data?.[TEMPLATE_KEY] ?? 'null') as Template | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Digest of everything in a template's ConfigMap. */
export function templateDigest(configMap: ConfigMap): string {
  return digestOf((configMap.data ?? {}) as never);
}

/**
 * Whether a ConfigMap holds what would be made now. What a change of does not make another template may differ: the revision that the content
 * first had, and the drain time.
 */
export function isSameTemplate(present: ConfigMap, wanted: ConfigMap): boolean {
  const [was, is] = [templateOf(present), templateOf(wanted)];
  if (!was?.launch || !is || present.data?.['config.json'] !== wanted.data?.['config.json']) return false;
  const { configRevision, drainTimeoutMs } = was.launch;
  if (!Number.isInteger(configRevision) || !Number.isInteger(drainTimeoutMs)) return false;
  const launch = { ...is.launch, configRevision, drainTimeoutMs };
  return digestOf(was as never) === digestOf({ ...is, launch } as never);
}

/** Names what replicas are made from now; another release of the fleet has another image of built-in connectors. */
export function currentTemplate(instance: ConnectorInstance, runtimeImage: string): string {
  return templateHash(instance, instance.spec.connector.image ?? runtimeImage);
}
