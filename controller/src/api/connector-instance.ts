import { API_VERSION } from './group.js';
import type { FromSchema, ResourceSchema } from './json-schema.js';
import { type Metadata, metadataSchema } from './metadata.js';
import { podSchema } from './pod.js';
import { podProblems } from './pod-extras.js';
import { conditionsSchema } from './status.js';
import { topologySchema } from './topology.js';

const DIGEST = '^sha256:[0-9a-f]{64}$';
/** Any image reference: a name with an optional tag and an optional digest. */
const IMAGE = '^[A-Za-z0-9]([A-Za-z0-9._:/-]*[A-Za-z0-9])?(@sha256:[0-9a-f]{64})?$';
/** An image reference that names exactly one image for ever. */
const PINNED_IMAGE = /@sha256:[0-9a-f]{64}$/;

/** `spec` of a ConnectorInstance (docs/kubernetes/reference.md). */
export const connectorInstanceSpecSchema = {
  type: 'object',
  description: 'What is wanted.',
  required: ['connector', 'tenantId'],
  properties: {
    hosting: {
      type: 'string',
      enum: ['Managed', 'External'],
      default: 'Managed',
      description:
        'Managed: the fleet starts the hosts. External: they run elsewhere, and the user writes a ConnectorReplica for each. Immutable.',
    },
    connector: {
      type: 'object',
      description: 'Which connector is run.',
      required: ['type', 'version'],
      properties: {
        type: {
          type: 'string',
          minLength: 1,
          maxLength: 63,
          pattern: '^[a-z0-9]([-a-z0-9_.]*[a-z0-9])?$',
          description:
            'Connector type, such as chatwoot. Its capability ids begin with cap:<type>: and nothing else. Immutable.',
        },
        version: {
          type: 'string',
          minLength: 1,
          maxLength: 128,
          description: 'Version label. Another label is another version in the registry, and a rollout.',
        },
        image: {
          type: 'string',
          minLength: 1,
          maxLength: 512,
          pattern: IMAGE,
          description:
            'Image of the hosts, by digest (name@sha256:…) unless the controller allows tags. Default: the runtime image of the release, which has the built-in types.',
        },
        manifest: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          description:
            "External only: the connector's manifest, its agent without trust_domain and did, which the fleet fills in. Managed connectors report theirs.",
        },
        artifactDigest: {
          type: 'string',
          maxLength: 71,
          pattern: DIGEST,
          description:
            "External only: sha256 digest of what the hosts run. For Managed instances it is the image's digest.",
        },
      },
      'x-kubernetes-validations': [
        {
          rule: 'self.type == oldSelf.type',
          message: 'the connector type is immutable; make another ConnectorInstance',
          fieldPath: '.type',
        },
      ],
    },
    tenantId: {
      type: 'string',
      minLength: 1,
      maxLength: 512,
      description:
        'Tenant whose actions the instance runs. The annotation fleet.aip.dev/tenants of the namespace must allow it. Immutable.',
    },
    enabled: {
      type: 'boolean',
      default: true,
      description: 'false: no new action is routed to it, and its hosts finish what they have and end.',
    },
    replicas: {
      type: 'integer',
      minimum: 0,
      maximum: 1000,
      default: 1,
      description: 'Number of hosts wanted. It means nothing for External instances.',
    },
    capacity: {
      type: 'integer',
      minimum: 1,
      maximum: 100000,
      default: 32,
      description: 'Actions that each host runs concurrently.',
    },
    topology: topologySchema,
    config: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      default: {},
      description: "Configuration of the connector, checked by the connector's own schema. Secrets do not belong here.",
    },
    secrets: {
      type: 'array',
      maxItems: 64,
      default: [],
      description:
        'Values of Secrets that the hosts get as files. The kubelet mounts them; the fleet never reads them. Managed only.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['file'],
      items: {
        type: 'object',
        required: ['file', 'secretKeyRef'],
        properties: {
          file: {
            type: 'string',
            minLength: 1,
            maxLength: 128,
            pattern: '^[A-Za-z0-9_-][A-Za-z0-9_.-]*$',
            description: 'File name by which the connector asks for the value. Unique in the list.',
          },
          secretKeyRef: {
            type: 'object',
            description: 'Where the value comes from.',
            required: ['name', 'key'],
            properties: {
              name: {
                type: 'string',
                minLength: 1,
                maxLength: 253,
                description: 'Name of a Secret of the same namespace.',
              },
              key: { type: 'string', minLength: 1, maxLength: 253, description: 'Key within the Secret.' },
            },
          },
        },
      },
    },
    events: {
      type: 'object',
      default: {},
      description: "The provider's own events, such as webhooks.",
      properties: {
        enabled: { type: 'boolean', default: true, description: 'Are events published to the gateway?' },
      },
    },
    webhook: {
      type: 'object',
      description:
        'A public route to the webhook path of the hosts, where the release has one (chart value webhooks). Needs the secret file webhook-secret.',
      properties: {
        host: {
          type: 'string',
          minLength: 1,
          maxLength: 253,
          pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$',
          description:
            'Host name of its own; the annotation fleet.aip.dev/webhook-hosts of the namespace must allow it. Default: the host name of the release, below /<namespace>/<name>.',
        },
      },
    },
    bindings: {
      type: 'array',
      minItems: 1,
      maxItems: 64,
      default: [{ capabilities: ['*'] }],
      description:
        'Capabilities that the tenant may call here. A later entry wins over an earlier one. Default: every capability of the manifest at priority 0.',
      items: {
        type: 'object',
        required: ['capabilities'],
        properties: {
          capabilities: {
            type: 'array',
            minItems: 1,
            maxItems: 512,
            items: { type: 'string', minLength: 1, maxLength: 256 },
            description: 'Capability ids; a trailing `*` matches any ending.',
          },
          priority: {
            type: 'integer',
            minimum: 0,
            maximum: 4294967295,
            default: 0,
            description: "Among the tenant's instances with the same capability, the lowest is preferred.",
          },
          quotaPolicy: {
            type: 'string',
            minLength: 1,
            maxLength: 256,
            description:
              'Name of a quota policy of the release. Default: at most 1000 actions in flight for the tenant, 500 for the instance, 250 for the binding.',
          },
          credentialRevision: {
            type: 'string',
            minLength: 1,
            maxLength: 256,
            description: 'Credential revision that is pinned to each action. Default: none.',
          },
        },
      },
    },
    rollout: {
      type: 'object',
      default: {},
      description: 'How hosts of an old version or configuration are replaced.',
      properties: {
        maxSurge: {
          type: 'integer',
          minimum: 0,
          maximum: 1000,
          default: 1,
          description: 'Hosts that may run above the number wanted.',
        },
        maxUnavailable: {
          type: 'integer',
          minimum: 0,
          maximum: 1000,
          default: 0,
          description: 'Hosts that may be missing from the number wanted.',
        },
        drainTimeoutSeconds: {
          type: 'integer',
          minimum: 1,
          maximum: 300,
          default: 300,
          description: 'How long a host that is being removed may finish its work.',
        },
        progressDeadlineSeconds: {
          type: 'integer',
          minimum: 1,
          maximum: 86400,
          default: 600,
          description:
            'After this time without a new host becoming ready the rollout is Stalled; the old hosts continue to serve.',
        },
        onDeadline: {
          type: 'string',
          enum: ['Keep', 'Rollback'],
          default: 'Keep',
          description:
            'What follows a passed deadline. Keep: old and new hosts stay. Rollback: the newest revision of the history runs until the spec changes.',
        },
        canary: {
          type: 'object',
          description:
            'A new version or configuration is tried by a share of the hosts before it replaces the others. When too many of their actions fail, the newest revision of the history runs until the spec changes. Needs replicas and maxSurge of together at least 2, and a completed rollout.',
          properties: {
            percent: {
              type: 'integer',
              minimum: 1,
              maximum: 99,
              default: 10,
              description: 'Share of the hosts, at least one, and of the new actions where the version is another one.',
            },
            durationSeconds: {
              type: 'integer',
              minimum: 1,
              maximum: 86400,
              default: 300,
              description: 'How long it is tried, from when these hosts are ready.',
            },
            minActions: {
              type: 'integer',
              minimum: 1,
              maximum: 1000,
              default: 10,
              description: 'After so many ended actions it may fail earlier. Of more, the last 1000 count.',
            },
            maxFailurePercent: {
              type: 'integer',
              minimum: 0,
              maximum: 100,
              default: 5,
              description: 'Share of ended actions that may fail.',
            },
          },
        },
        paused: {
          type: 'boolean',
          default: false,
          description:
            'true: hosts of an old version or configuration are not replaced; fewer replicas are still removed.',
        },
      },
    },
    revisionHistoryLimit: {
      type: 'integer',
      minimum: 0,
      maximum: 20,
      default: 10,
      description: 'Completed rollouts that are kept for `aip fleet rollback`; together at most 64 KiB.',
    },
    scaleToZero: {
      type: 'object',
      description:
        'The instance goes without hosts while no action needs it; the next action waits and starts them. replicas says how many then run. Managed only, and not with webhook, whose deliveries need a host.',
      properties: {
        idleAfterSeconds: {
          type: 'integer',
          minimum: 60,
          maximum: 2592000,
          default: 600,
          description: 'Time without an action after which the hosts are drained.',
        },
        wakeTimeoutSeconds: {
          type: 'integer',
          minimum: 1,
          maximum: 3600,
          default: 300,
          description:
            'How long an action waits for a host; a caller that waits for the answer waits at most for the timeout of the action. After it the action ends as connector.replica_unavailable.',
        },
      },
    },
    pod: podSchema,
    suspend: {
      type: 'boolean',
      default: false,
      description: 'true: the fleet leaves everything of this instance as it is until this is false again.',
    },
    deletionPolicy: {
      type: 'string',
      enum: ['Retain', 'Delete'],
      default: 'Retain',
      description: "What becomes of the hosts' database schema when the instance is deleted.",
    },
  },
  'x-kubernetes-validations': [
    {
      rule: 'self.tenantId == oldSelf.tenantId',
      message: 'the tenant is immutable; make another ConnectorInstance',
      fieldPath: '.tenantId',
    },
    {
      rule: 'self.hosting == oldSelf.hosting',
      message: 'hosting is immutable; make another ConnectorInstance',
      fieldPath: '.hosting',
    },
    // Not on rollout itself: an API server checks the default {} by the rules of its own schema before it fills in the inner defaults.
    {
      rule: 'self.rollout.maxSurge + self.rollout.maxUnavailable > 0',
      message: 'maxSurge and maxUnavailable may not both be 0; no host could ever be replaced',
      fieldPath: '.rollout',
    },
    {
      rule: '!has(self.rollout.canary) || self.revisionHistoryLimit > 0',
      message: 'a canary needs a history to return to; set revisionHistoryLimit',
      fieldPath: '.rollout.canary',
    },
    {
      rule: "!has(self.scaleToZero) || self.hosting != 'External'",
      message: 'the fleet does not start the hosts of an External instance; remove scaleToZero',
      fieldPath: '.scaleToZero',
      reason: 'FieldValueForbidden',
    },
    {
      rule: '!has(self.scaleToZero) || !has(self.webhook)',
      message: 'deliveries of webhooks need a host; remove scaleToZero or webhook',
      fieldPath: '.scaleToZero',
      reason: 'FieldValueForbidden',
    },
    {
      rule: "self.hosting != 'External' || has(self.connector.manifest)",
      message: 'an External instance carries its manifest inline',
      fieldPath: '.connector.manifest',
      reason: 'FieldValueRequired',
    },
    {
      rule: "self.hosting != 'External' || has(self.connector.artifactDigest)",
      message: 'an External instance states the digest of what its hosts run',
      fieldPath: '.connector.artifactDigest',
      reason: 'FieldValueRequired',
    },
    {
      rule: "self.hosting != 'External' || !has(self.connector.image)",
      message: 'an image has no meaning for an External instance; remove it',
      fieldPath: '.connector.image',
      reason: 'FieldValueForbidden',
    },
    {
      rule: "self.hosting != 'External' || self.secrets.size() == 0",
      message: 'secrets are not mounted for an External instance; remove them',
      fieldPath: '.secrets',
      reason: 'FieldValueForbidden',
    },
    {
      rule: "!has(self.webhook) || self.secrets.exists(secret, secret.file == 'webhook-secret')",
      message: 'a webhook route needs the secret file webhook-secret; add it to secrets or remove webhook',
      fieldPath: '.webhook',
    },
    {
      rule: "self.hosting == 'External' || !has(self.connector.manifest)",
      message: 'the connector describes its manifest itself; remove it or set hosting: External',
      fieldPath: '.connector.manifest',
      reason: 'FieldValueForbidden',
    },
    {
      rule: "self.hosting == 'External' || !has(self.connector.artifactDigest)",
      message: 'the digest is known from the image; remove it or set hosting: External',
      fieldPath: '.connector.artifactDigest',
      reason: 'FieldValueForbidden',
    },
  ],
} as const satisfies ResourceSchema;

/** `status` of a ConnectorInstance. */
export const connectorInstanceStatusSchema = {
  type: 'object',
  description: 'What was observed.',
  properties: {
    observedGeneration: {
      type: 'integer',
      minimum: 0,
      description: 'The metadata.generation that this status speaks of.',
    },
    conditions: {
      ...conditionsSchema,
      description:
        'Ready: enough hosts serve. Admitted: the version is described, checked and in the registry. Reconciling and Stalled are absent when they do not hold.',
    },
    replicas: { type: 'integer', minimum: 0, description: 'Hosts that exist, draining ones too.' },
    readyReplicas: { type: 'integer', minimum: 0, description: 'Hosts that take new actions.' },
    updatedReplicas: { type: 'integer', minimum: 0, description: 'Hosts of the wanted version and configuration.' },
    drainingReplicas: {
      type: 'integer',
      minimum: 0,
      description: 'Hosts that finish their work before they are removed.',
    },
    selector: { type: 'string', maxLength: 512, description: 'Label selector of the Pods, for autoscalers.' },
    instanceId: { type: 'string', maxLength: 256, description: 'Id of the instance in the registry.' },
    versionId: { type: 'string', maxLength: 256, description: 'Id of the admitted version in the registry.' },
    manifestDigest: { type: 'string', maxLength: 71, description: 'Digest of the admitted manifest.' },
    capabilities: { type: 'integer', minimum: 0, description: 'Number of capabilities of the admitted manifest.' },
    versions: {
      type: 'array',
      description:
        'The versions that hosts run, the admitted one first, with the work that old ones still hold. At most 32 are listed.',
      maxItems: 32,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['versionId'],
      items: {
        type: 'object',
        required: ['versionId', 'replicas', 'readyReplicas', 'drainingReplicas', 'pinnedActions'],
        properties: {
          versionId: { type: 'string', maxLength: 256, description: 'Id of the version in the registry.' },
          version: { type: 'string', maxLength: 128, description: 'Label of the version, where it is known.' },
          manifestDigest: { type: 'string', maxLength: 71, description: 'Digest of its manifest.' },
          replicas: { type: 'integer', minimum: 0, description: 'Hosts that run it, draining ones too.' },
          readyReplicas: { type: 'integer', minimum: 0, description: 'Hosts of it that take new actions.' },
          drainingReplicas: {
            type: 'integer',
            minimum: 0,
            description: 'Hosts of it that finish their work before they are removed.',
          },
          pinnedActions: {
            type: 'integer',
            minimum: 0,
            description: 'Actions that its draining hosts still hold, counted at most every 5 s.',
          },
          removedBy: {
            type: 'string',
            format: 'date-time',
            maxLength: 64,
            description:
              'When the last of its hosts is ended at the latest, RFC 3339. Absent while one of them stays or has no deadline, and once they hold nothing.',
          },
        },
      },
    },
    webhookUrl: {
      type: 'string',
      maxLength: 2048,
      description: 'Where the provider sends webhook deliveries; only for instances that take them.',
    },
    configRevision: {
      type: 'integer',
      minimum: 0,
      description: 'Counts changes of configuration, references of secrets and bindings.',
    },
  },
} as const satisfies ResourceSchema;

/** A whole ConnectorInstance document. */
export const connectorInstanceSchema = {
  type: 'object',
  description: 'One connector with one configuration for one tenant, and how many hosts serve it.',
  required: ['apiVersion', 'kind', 'metadata', 'spec'],
  properties: {
    apiVersion: { type: 'string', enum: [API_VERSION] },
    kind: { type: 'string', enum: ['ConnectorInstance'] },
    metadata: metadataSchema,
    spec: connectorInstanceSpecSchema,
    status: connectorInstanceStatusSchema,
  },
  'x-kubernetes-validations': [
    {
      rule: 'self.metadata.name.size() <= 48',
      message: 'the name has more than 48 characters; replicas take their names from it',
    },
    {
      rule: "self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
      message:
        'the name begins with a letter and has only lower-case letters, digits and dashes; a Service takes its name from it',
    },
  ],
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

/**
 * Rules that go across members (docs/kubernetes/reference.md); each problem names the member and what to do. An API server checks the same ones but for
 * the last: images are named by digest, unless `allowImageTags`.
 */
export function connectorInstanceProblems(
  instance: ConnectorInstance,
  { allowImageTags = false }: { allowImageTags?: boolean } = {},
): { path: string; message: string }[] {
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
  if (spec.rollout.canary && spec.revisionHistoryLimit === 0)
    say('spec.rollout.canary', 'needs a history to return to; set spec.revisionHistoryLimit');
  if (spec.scaleToZero && spec.webhook)
    say('spec.scaleToZero', 'leaves deliveries of webhooks without a host; remove it or spec.webhook');
  const files = spec.secrets.map((secret) => secret.file);
  for (const file of new Set(files.filter((file, index) => files.indexOf(file) !== index)))
    say('spec.secrets', `the file ${file} is named twice; give each secret a file of its own`);
  if (spec.webhook && !files.includes('webhook-secret'))
    say('spec.webhook', 'needs the secret file webhook-secret; add it to spec.secrets or remove spec.webhook');
  if (spec.hosting === 'External') {
    if (!spec.connector.manifest)
      say('spec.connector.manifest', 'is missing; an External instance carries its manifest inline');
    if (!spec.connector.artifactDigest)
      say('spec.connector.artifactDigest', 'is missing; an External instance states sha256:…');
    if (spec.scaleToZero) say('spec.scaleToZero', 'has no meaning for an External instance; remove it');
    if (spec.connector.image) say('spec.connector.image', 'has no meaning for an External instance; remove it');
    if (spec.secrets.length > 0) say('spec.secrets', 'are not mounted for an External instance; remove them');
  } else {
    if (spec.connector.manifest)
      say('spec.connector.manifest', 'is described by the connector itself; remove it or set hosting: External');
    if (spec.connector.artifactDigest)
      say('spec.connector.artifactDigest', 'is known from the image; remove it or set hosting: External');
  }
  problems.push(...podProblems(spec.pod));
  const { image } = spec.connector;
  if (image && spec.hosting === 'Managed' && !allowImageTags && !PINNED_IMAGE.test(image))
    say('spec.connector.image', 'names no digest, so hosts could come to differ; write name@sha256:…');
  return problems;
}
