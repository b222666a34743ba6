import type { FromSchema, ResourceSchema } from './json-schema.js';
import { envSchema, podRules, sidecarsSchema, volumeMountsSchema, volumesSchema } from './pod-extras.js';

const KEY = { type: 'string', minLength: 1, maxLength: 317 } as const;
const VALUE = { type: 'string', maxLength: 63 } as const;

const quantities = {
  type: 'object',
  maxProperties: 32,
  additionalProperties: {
    'x-kubernetes-int-or-string': true,
    maxLength: 64,
    pattern:
      '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
  },
} as const satisfies ResourceSchema;

const labelSelector = {
  type: 'object',
  description: 'Pods that count. Default: the Pods of this instance.',
  'x-kubernetes-preserve-unknown-fields': true,
} as const satisfies ResourceSchema;

const resources = {
  type: 'object',
  properties: {
    requests: { ...quantities, description: 'Least amounts, by resource name, such as cpu: 100m.' },
    limits: { ...quantities, description: 'Greatest amounts, by resource name, such as memory: 512Mi.' },
  },
} as const satisfies ResourceSchema;

/** `spec.pod` of a ConnectorInstance: what a user may say about the Pods of its hosts, with the names and meanings of a Pod's own `spec`. */
export const podSchema = {
  type: 'object',
  default: {},
  description:
    'Placement, resources and further parts of the Pods that run the hosts. Members mean what they mean in a Pod. `aip dev` passes over it.',
  properties: {
    resources: {
      ...resources,
      description:
        'Compute resources of the host container. Default: requests of 50m CPU and 128Mi memory, a limit of 512Mi memory.',
    },
    nodeSelector: {
      type: 'object',
      maxProperties: 64,
      additionalProperties: VALUE,
      description: 'Labels that a node must have to run the Pods.',
    },
    tolerations: {
      type: 'array',
      maxItems: 64,
      description: 'Taints of nodes that the Pods put up with.',
      items: {
        type: 'object',
        properties: {
          key: {
            type: 'string',
            maxLength: 317,
            description: 'Taint key; without one, operator Exists matches every key.',
          },
          operator: {
            type: 'string',
            enum: ['Exists', 'Equal'],
            description: 'How key and value are compared. Default: Equal.',
          },
          value: { ...VALUE, description: 'Taint value, with operator Equal.' },
          effect: {
            type: 'string',
            enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'],
            description: 'Taint effect; without one, every effect matches.',
          },
          tolerationSeconds: {
            type: 'integer',
            minimum: 0,
            maximum: 4294967295,
            description: 'How long a NoExecute taint is put up with. Default: for ever.',
          },
        },
      },
    },
    affinity: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: "Affinity rules, as in a Pod's spec.affinity.",
    },
    topologySpreadConstraints: {
      type: 'array',
      maxItems: 16,
      description: 'How the Pods of the instance are spread over nodes and zones.',
      items: {
        type: 'object',
        required: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'],
        properties: {
          maxSkew: {
            type: 'integer',
            minimum: 1,
            maximum: 1000,
            description: 'By how many Pods two places may differ.',
          },
          topologyKey: { ...KEY, description: 'Node label whose values are the places.' },
          whenUnsatisfiable: {
            type: 'string',
            enum: ['DoNotSchedule', 'ScheduleAnyway'],
            description: 'What happens to a Pod that fits nowhere.',
          },
          labelSelector,
          minDomains: {
            type: 'integer',
            minimum: 1,
            maximum: 1000,
            description: 'Least number of places, with DoNotSchedule.',
          },
          nodeAffinityPolicy: {
            type: 'string',
            enum: ['Honor', 'Ignore'],
            description: 'Do nodeSelector and affinity restrict the places that count?',
          },
          nodeTaintsPolicy: {
            type: 'string',
            enum: ['Honor', 'Ignore'],
            description: 'Do taints restrict the places that count?',
          },
          matchLabelKeys: {
            type: 'array',
            maxItems: 8,
            items: KEY,
            description: 'Labels whose value in the new Pod narrows the Pods that count.',
          },
        },
      },
    },
    priorityClassName: { type: 'string', minLength: 1, maxLength: 253, description: 'PriorityClass of the Pods.' },
    imagePullSecrets: {
      type: 'array',
      maxItems: 16,
      description: 'Secrets of the namespace with credentials for the image registry.',
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', minLength: 1, maxLength: 253, description: 'Name of the Secret.' } },
      },
    },
    labels: {
      type: 'object',
      maxProperties: 64,
      additionalProperties: VALUE,
      description: "Further labels of the Pods. The fleet's own labels win.",
    },
    annotations: {
      type: 'object',
      maxProperties: 64,
      additionalProperties: { type: 'string', maxLength: 65536 },
      description: "Further annotations of the Pods. The fleet's own annotations win.",
    },
    runtimeClassName: { type: 'string', minLength: 1, maxLength: 253, description: 'RuntimeClass of the Pods.' },
    runAs: {
      type: 'string',
      enum: ['Fleet', 'Platform'],
      description:
        'Who chooses user and group of the containers. Fleet, the default: 65532. Platform: the cluster, as the restricted security context constraints of OpenShift do; it must also set fsGroup.',
    },
    serviceAccountName: {
      type: 'string',
      minLength: 1,
      maxLength: 253,
      description:
        'ServiceAccount of the Pods, as for the workload identity of a cloud. The annotation fleet.aip.dev/service-accounts of the namespace must name it. No token for the API server is mounted.',
    },
    env: envSchema,
    volumes: volumesSchema,
    volumeMounts: volumeMountsSchema,
    sidecars: sidecarsSchema(resources),
  },
  'x-kubernetes-validations': podRules,
} as const satisfies ResourceSchema;

/** What a user may say about the Pods of an instance. */
export type PodSettings = FromSchema<typeof podSchema>;
