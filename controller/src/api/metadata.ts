import type { ObjectMeta } from '../kube/kube.js';
import type { FromSchema, ResourceSchema } from './json-schema.js';

/** Members of `metadata` that resource files may carry; an API server has its own rules for them. */
export const metadataSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 63,
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
      description: 'Lower-case letters, digits and dashes.',
    },
    namespace: {
      type: 'string',
      minLength: 1,
      maxLength: 63,
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
      default: 'default',
    },
    labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 63 } },
    annotations: { type: 'object', additionalProperties: { type: 'string', maxLength: 262144 } },
    uid: { type: 'string', minLength: 1, maxLength: 128 },
    generation: { type: 'integer', minimum: 0 },
  },
} as const satisfies ResourceSchema;

/** `metadata` as files and API servers hold it; the members that only an API server writes are absent from files. */
export type Metadata = FromSchema<typeof metadataSchema> &
  Pick<ObjectMeta, 'ownerReferences' | 'finalizers' | 'resourceVersion' | 'creationTimestamp' | 'deletionTimestamp'>;

/** `namespace/name`, the key of a resource among those of its kind. */
export function keyOf(resource: { metadata: { name: string; namespace: string } }): string {
  return `${resource.metadata.namespace}/${resource.metadata.name}`;
}

/** A resource's `namespace/name` as people see and type it: the default namespace is left out. */
export function shownName(key: string): string {
  return key.startsWith('default/') ? key.slice('default/'.length) : key;
}

/** A text that names resources of ours by their `namespace/name`, with the names that people see. */
export function withShownNames(text: string, keys: Iterable<string>): string {
  return [...keys].reduce((shown, key) => shown.replaceAll(key, shownName(key)), text);
}
