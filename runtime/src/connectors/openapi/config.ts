import { PROVIDER_PROPERTIES } from '../provider/origin.js';
import type { FromSchema } from '../sdk/json-schema.js';

/** Largest answer, in bytes: it must fit into a result. */
export const MAX_ANSWER_BYTES = 3_145_728;

const headerName = { type: 'string', pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$" } as const;
const secretName = { type: 'string', minLength: 1, maxLength: 253 } as const;

export const openapiConfigSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'base_url', 'document', 'operations'],
  properties: {
    ...PROVIDER_PROPERTIES,
    /** Comes between `cap:openapi:` and the operation, so that several APIs may be offered beside each other. */
    name: { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' },
    /** Path below the origin; default that of the document's first server. */
    base_path: { type: 'string', pattern: '^(?:/[A-Za-z0-9._~-]+)*$', maxLength: 1024 },
    /** The OpenAPI 3.0 or 3.1 document. */
    document: { type: 'object', required: ['openapi', 'paths'] },
    /** What is offered, by operationId; an object overrides what follows from the method. */
    operations: {
      type: 'array',
      minItems: 1,
      maxItems: 512,
      items: {
        anyOf: [
          { type: 'string', minLength: 1, maxLength: 128 },
          {
            type: 'object',
            additionalProperties: false,
            required: ['operation'],
            properties: {
              operation: { type: 'string', minLength: 1, maxLength: 128 },
              risk: { enum: ['low', 'medium', 'high', 'critical'] },
              /** Default: for risk high and critical. */
              approval: { type: 'boolean' },
              /** May it run again? `read` at any time, `idempotent` with its key, `unsafe` never. */
              effect: { enum: ['read', 'idempotent', 'unsafe'] },
            },
          },
        ],
      },
    },
    /** How the credential of the instance is sent; without it requests carry none. */
    credential: {
      type: 'object',
      additionalProperties: false,
      required: ['scheme', 'secret'],
      properties: {
        scheme: { enum: ['bearer', 'basic', 'header'] },
        /** Secret file with the token; for basic `user:password`. */
        secret: secretName,
        /** For the scheme header. */
        header: headerName,
      },
    },
    /** Header that carries the idempotency key of an action. */
    idempotency_header: headerName,
    max_response_bytes: { type: 'integer', minimum: 1, maximum: MAX_ANSWER_BYTES },
    timeout_ms: { type: 'integer', minimum: 1, maximum: 300_000 },
    /** Path below the origin whose 2xx answer to a GET says that the provider is usable; default: always usable. */
    health_path: { type: 'string', pattern: '^/[A-Za-z0-9._~/-]*$', maxLength: 1024 },
  },
} as const;

/** Configuration of the openapi connector. */
export type OpenapiConfig = FromSchema<typeof openapiConfigSchema>;
export type OperationChoice = Exclude<OpenapiConfig['operations'][number], string>;

/** The choices of a configuration in their long form. */
export function choicesOf({ operations }: Pick<OpenapiConfig, 'operations'>): OperationChoice[] {
  return operations.map((choice) => (typeof choice === 'string' ? { operation: choice } : choice));
}
