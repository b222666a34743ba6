import { API_VERSION } from './group.js';
import type { FromSchema, ResourceSchema } from './json-schema.js';
import { type Metadata, metadataSchema } from './metadata.js';
import { conditionsSchema } from './status.js';
import { topologySchema } from './topology.js';

/** `spec` of a ConnectorReplica (spec 08 §1.2 and §1.4). */
export const connectorReplicaSpecSchema = {
  type: 'object',
  required: ['instanceRef'],
  properties: {
    instanceRef: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', minLength: 1, maxLength: 48 } },
    },
    versionId: { type: 'string', maxLength: 256, description: 'Filled in by the fleet.' },
    manifestDigest: { type: 'string', maxLength: 71, description: 'Filled in by the fleet.' },
    endpoint: { type: 'string', maxLength: 2048, pattern: '^https?://[^/?#@]+/aip/v1/messages$' },
    peerDid: { type: 'string', maxLength: 512, pattern: '^did:key:z[1-9A-HJ-NP-Za-km-z]+$' },
    identitySecret: { type: 'string', maxLength: 253, description: 'Managed only: where the key lies.' },
    capacity: { type: 'integer', minimum: 1, maximum: 100000, default: 32 },
    topology: topologySchema,
    desiredState: {
      type: 'string',
      enum: ['Ready', 'Drained'],
      default: 'Ready',
      description: 'Drained: it gets no lease again once its present one has ended.',
    },
  },
} as const satisfies ResourceSchema;

/** `status` of a ConnectorReplica: changes of state only, never heartbeats. */
export const connectorReplicaStatusSchema = {
  type: 'object',
  properties: {
    state: { type: 'string', enum: ['Offline', 'Ready', 'Draining', 'Expired'] },
    conditions: conditionsSchema,
    podName: { type: 'string', maxLength: 253 },
    observedGeneration: { type: 'integer', minimum: 0 },
  },
} as const satisfies ResourceSchema;

/** A whole ConnectorReplica document. */
export const connectorReplicaSchema = {
  type: 'object',
  required: ['apiVersion', 'kind', 'metadata', 'spec'],
  properties: {
    apiVersion: { type: 'string', enum: [API_VERSION] },
    kind: { type: 'string', enum: ['ConnectorReplica'] },
    metadata: metadataSchema,
    spec: connectorReplicaSpecSchema,
    status: connectorReplicaStatusSchema,
  },
} as const satisfies ResourceSchema;

export type ConnectorReplicaSpec = FromSchema<typeof connectorReplicaSpecSchema>;
export type ConnectorReplicaStatus = FromSchema<typeof connectorReplicaStatusSchema>;
export type ReplicaState = NonNullable<ConnectorReplicaStatus['state']>;

/** One host of an instance. Users write them for External instances only; for Managed ones the fleet does. */
export interface ConnectorReplica {
  apiVersion: typeof API_VERSION;
  kind: 'ConnectorReplica';
  metadata: Metadata;
  spec: ConnectorReplicaSpec;
  status?: ConnectorReplicaStatus;
}

/** What a replica document of a user must have beyond the schema. */
export function connectorReplicaProblems(replica: ConnectorReplica): { path: string; message: string }[] {
  const problems: { path: string; message: string }[] = [];
  if (!replica.spec.endpoint)
    problems.push({
      path: 'spec.endpoint',
      message: 'is missing; state the absolute URL that ends in /aip/v1/messages',
    });
  if (!replica.spec.peerDid)
    problems.push({ path: 'spec.peerDid', message: "is missing; state the did:key of the host's signing key" });
  return problems;
}
