import { API_VERSION } from './group.js';
import type { FromSchema, ResourceSchema } from './json-schema.js';
import { type Metadata, metadataSchema } from './metadata.js';
import { conditionsSchema } from './status.js';
import { topologySchema } from './topology.js';

const DIGEST = '^sha256:[0-9a-f]{64}$';

/** `spec` of a ConnectorInstance (spec 08 §1.1 and §1.4). */
export const connectorInstanceSpecSchema = {
  type: 'object',
  required: ['connector', 'tenantId'],
  properties: {
    hosting: {
      type: 'string',
      enum: ['Managed', 'External'],
      default: 'Managed',
      description: 'Managed: the fleet starts the hosts. External: they run elsewhere and only join it.',
    },
    connector: {
      type: 'object',
      required: ['type', 'version'],
      properties: {
        type: { type: 'string', minLength: 1, maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9_.]*[a-z0-9])?$' },
        version: { type: 'string', minLength: 1, maxLength: 128, description: 'Version label.' },
        image: {
          type: 'string',
          maxLength: 512,
          pattern: '@sha256:[0-9a-f]{64}$',
          description: 'Image by digest; built-in types need none.',
        },
        manifest: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          description: 'External only: the manifest, its agent without trust_domain and did.',
        },
        artifactDigest: { type: 'string', maxLength: 71, pattern: DIGEST, description: 'External only.' },
      },
      'x-kubernetes-validations': [{ rule: 'self.type == oldSelf.type', message: 'the connector type is immutable' }],
    },
    tenantId: { type: 'string', minLength: 1, maxLength: 512 },
    enabled: { type: 'boolean', default: true },
    replicas: { type: 'integer', minimum: 0, maximum: 1000, default: 1 },
    capacity: { type: 'integer', minimum: 1, maximum: 100000, default: 32, description: 'Actions at once, a replica.' },
    topology: topologySchema,
    config: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, default: {} },
    secrets: {
      type: 'array',
      maxItems: 64,
      default: [],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['file'],
      items: {
        type: 'object',
        required: ['file', 'secretKeyRef'],
        properties: {
          file: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9_-][A-Za-z0-9_.-]*$' },
          secretKeyRef: {
            type: 'object',
            required: ['name', 'key'],
            properties: {
              name: { type: 'string', minLength: 1, maxLength: 253 },
              key: { type: 'string', minLength: 1, maxLength: 253 },
            },
          },
        },
      },
    },
    events: {
      type: 'object',
      default: {},
      properties: { enabled: { type: 'boolean', default: true } },
    },
    bindings: {
      type: 'array',
      minItems: 1,
      maxItems: 64,
      default: [{ capabilities: ['*'] }],
      description: 'Which capabilities the tenant may call; a later entry wins over an earlier one.',
      items: {
        type: 'object',
        required: ['capabilities'],
        properties: {
          capabilities: {
            type: 'array',
            minItems: 1,
            maxItems: 512,
            items: { type: 'string', minLength: 1, maxLength: 256 },
            description: 'Capability ids; `*` at the end stands for any ending.',
          },
          priority: { type: 'integer', minimum: 0, maximum: 4294967295, default: 0, description: 'Lower goes first.' },
          quotaPolicy: { type: 'string', minLength: 1, maxLength: 256 },
          credentialRevision: { type: 'string', minLength: 1, maxLength: 256 },
        },
      },
    },
    rollout: {
      type: 'object',
      default: {},
      properties: {
        maxSurge: { type: 'integer', minimum: 0, maximum: 1000, default: 1 },
        maxUnavailable: { type: 'integer', minimum: 0, maximum: 1000, default: 0 },
        drainTimeoutSeconds: { type: 'integer', minimum: 1, maximum: 300, default: 300 },
        progressDeadlineSeconds: { type: 'integer', minimum: 1, maximum: 86400, default: 600 },
      },
      'x-kubernetes-validations': [
        { rule: 'self.maxSurge + self.maxUnavailable > 0', message: 'maxSurge and maxUnavailable may not both be 0' },
      ],
    },
    pod: {
      type: 'object',
      default: {},
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Placement and resources of the Pods; nothing of it matters under `aip dev`.',
    },
    suspend: { type: 'boolean', default: false, description: 'Leave everything as it is.' },
    deletionPolicy: {
      type: 'string',
      enum: ['Retain', 'Delete'],
      default: 'Retain',
      description: "What becomes of the instance's database schema when the instance goes.",
    },
  },
  'x-kubernetes-validations': [
    { rule: 'self.tenantId == oldSelf.tenantId', message: 'the tenant is immutable' },
    { rule: 'self.hosting == oldSelf.hosting', message: 'hosting is immutable' },
  ],
} as const satisfies ResourceSchema;

/** `status` of a ConnectorInstance. */
export const connectorInstanceStatusSchema = {
  type: 'object',
  properties: {
    observedGeneration: { type: 'integer', minimum: 0 },
    conditions: conditionsSchema,
    replicas: { type: 'integer', minimum: 0 },
    readyReplicas: { type: 'integer', minimum: 0 },
    updatedReplicas: { type: 'integer', minimum: 0 },
    drainingReplicas: { type: 'integer', minimum: 0 },
    selector: { type: 'string', maxLength: 512 },
    instanceId: { type: 'string', maxLength: 256 },
    versionId: { type: 'string', maxLength: 256 },
    manifestDigest: { type: 'string', maxLength: 71 },
    capabilities: { type: 'integer', minimum: 0 },
    configRevision: { type: 'integer', minimum: 0 },
  },
} as const satisfies ResourceSchema;

/** A whole ConnectorInstance document. */
export const connectorInstanceSchema = {
  type: 'object',
  required: ['apiVersion', 'kind', 'metadata', 'spec'],
  properties: {
    apiVersion: { type: 'string', enum: [API_VERSION] },
    kind: { type: 'string', enum: ['ConnectorInstance'] },
    metadata: metadataSchema,
    spec: connectorInstanceSpecSchema,
    status: connectorInstanceStatusSchema,
  },
} as const satisfies ResourceSchema;

export type ConnectorInstanceSpec = FromSchema<typeof connectorInstanceSpecSchema>;
export type ConnectorInstanceStatus = FromSchema<typeof connectorInstanceStatusSchema>;

/** One connector with one configuration for one tenant, and how many hosts serve it. */
export interface ConnectorInstance {
  apiVersion: typeof API_VERSION;
  kind: 'ConnectorInstance';
  metadata: Metadata;
  spec: ConnectorInstanceSpec;
  status?: ConnectorInstanceStatus;
}

/** Rules that go across members (spec 08 §1.1, §1.4); each problem names the member and what to do. */
export function connectorInstanceProblems(instance: ConnectorInstance): { path: string; message: string }[] {
  const problems: { path: string; message: string }[] = [];
  const { metadata, spec } = instance;
  const say = (path: string, message: string): void => {
    problems.push({ path, message });
  };
  if (metadata.name.length > 48)
    say('metadata.name', 'has more than 48 characters; replicas take their names from it, shorten it');
  if (spec.rollout.maxSurge + spec.rollout.maxUnavailable === 0)
    say(
      'spec.rollout',
      'maxSurge and maxUnavailable are both 0, so no replica could ever be replaced; set one of them',
    );
  const files = spec.secrets.map((secret) => secret.file);
  for (const file of new Set(files.filter((file, index) => files.indexOf(file) !== index)))
    say('spec.secrets', `the file ${file} is named twice; give each secret a file of its own`);
  if (spec.hosting === 'External') {
    if (!spec.connector.manifest)
      say('spec.connector.manifest', 'is missing; an External instance carries its manifest inline');
    if (!spec.connector.artifactDigest)
      say('spec.connector.artifactDigest', 'is missing; an External instance states sha256:…');
    if (spec.connector.image) say('spec.connector.image', 'has no meaning for an External instance; remove it');
    if (spec.secrets.length > 0) say('spec.secrets', 'are not mounted for an External instance; remove them');
  } else {
    if (spec.connector.manifest)
      say('spec.connector.manifest', 'is described by the connector itself; remove it or set hosting: External');
    if (spec.connector.artifactDigest)
      say('spec.connector.artifactDigest', 'is known from the image; remove it or set hosting: External');
  }
  return problems;
}
