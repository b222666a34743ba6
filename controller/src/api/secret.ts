import type { ResourceSchema } from './json-schema.js';
import { type Metadata, metadataSchema } from './metadata.js';

/** A Secret as Kubernetes takes it: `stringData` is text, `data` is base64. */
export const secretSchema = {
  type: 'object',
  required: ['apiVersion', 'kind', 'metadata'],
  properties: {
    apiVersion: { type: 'string', enum: ['v1'] },
    kind: { type: 'string', enum: ['Secret'] },
    metadata: metadataSchema,
    type: { type: 'string', maxLength: 253 },
    immutable: { type: 'boolean' },
    stringData: { type: 'object', maxProperties: 1000, additionalProperties: { type: 'string', maxLength: 1048576 } },
    data: { type: 'object', maxProperties: 1000, additionalProperties: { type: 'string', maxLength: 1398104 } },
  },
} as const satisfies ResourceSchema;

export interface Secret {
  apiVersion: 'v1';
  kind: 'Secret';
  metadata: Metadata;
  type?: string;
  stringData?: Record<string, string>;
  data?: Record<string, string>;
}

/** The bytes under one key; `stringData` goes before `data`, as in Kubernetes. */
export function secretValue(secret: Secret, key: string): Buffer | undefined {
  const text = secret.stringData?.[key];
  if (text !== undefined) return Buffer.from(text, 'utf8');
  const encoded = secret.data?.[key];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
}
