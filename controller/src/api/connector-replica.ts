import { API_VERSION } from './group.js';
import type { FromSchema, ResourceSchema } from './json-schema.js';
import { type Metadata, metadataSchema } from './metadata.js';
import { conditionsSchema } from './status.js';
import { topologySchema } from './topology.js';

/** A CEL rule: the member, once set, neither changes nor goes. */
const onceSet = (member: string, message: string) =>
  ({
    rule: `!has(oldSelf.${member}) || (has(self.${member}) && self.${member} == oldSelf.${member})`,
    message,
    fieldPath: `.${member}`,
  }) as const;

/** `spec` of a ConnectorReplica (docs/kubernetes/reference.md). */
export const connectorReplicaSpecSchema = {
  type: 'object',
  description: 'What is wanted.',
  required: ['instanceRef'],
  properties: {
    instanceRef: {
      type: 'object',
      description: 'The ConnectorInstance, of the same namespace, that this host serves. Immutable.',
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 48, description: 'Name of the ConnectorInstance.' },
      },
      'x-kubernetes-validations': [
        {
          rule: 'self.name == oldSelf.name',
          message: 'a replica belongs to one instance for ever',
          fieldPath: '.name',
        },
      ],
    },
    versionId: {
      type: 'string',
      maxLength: 256,
      description: 'Id of the version in the registry; filled in by the fleet.',
    },
    manifestDigest: {
      type: 'string',
      maxLength: 71,
      description: 'Digest of the manifest that the host must show; filled in by the fleet.',
    },
    endpoint: {
      type: 'string',
      maxLength: 2048,
      // Host or bracketed IPv6 address, and a port of 1 to 65535.
      pattern:
        '^https?://([^/?#@:]+|\\[[0-9A-Fa-f:.]+\\])(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?/aip/v1/messages$',
      description:
        'URL by which gateways reach the host; it ends in /aip/v1/messages and its port is 1 to 65535. Filled in by the fleet for Managed instances. It never changes: delete the replica and make another.',
    },
    peerDid: {
      type: 'string',
      maxLength: 512,
      pattern: '^did:key:z[1-9A-HJ-NP-Za-km-z]+$',
      description:
        "did:key of the host's Ed25519 signing key. Filled in by the fleet for Managed instances. It never changes: delete the replica and make another.",
    },
    identitySecret: {
      type: 'string',
      maxLength: 253,
      description: 'Managed only: name of the Secret with key and certificate of the host; filled in by the fleet.',
    },
    capacity: {
      type: 'integer',
      minimum: 1,
      maximum: 100000,
      default: 32,
      description: 'Actions that the host runs concurrently.',
    },
    topology: topologySchema,
    desiredState: {
      type: 'string',
      enum: ['Ready', 'Drained'],
      default: 'Ready',
      description: 'Drained: the host finishes its work, takes no new one and gets no lease again.',
    },
  },
  'x-kubernetes-validations': [
    onceSet('endpoint', 'the endpoint of a replica never changes; delete the replica and make another'),
    onceSet('peerDid', 'the DID of a replica never changes; delete the replica and make another'),
    onceSet(
      'identitySecret',
      'the identity of a replica never changes; delete the replica and another takes its place',
    ),
    {
      rule: 'has(self.identitySecret) || has(self.endpoint)',
      message: 'state the absolute URL of the host that ends in /aip/v1/messages',
      fieldPath: '.endpoint',
      reason: 'FieldValueRequired',
    },
    {
      rule: "!has(self.endpoint) || self.endpoint.startsWith('https://') || self.endpoint.matches('^http://(127[.][0-9.]+|localhost|[[]::1[]])[:/]')",
      message: 'the endpoint is an https URL; plain http is for the loopback interface alone',
      fieldPath: '.endpoint',
    },
    {
      rule: 'has(self.identitySecret) || has(self.peerDid)',
      message: "state the did:key of the host's signing key",
      fieldPath: '.peerDid',
      reason: 'FieldValueRequired',
    },
  ],
} as const satisfies ResourceSchema;

/** `status` of a ConnectorReplica: changes of state only, never heartbeats. */
export const connectorReplicaStatusSchema = {
  type: 'object',
  description: 'What was observed. Only changes of state are written here, never heartbeats.',
  properties: {
    state: {
      type: 'string',
      enum: ['Offline', 'Ready', 'Draining', 'Expired'],
      description: 'State in the registry. Expired: the lease ended without being renewed.',
    },
    conditions: {
      ...conditionsSchema,
      description:
        'Provisioned: identity and registry record exist. Registered: the host has come. Ready: it takes new actions.',
    },
    podName: { type: 'string', maxLength: 253, description: 'Pod that runs the host; Managed only.' },
    version: { type: 'string', maxLength: 128, description: 'Label of the version that the host runs.' },
    circuit: {
      type: 'string',
      enum: ['Closed', 'Open'],
      description:
        'Open: gateways could not reach the host several times in a row, and send it no new work for a while.',
    },
    lastFailure: {
      type: 'object',
      description:
        'A recent action that did not reach the host or whose answer was lost; at most one is written a minute. It stays after the host has recovered.',
      required: ['reason', 'message', 'time'],
      properties: {
        reason: {
          type: 'string',
          enum: ['Unreached', 'OutcomeUnknown'],
          description: 'Unreached: no host took the action, so nothing began. OutcomeUnknown: the answer was lost.',
        },
        message: { type: 'string', maxLength: 1024, description: 'What happened, for people, with the action.' },
        time: { type: 'string', format: 'date-time', maxLength: 64, description: 'When it happened, RFC 3339.' },
      },
    },
    drain: {
      type: 'object',
      description:
        'What the host still holds while it takes no new work; absent once it holds nothing. The count is written at most every 5 s.',
      required: ['pinnedActions', 'observedTime'],
      properties: {
        pinnedActions: { type: 'integer', minimum: 1, description: 'Actions pinned to it that have not ended.' },
        observedTime: {
          type: 'string',
          format: 'date-time',
          maxLength: 64,
          description: 'When they were counted, RFC 3339.',
        },
        deadline: {
          type: 'string',
          format: 'date-time',
          maxLength: 64,
          description:
            'When its Pod is ended at the latest, whatever it holds, RFC 3339. Absent for External replicas: their hosts end on their own.',
        },
      },
    },
    observedGeneration: {
      type: 'integer',
      minimum: 0,
      description: 'The metadata.generation that this status speaks of.',
    },
  },
} as const satisfies ResourceSchema;

/** A whole ConnectorReplica document. */
export const connectorReplicaSchema = {
  type: 'object',
  description:
    'One host of an instance. Users write them for External instances only; for Managed ones the fleet does.',
  required: ['apiVersion', 'kind', 'metadata', 'spec'],
  properties: {
    apiVersion: { type: 'string', enum: [API_VERSION] },
    kind: { type: 'string', enum: ['ConnectorReplica'] },
    metadata: metadataSchema,
    spec: connectorReplicaSpecSchema,
    status: connectorReplicaStatusSchema,
  },
  'x-kubernetes-validations': [
    {
      rule: "self.metadata.name.size() <= 63 && self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
      message:
        'the name has at most 63 characters, all of them lower-case letters, digits and dashes; it becomes a host name',
    },
  ],
} as const satisfies ResourceSchema;

export type ConnectorReplicaSpec = FromSchema<typeof connectorReplicaSpecSchema>;
export type ConnectorReplicaStatus = FromSchema<typeof connectorReplicaStatusSchema>;

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
