import { hasSchema, type JsonSchema, jsonSchemaOf, schemaFile } from '../../../protocol/schema/dsl/json-schema.js';
import { DEFINITIONS } from '../../../protocol/schema/index.js';

/** A reference to a schema of the document. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

const NAMES = new Map([...DEFINITIONS.values()].map((definition) => [schemaFile(definition), definition.name]));

const text: JsonSchema = { type: 'string' };
const bool: JsonSchema = { type: 'boolean' };
const count: JsonSchema = { type: 'integer', minimum: 0 };

function object(properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties };
}

/** The schemas of bodies that are no record of the protocol. */
const OWN: Readonly<Record<string, JsonSchema>> = {
  ErrorEnvelope: {
    title: 'ErrorEnvelope',
    description: 'A complete envelope with an error; decide by code, category, retryable and retry_after_ms.',
    allOf: [
      ref('Envelope'),
      {
        type: 'object',
        properties: {
          message_type: { const: 'aip.core.v1.error' },
          body: { type: 'object', required: ['error'], properties: { error: ref('ErrorBody') } },
        },
      },
    ],
  },
  DirectError: {
    title: 'DirectError',
    description: 'The error of a route that answers without an envelope.',
    ...object({ error: ref('ProtocolError') }),
  },
  CapabilityPage: {
    title: 'CapabilityPage',
    description: "A page of the tenant's capability catalog.",
    ...object({
      catalog_revision: count,
      capabilities: {
        type: 'array',
        items: object({ capability: ref('Capability'), contract_digest: text, schema_digest: text }),
      },
      next_cursor: { type: ['string', 'null'] },
      total: count,
    }),
  },
  Liveness: {
    title: 'Liveness',
    description: 'The process answers.',
    ...object({
      status: { const: 'ok' },
      protocol: { const: 'AIP' },
      version: { const: '1.0' },
      service: text,
      uptime_ms: count,
    }),
  },
  Readiness: {
    title: 'Readiness',
    description: 'Whether the gateway serves; docs/metrics.md names every member.',
    ...object(
      {
        status: { enum: ['ready', 'not_ready'] },
        gateway: object({
          ready: bool,
          storage: object({ ready: bool, detail: text }),
          connectors: { type: 'object' },
        }),
        supervisor: object({
          runtime_worker_running: bool,
          nats_listener_running: bool,
          nats_required: bool,
          worker_cycles: count,
        }),
        modules: { type: 'object' },
        fleet: {},
      },
      ['fleet'],
    ),
  },
  ExtendedActionResult: {
    title: 'ExtendedActionResult',
    description: 'An ActionResult with what the query asks for beside it.',
    ...extended('ActionResult', {
      receipts: { type: 'array', items: ref('Receipt') },
      terminal_events: { type: 'array', items: ref('Event') },
    }),
  },
  CancelBody: { title: 'CancelBody', type: 'object', properties: { reason: text }, additionalProperties: false },
  CloseBody: {
    title: 'CloseBody',
    type: 'object',
    properties: { reason: { type: 'string', minLength: 1 } },
    additionalProperties: false,
  },
  ResumeBody: {
    title: 'ResumeBody',
    type: 'object',
    properties: { resume_token: text, last_event_cursor: text },
    additionalProperties: false,
  },
};

/** A record of the protocol with further members. */
function extended(name: string, members: Record<string, JsonSchema>): JsonSchema {
  const definition = DEFINITIONS.get(name);
  if (!definition) throw new Error(`no such definition: ${name}`);
  const {
    $schema: _s,
    $id: _i,
    title: _t,
    description: _d,
    ...schema
  } = rewritten(jsonSchemaOf(definition)) as JsonSchema;
  return { ...schema, properties: { ...(schema.properties as object), ...members } };
}

/** Schemas of the protocol name each other by file; in the document they name each other by component. */
function rewritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewritten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const name = key === '$ref' ? NAMES.get(String(item)) : undefined;
      return [key, name === undefined ? rewritten(item) : ref(name).$ref];
    }),
  );
}

/** Every schema of the document by name: the records that the server validates with, and the bodies of its own. */
export function componentSchemas(): Record<string, JsonSchema> {
  const records = [...DEFINITIONS.values()].filter(hasSchema).map((definition): [string, JsonSchema] => {
    const { $schema: _schema, $id: _id, ...schema } = rewritten(jsonSchemaOf(definition)) as JsonSchema;
    return [definition.name, schema];
  });
  return { ...Object.fromEntries(records), ...OWN };
}
