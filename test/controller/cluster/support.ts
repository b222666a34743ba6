import { type ConnectorInstance, connectorInstanceSchema } from '#controller/api/connector-instance.js';
import { type ConnectorReplica, connectorReplicaSchema } from '#controller/api/connector-replica.js';
import { API_VERSION, LABELS } from '#controller/api/group.js';
import { withDefaults } from '#controller/api/json-schema.js';

export const UID = '11111111-2222-3333-4444-555555555555';

/** An instance of the built-in type with all defaults; `spec` and `metadata` say what is different. */
export function instanceLike(
  spec: Record<string, unknown> = {},
  metadata: Partial<ConnectorInstance['metadata']> = {},
): ConnectorInstance {
  return withDefaults(connectorInstanceSchema, {
    apiVersion: API_VERSION,
    kind: 'ConnectorInstance',
    metadata: { name: 'demo', namespace: 'acme', uid: UID, generation: 3, ...metadata },
    spec: { connector: { type: 'demo', version: '1.0.0' }, tenantId: 'acme', ...spec },
  }) as ConnectorInstance;
}

/** A replica of it, of template `abcdef`. */
export function replicaLike(
  spec: Record<string, unknown> = {},
  metadata: Partial<ConnectorReplica['metadata']> = {},
): ConnectorReplica {
  return withDefaults(connectorReplicaSchema, {
    apiVersion: API_VERSION,
    kind: 'ConnectorReplica',
    metadata: {
      name: 'demo-abcdef-0',
      namespace: 'acme',
      uid: '99999999-2222-3333-4444-555555555555',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { [LABELS.template]: 'abcdef' },
      ...metadata,
    },
    spec: {
      instanceRef: { name: 'demo' },
      endpoint: 'https://a.test/aip/v1/messages',
      peerDid: 'did:key:z6Mk',
      ...spec,
    },
  }) as ConnectorReplica;
}
