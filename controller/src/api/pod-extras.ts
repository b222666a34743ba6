import type { FromSchema, ResourceSchema } from './json-schema.js';

/** Names that decide how a host starts, what code it loads and whom it trusts; only the fleet sets those. */
const RESERVED = '^(AIP_|NODE_|OTEL_|OPENSSL_|SSL_|LD_|GLIBC_|GCONV_|MALLOC_|UV_|KUBERNETES_|PG)';
const RESERVED_MESSAGE =
  'names that begin with AIP_, NODE_, OTEL_, OPENSSL_, SSL_, LD_, GLIBC_, GCONV_, MALLOC_, UV_, KUBERNETES_ or PG are reserved for the fleet';
/** Folders below which a host may be given files: none of them holds code, authorities or what the fleet mounts. */
const MOUNT_PATH = '^/(mnt|data|srv|tmp|cache)(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$';
const RELATIVE_PATH = '^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$';
/** A name that leaves room for the prefix by which volumes of users differ from the fleet's. */
const LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';
const QUANTITY = '^[0-9]+(\\.[0-9]+)?([KMGTPE]i|[kMGTPE])?$';
const IMAGE = '^[A-Za-z0-9]([A-Za-z0-9._:/-]*[A-Za-z0-9])?(@sha256:[0-9a-f]{64})?$';

const objectName = (description: string) => ({ type: 'string', minLength: 1, maxLength: 253, description }) as const;
const keyOf = (what: string) =>
  ({
    type: 'object',
    description: `A key of a ${what} of the namespace.`,
    required: ['name', 'key'],
    properties: { name: objectName(`Name of the ${what}.`), key: objectName(`Key within the ${what}.`) },
  }) as const;

const keysAsFiles = {
  type: 'array',
  maxItems: 64,
  description: 'Keys that become files. Default: all.',
  items: {
    type: 'object',
    required: ['key', 'path'],
    properties: {
      key: objectName('Key.'),
      path: { type: 'string', maxLength: 253, pattern: RELATIVE_PATH, description: 'File, relative to the volume.' },
    },
  },
} as const satisfies ResourceSchema;

const variable = {
  type: 'object',
  required: ['name'],
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 128,
      pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
      description: 'Name of the variable.',
    },
    value: { type: 'string', maxLength: 4096, description: 'Its value.' },
    valueFrom: {
      type: 'object',
      description: 'Where its value comes from, instead of value.',
      properties: { secretKeyRef: keyOf('Secret'), configMapKeyRef: keyOf('ConfigMap') },
      'x-kubernetes-validations': [
        {
          rule: 'has(self.secretKeyRef) != has(self.configMapKeyRef)',
          message: 'name one of secretKeyRef and configMapKeyRef',
        },
      ],
    },
  },
} as const satisfies ResourceSchema;
const oneValue = {
  rule: '!(has(self.value) && has(self.valueFrom))',
  message: 'give a value or valueFrom, not both',
} as const;
const variables = {
  type: 'array',
  maxItems: 64,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
} as const;

/** `spec.pod.env`. */
export const envSchema = {
  ...variables,
  description: 'Further environment variables of the host, such as HTTPS_PROXY. Not for secrets: use spec.secrets.',
  items: {
    ...variable,
    'x-kubernetes-validations': [
      { rule: `!self.name.matches('${RESERVED}')`, message: RESERVED_MESSAGE, fieldPath: '.name' },
      oneValue,
    ],
  },
} as const satisfies ResourceSchema;

/** `spec.pod.volumes`: kinds that reach neither the node nor another namespace. */
export const volumesSchema = {
  type: 'array',
  maxItems: 16,
  description: 'Further volumes of the Pods, each of one kind.',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: {
    type: 'object',
    required: ['name'],
    properties: {
      name: {
        type: 'string',
        minLength: 1,
        maxLength: 58,
        pattern: LABEL,
        description: 'Name by which volumeMounts name it.',
      },
      configMap: {
        type: 'object',
        description: 'A ConfigMap of the namespace.',
        required: ['name'],
        properties: { name: objectName('Name of the ConfigMap.'), items: keysAsFiles },
      },
      secret: {
        type: 'object',
        description: 'A Secret of the namespace.',
        required: ['secretName'],
        properties: { secretName: objectName('Name of the Secret.'), items: keysAsFiles },
      },
      emptyDir: {
        type: 'object',
        description: 'An empty folder that lives as long as the Pod.',
        properties: {
          medium: { type: 'string', enum: ['Memory'], description: 'Memory: never on a disk.' },
          sizeLimit: { type: 'string', maxLength: 32, pattern: QUANTITY, description: 'Greatest size, such as 64Mi.' },
        },
      },
      persistentVolumeClaim: {
        type: 'object',
        description: 'A PersistentVolumeClaim of the namespace; several hosts need one that several nodes can mount.',
        required: ['claimName'],
        properties: {
          claimName: objectName('Name of the claim.'),
          readOnly: { type: 'boolean', description: 'Mounted for reading alone.' },
        },
      },
      projected: {
        type: 'object',
        description: 'Tokens of the service account for others than the API server. Needs serviceAccountName.',
        required: ['sources'],
        properties: {
          sources: {
            type: 'array',
            minItems: 1,
            maxItems: 4,
            description: 'The tokens.',
            items: {
              type: 'object',
              required: ['serviceAccountToken'],
              properties: {
                serviceAccountToken: {
                  type: 'object',
                  description: 'A token that the kubelet renews.',
                  required: ['audience', 'path'],
                  properties: {
                    audience: {
                      type: 'string',
                      minLength: 1,
                      maxLength: 512,
                      description: 'Who takes the token, such as sts.amazonaws.com.',
                    },
                    expirationSeconds: {
                      type: 'integer',
                      minimum: 600,
                      maximum: 86400,
                      description: 'Life of a token. Default: 3600.',
                    },
                    path: { type: 'string', maxLength: 253, pattern: RELATIVE_PATH, description: 'File of the token.' },
                  },
                },
              },
            },
          },
        },
      },
    },
    'x-kubernetes-validations': [
      {
        rule: '[has(self.configMap), has(self.secret), has(self.emptyDir), has(self.persistentVolumeClaim), has(self.projected)].filter(kind, kind).size() == 1',
        message: 'name one of configMap, secret, emptyDir, persistentVolumeClaim and projected',
      },
    ],
  },
} as const satisfies ResourceSchema;

const mountsOf = (pathDescription: string, path: { pattern: string }) =>
  ({
    type: 'array',
    maxItems: 16,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['mountPath'],
    items: {
      type: 'object',
      required: ['name', 'mountPath'],
      properties: {
        name: {
          type: 'string',
          minLength: 1,
          maxLength: 58,
          pattern: LABEL,
          description: 'A volume of spec.pod.volumes.',
        },
        mountPath: { type: 'string', maxLength: 512, ...path, description: pathDescription },
        subPath: { type: 'string', maxLength: 253, pattern: RELATIVE_PATH, description: 'A part of the volume.' },
        readOnly: { type: 'boolean', description: 'Mounted for reading alone.' },
      },
    },
  }) as const;

/** `spec.pod.volumeMounts`. */
export const volumeMountsSchema = {
  ...mountsOf('Folder or file below /mnt, /data, /srv, /tmp or /cache.', { pattern: MOUNT_PATH }),
  description: 'Where the host finds the further volumes.',
} as const satisfies ResourceSchema;

/** `spec.pod.sidecars`; `resources` is the schema of a container's resources. */
export const sidecarsSchema = <R extends ResourceSchema>(resources: R) =>
  ({
    type: 'array',
    maxItems: 4,
    description:
      'Further containers, started before the host and ended after it. The annotation fleet.aip.dev/sidecar-images of the namespace must name their images. They share the network and the further volumes of the host, not its processes or files.',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: {
      type: 'object',
      required: ['name', 'image'],
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 58, pattern: LABEL, description: 'Name of the container.' },
        image: {
          type: 'string',
          minLength: 1,
          maxLength: 512,
          pattern: IMAGE,
          description: 'Image, by digest (name@sha256:…) unless the controller allows tags.',
        },
        command: {
          type: 'array',
          maxItems: 64,
          description: "Program. Default: the image's own.",
          items: { type: 'string', maxLength: 4096 },
        },
        args: {
          type: 'array',
          maxItems: 64,
          description: "Arguments. Default: the image's own.",
          items: { type: 'string', maxLength: 4096 },
        },
        env: {
          ...variables,
          description: 'Environment variables.',
          items: { ...variable, 'x-kubernetes-validations': [oneValue] },
        },
        resources: {
          ...resources,
          description: 'Compute resources. Default: requests of 10m CPU and 32Mi memory, a limit of 128Mi memory.',
        },
        volumeMounts: {
          ...mountsOf('Folder or file in the container.', { pattern: '^/[A-Za-z0-9._/-]*$' }),
          description: 'Where it finds the further volumes.',
        },
      },
    },
  }) as const satisfies ResourceSchema;

/** Rules across the members of `spec.pod`. */
export const podRules = [
  {
    rule: '!has(self.volumeMounts) || (has(self.volumes) && self.volumeMounts.all(mount, self.volumes.exists(volume, volume.name == mount.name)))',
    message: 'each mount names a volume of spec.pod.volumes',
    fieldPath: '.volumeMounts',
  },
  {
    rule: '!has(self.sidecars) || self.sidecars.all(sidecar, !has(sidecar.volumeMounts) || (has(self.volumes) && sidecar.volumeMounts.all(mount, self.volumes.exists(volume, volume.name == mount.name))))',
    message: 'each mount of a sidecar names a volume of spec.pod.volumes',
    fieldPath: '.sidecars',
  },
  {
    rule: '!has(self.volumes) || has(self.serviceAccountName) || !self.volumes.exists(volume, has(volume.projected))',
    message: 'tokens need spec.pod.serviceAccountName',
    fieldPath: '.volumes',
  },
] as const;

type Volumes = FromSchema<typeof volumesSchema>;
type Mounts = FromSchema<typeof volumeMountsSchema>;

/** What of `spec.pod` these rules are about. */
export interface PodExtras {
  serviceAccountName?: string;
  env?: FromSchema<typeof envSchema>;
  volumes?: Volumes;
  volumeMounts?: Mounts;
  sidecars?: { name: string; env?: FromSchema<typeof envSchema>; volumeMounts?: Mounts }[];
}

const VOLUME_KINDS = ['configMap', 'secret', 'emptyDir', 'persistentVolumeClaim', 'projected'] as const;

/** The rules that an API server checks, for definitions that lack them and for files. */
export function podProblems({
  serviceAccountName,
  env = [],
  volumes = [],
  volumeMounts = [],
  sidecars = [],
}: PodExtras): {
  path: string;
  message: string;
}[] {
  const problems: { path: string; message: string }[] = [];
  const say = (path: string, message: string): void => {
    problems.push({ path: `spec.pod.${path}`, message });
  };
  const known = new Set(volumes.map(({ name }) => name));
  const checkMounts = (path: string, mounts: Mounts): void => {
    for (const { name } of mounts)
      if (!known.has(name)) say(path, `names the volume ${name}; add it to spec.pod.volumes`);
  };
  const checkEnv = (path: string, all: NonNullable<PodExtras['env']>): void => {
    for (const { name, value, valueFrom } of all) {
      if (value !== undefined && valueFrom) say(path, `${name} has value and valueFrom; give one of them`);
      if (valueFrom && (valueFrom.secretKeyRef === undefined) === (valueFrom.configMapKeyRef === undefined))
        say(path, `${name} must have one of secretKeyRef and configMapKeyRef`);
    }
  };
  for (const { name } of env)
    if (new RegExp(RESERVED).test(name)) say('env', `${name} is reserved: ${RESERVED_MESSAGE}`);
  checkEnv('env', env);
  for (const volume of volumes)
    if (VOLUME_KINDS.filter((kind) => volume[kind] !== undefined).length !== 1)
      say('volumes', `${volume.name} must have one of ${VOLUME_KINDS.join(', ')}`);
  if (serviceAccountName === undefined && volumes.some(({ projected }) => projected))
    say('volumes', 'has tokens, which need spec.pod.serviceAccountName');
  checkMounts('volumeMounts', volumeMounts);
  for (const { name, env: own = [], volumeMounts: mounts = [] } of sidecars) {
    checkEnv(`sidecars ${name}`, own);
    checkMounts(`sidecars ${name}`, mounts);
  }
  return problems;
}
