import { AipError, type ErrorCode } from '../../../protocol/errors.js';
import { AIP_VERSION } from '../../../protocol/limits.js';
import type { JsonSchema } from '../../../protocol/schema/dsl/json-schema.js';
import type { Parameter } from '../../edge/query-parameters.js';
import { exampleOf } from './examples.js';
import { OPERATIONS, type Operation } from './operations.js';
import { componentSchemas, ref } from './schemas.js';

/** What every operation may be answered with besides its own errors. */
const EVERYWHERE: readonly ErrorCode[] = [
  'http.method_not_allowed',
  'http.headers_too_large',
  'http.malformed_request',
  'http.body_too_large',
  'http.body_timeout',
  'http.overloaded',
  'runtime.handler_failed',
];

const SECURITY: Readonly<Record<Operation['authentication'], readonly object[]>> = {
  none: [],
  bearer: [{ bearer: [] }],
  bearer_or_signature: [{ bearer: [] }, {}],
  signed_route: [{}],
};

const AUTHENTICATION: Readonly<Record<Operation['authentication'], string>> = {
  none: 'Takes no credential; protect it at the edge of the deployment.',
  bearer: 'Needs a bearer token.',
  bearer_or_signature: 'Needs a bearer token, or an envelope that a trusted signer signed.',
  signed_route: 'Takes envelopes that a connector host of the fleet signed; a bearer token does not count.',
};

/** An OpenAPI document. */
export type OpenApiDocument = Readonly<Record<string, unknown>>;

/**
 * The OpenAPI 3.1 document of the client API: parameters are described by the readers that the routes use, bodies by the
 * schemas that the server validates with, errors by the table of codes.
 */
export function openApiDocument(): OpenApiDocument {
  const schemas = componentSchemas();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of OPERATIONS) {
    const path = paths[operation.path] ?? {};
    path[operation.method] = operationOf(operation, schemas);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'AIP gateway',
      version: AIP_VERSION,
      description:
        'The native client API. Decide by the code, category, retryable and retry_after_ms of an error. Lists continue at the cursor that they returned to the same caller and filters. With follow=true a route answers text/event-stream.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(OPERATIONS.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operationOf(operation: Operation, schemas: Readonly<Record<string, JsonSchema>>): object {
  const { method, path, tag, summary, authentication, body } = operation;
  return {
    operationId: operationId(method, path),
    tags: [tag],
    summary,
    description: AUTHENTICATION[authentication],
    security: SECURITY[authentication],
    parameters: parametersOf(operation),
    ...(body && {
      requestBody: {
        required: body.required,
        content: Object.fromEntries(
          ['application/json', 'application/aip+json'].map((type) => [
            type,
            { schema: ref(body.schema), example: exampleOf(body.schema, schemas) },
          ]),
        ),
      },
    }),
    responses: responsesOf(operation, schemas),
  };
}

function operationId(method: string, path: string): string {
  const place = path.startsWith('/aip/v1') ? path.slice('/aip/v1'.length) : `/process${path}`;
  const words = place
    .replace(':', '/alias/')
    .replace(/[{}]/g, '')
    .split(/[/_.-]+/);
  return [method, ...words.filter((each) => each !== '')]
    .map((each, index) => (index === 0 ? each : each.charAt(0).toUpperCase() + each.slice(1)))
    .join('');
}

function parametersOf({ query = {}, pathParameters = {}, resumes }: Operation): object[] {
  const place = (where: 'path' | 'query', entries: Readonly<Record<string, Parameter<unknown>>>): object[] =>
    Object.entries(entries).map(([name, { schema = { type: 'string' } }]) => {
      const { description, ...value } = schema;
      return {
        name,
        in: where,
        required: where === 'path',
        ...(description !== undefined && { description }),
        schema: value,
        example: parameterExample(name, value),
        ...(value.type === 'array' && { style: 'form', explode: false }),
      };
    });
  const header = {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'Where to continue when the query has no cursor: the id of the last frame received.',
    schema: { type: 'string', maxLength: 512 },
    example: 'evt_0197a1c2d3e47f508192a3b4c5d6e7f1',
  };
  return [...place('path', pathParameters), ...place('query', query), ...(resumes ? [header] : [])];
}

/** A value that the parameter takes. */
export function parameterExample(name: string, schema: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer') return schema.default ?? 0;
  if (schema.type === 'array') return [parameterExample(name, schema.items as Record<string, unknown>)];
  if (schema.format === 'date-time') return '2026-01-02T03:04:05Z';
  const prefix = /^\^(\w+_)/.exec(String(schema.pattern ?? ''))?.[1];
  return prefix === undefined ? `a-${name.replaceAll('_', '-')}` : `${prefix}0197a1c2d3e47f508192a3b4c5d6e7f1`;
}

function responsesOf(operation: Operation, schemas: Readonly<Record<string, JsonSchema>>): Record<string, unknown> {
  const { answer, also = {}, resumes } = operation;
  const json = (schema: string): object => ({ schema: ref(schema), example: exampleOf(schema, schemas) });
  const ok: Record<string, unknown> =
    'schema' in answer ? { 'application/json': json(answer.schema) } : { [answer.mediaType]: {} };
  if (resumes) ok['text/event-stream'] = { schema: { type: 'string' } };
  const responses: Record<string, unknown> = { 200: { description: operation.summary, content: ok } };
  for (const [status, schema] of Object.entries(also))
    responses[status] =
      schema === ''
        ? { description: status === '304' ? 'The content has the named tag.' : 'The connection is a WebSocket.' }
        : { description: operation.summary, content: { 'application/json': json(schema) } };
  for (const [status, errors] of Map.groupBy(errorsOf(operation), (error) => error.status))
    responses[status] = merged(responses[status], errorResponse(operation, errors));
  return responses;
}

function errorsOf({ errors }: Operation): AipError[] {
  const codes = new Set<ErrorCode>([...errors, ...EVERYWHERE]);
  return [...codes].map((code) => new AipError(code));
}

function errorResponse(operation: Operation, errors: readonly AipError[]): { description: string; content: object } {
  const form = operation.errorForm ?? 'ErrorEnvelope';
  // What no route could read, and what the router refuses, comes as an envelope on every path.
  const schema = form === 'DirectError' ? { oneOf: [ref('DirectError'), ref('ErrorEnvelope')] } : ref(form);
  const examples = Object.fromEntries(errors.map((error) => [error.code, { value: errorExample(form, error) }]));
  return {
    description: [...new Set(errors.map(({ code }) => code))].join(', '),
    content: { 'application/json': { schema, examples } },
  };
}

function errorExample(form: string, error: AipError): object {
  const protocolError = error.toProtocolError();
  if (form === 'DirectError') return { error: protocolError };
  return {
    aip_version: AIP_VERSION,
    message_type: 'aip.core.v1.error',
    message_id: 'msg_0197a1c2d3e47f508192a3b4c5d6e7f1',
    sent_at: '2026-01-02T03:04:05Z',
    body: { error: { error: protocolError } },
  };
}

/** Two responses of one status: an error beside an answer that has that status too. */
function merged(known: unknown, added: { description: string; content: object }): object {
  if (known === undefined) return added;
  const { description, content } = known as { description: string; content: Record<string, { schema: object }> };
  const schema = content['application/json']?.schema;
  const other = (added.content as Record<string, { schema: object }>)['application/json']?.schema;
  return {
    description: `${description}; ${added.description}`,
    content: { 'application/json': { schema: { anyOf: [schema, other] } } },
  };
}
