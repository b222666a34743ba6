import type { ConnectorInstance } from '../../api/connector-instance.js';
import { secretFiles } from '../../fleet/admission.js';
import type { Pod } from './host-pod.js';
import { describeName } from './names.js';
import { instanceLabels, ownedBy } from './owned.js';
import { containerBase, podBase, podMetadata } from './pod-parts.js';
import type { ConfigMap } from './template.js';

/** Name of the one container of a describing Pod. */
export const DESCRIBE_CONTAINER = 'describe';

const COMPONENT = 'describe';

/** Is this a Pod that asks a connector about itself? */
export function isDescribePod({ metadata }: Pod): boolean {
  return metadata.labels?.['app.kubernetes.io/component'] === COMPONENT;
}

/** The configuration that the connector is described with. */
export function describeConfigMap(instance: ConnectorInstance, source: string): ConfigMap {
  const { name, namespace } = instance.metadata;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: describeName(name, source),
      namespace,
      labels: instanceLabels(name),
      ownerReferences: [ownedBy(instance)],
    },
    data: { 'config.json': JSON.stringify(instance.spec.config) },
  };
}

/** A Pod that runs `aip-runtime describe` of the connector's own image once and ends: no secrets, no token, no network needed (docs/kubernetes/reference.md). */
export function describePod(instance: ConnectorInstance, source: string, image: string): Pod {
  const { name, namespace } = instance.metadata;
  const { pod, connector } = instance.spec;
  const own = describeName(name, source);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: own,
      namespace,
      ...podMetadata(pod, {
        labels: {
          ...instanceLabels(name),
          'app.kubernetes.io/name': 'aip-connector-host',
          'app.kubernetes.io/component': COMPONENT,
        },
      }),
      ownerReferences: [ownedBy(instance)],
    },
    spec: {
      ...podBase(pod),
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: DESCRIBE_CONTAINER,
          image,
          args: [
            'describe',
            '--connector',
            connector.type,
            '--config-file',
            '/etc/aip/config/config.json',
            ...secretFiles(instance).flatMap((file) => ['--secret-file', file]),
          ],
          ...containerBase(pod),
          volumeMounts: [{ name: 'config', mountPath: '/etc/aip/config', readOnly: true }],
        },
      ],
      volumes: [{ name: 'config', configMap: { name: own } }],
    },
  };
}
