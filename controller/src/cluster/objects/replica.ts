import type { ConnectorInstance } from '../../api/connector-instance.js';
import type { ConnectorReplica } from '../../api/connector-replica.js';
import { ANNOTATIONS, API_VERSION, LABELS } from '../../api/group.js';
import type { Admission } from '../../fleet/admission.js';
import { FINALIZER, identitySecretName, replicaEndpoint } from './names.js';
import { instanceLabels, ownedBy } from './owned.js';

/** A managed replica as it is first made; its DID is added once its key exists. */
export function managedReplica(
  instance: ConnectorInstance,
  {
    name,
    ordinal,
    template,
    admission,
    clusterDomain,
  }: { name: string; ordinal: number; template: string; admission: Admission; clusterDomain: string },
): ConnectorReplica {
  const { metadata, spec } = instance;
  return {
    apiVersion: API_VERSION,
    kind: 'ConnectorReplica',
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: { ...instanceLabels(metadata.name), [LABELS.template]: template },
      annotations: { [ANNOTATIONS.ordinal]: String(ordinal) },
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
