import type { ConnectorInstance } from '../../api/connector-instance.js';
import type { ConnectorReplica } from '../../api/connector-replica.js';
import { ANNOTATIONS, API_VERSION, LABELS } from '../../api/group.js';
import { partsOfReplicaName } from '../../api/names.js';
import type { Admission } from '../../fleet/admission.js';
import { FINALIZER, identitySecretName, replicaEndpoint } from './names.js';
import { instanceLabels, ownedBy } from './owned.js';

/** Labels of a managed replica. */
export function replicaLabels(instance: string, template: string): Record<string, string> {
  return { ...instanceLabels(instance), [LABELS.template]: template };
}

/** Template that a managed replica was made from, by its name; undefined for a replica that the fleet did not make. */
export function templateOfReplica({ metadata, spec }: ConnectorReplica): string | undefined {
  return partsOfReplicaName(spec.instanceRef.name, metadata.name)?.template;
}

/** A managed replica as it is first made; its DID is added once its key exists. */
export function managedReplica(
  instance: ConnectorInstance,
  {
    name,
    ordinal,
    template,
    templateDigest,
    release,
    admission,
    clusterDomain,
  }: {
    name: string;
    ordinal: number;
    template: string;
    templateDigest: string;
    release: string;
    admission: Admission;
    clusterDomain: string;
  },
): ConnectorReplica {
  const { metadata, spec } = instance;
  return {
    apiVersion: API_VERSION,
    kind: 'ConnectorReplica',
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: replicaLabels(metadata.name, template),
      annotations: {
        [ANNOTATIONS.ordinal]: String(ordinal),
        [ANNOTATIONS.templateDigest]: templateDigest,
        [ANNOTATIONS.release]: release,
      },
      ownerReferences: [ownedBy(instance)],
      finalizers: [FINALIZER],
    },
    spec: {
      instanceRef: { name: metadata.name },
      versionId: admission.versionId,
      manifestDigest: admission.manifestDigest,
      endpoint: replicaEndpoint(name, metadata.name, metadata.namespace, clusterDomain),
      identitySecret: identitySecretName(name),
      capacity: spec.capacity,
      topology: spec.topology,
      desiredState: 'Ready',
    },
  };
}
