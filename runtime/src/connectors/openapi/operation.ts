import { DocumentProblem, type FoundOperation, followed, isNode, type Node, nodeAt } from './document.js';
import { openSchemaReader, type SchemaReader } from './schemas.js';

/** A parameter of an operation as it is sent. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
}

/** An operation as a capability needs it. */
export interface ReadOperation {
  readonly parameters: readonly Parameter[];
  readonly input: Record<string, unknown>;
  readonly output: Record<string, unknown>;
}

/** Headers that the connector itself sends. */
const OWN_HEADERS = new Set([
  'accept',
  'authorization',
  'content-type',
  'content-length',
  'host',
  'cookie',
  'connection',
]);
const JSON_MEDIA = /^application\/(?:json|[a-z0-9.+-]*\+json)(?:;.*)?$/i;

/** Reads what an operation takes and gives. Throws DocumentProblem for what the connector cannot send. */
export function readOperation(document: Node, { path, node, parameters }: FoundOperation): ReadOperation {
  const input = openSchemaReader(document);
  const groups: Record<string, { properties: Record<string, unknown>; required: string[] }> = {};
  const sent: Parameter[] = [];
  for (const parameter of parameters) {
    const read = readParameter(parameter);
    if (!read) continue;
    sent.push(read);
    groups[read.in] ??= { properties: {}, required: [] };
    const group = groups[read.in] as (typeof groups)[string];
    group.properties[read.name] = input.read(parameter.schema ?? true);
    if (read.required) group.required.push(read.name);
  }
  for (const [, name] of path.matchAll(/\{([^}]+)\}/g))
    if (!groups.path?.properties[name as string]) throw new DocumentProblem(`the path needs a parameter ${name}`);
  const body = bodyOf(document, node, input);
  return {
    parameters: sent,
    input: inputSchema(groups, body, input),
    output: outputSchema(document, node),
  };
}

function readParameter(parameter: Node): Parameter | undefined {
  const { name, in: place, required = false, style, explode, schema } = parameter;
  if (typeof name !== 'string') throw new DocumentProblem('a parameter has no name');
  if (place === 'cookie' || (place === 'header' && OWN_HEADERS.has(name.toLowerCase()))) {
    if (required && place === 'cookie')
      throw new DocumentProblem(`the parameter ${name} is a cookie, which is not sent`);
    return undefined;
  }
  if (place !== 'path' && place !== 'query' && place !== 'header')
    throw new DocumentProblem(`the parameter ${name} has no place`);
  const usual = place === 'query' ? 'form' : 'simple';
  if ((style ?? usual) !== usual || (place === 'query' && explode === false) || schema === undefined)
    throw new DocumentProblem(
      `the parameter ${name} is sent in a form that is not supported; use ${usual} with a schema`,
    );
  return { name, in: place, required: place === 'path' || required === true };
}

function bodyOf(document: Node, node: Node, reader: SchemaReader) {
  if (node.requestBody === undefined) return undefined;
  const body = followed(document, node.requestBody);
  const media = Object.entries(nodeAt(body, 'content')).find(([type]) => JSON_MEDIA.test(type))?.[1];
  if (!isNode(media)) throw new DocumentProblem('its request body is not JSON');
  return { schema: reader.read(media.schema ?? true), required: body.required === true };
}

function inputSchema(
  groups: Readonly<Record<string, { properties: object; required: string[] }>>,
  body: { schema: unknown; required: boolean } | undefined,
  reader: SchemaReader,
): Record<string, unknown> {
  const closed = { type: 'object', additionalProperties: false };
  const entries = Object.entries(groups);
  const definitions = reader.definitions();
  return {
    ...closed,
    required: [
      ...entries.filter(([, { required }]) => required.length > 0).map(([name]) => name),
      ...(body?.required ? ['body'] : []),
    ],
    properties: {
      ...Object.fromEntries(entries.map(([name, group]) => [name, { ...closed, ...group }])),
      ...(body && { body: body.schema }),
    },
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  };
}

function outputSchema(document: Node, node: Node): Record<string, unknown> {
  const reader = openSchemaReader(document);
  const bodies: unknown[] = [];
  for (const [status, value] of Object.entries(nodeAt(node, 'responses'))) {
    if (!/^2(?:\d\d|XX)$/i.test(status)) continue;
    const content = nodeAt(followed(document, value), 'content');
    const media = Object.entries(content).find(([type]) => JSON_MEDIA.test(type))?.[1];
    bodies.push(isNode(media) && media.schema !== undefined ? reader.read(media.schema) : true);
  }
  const known = bodies.length > 0 && !bodies.includes(true);
  const definitions = reader.definitions();
  return {
    type: 'object',
    required: ['http_status', 'body'],
    properties: {
      http_status: { type: 'integer' },
      provider_request_id: { type: ['string', 'null'] },
      body: known ? (bodies.length === 1 ? bodies[0] : { anyOf: bodies }) : true,
    },
    ...(known && Object.keys(definitions).length > 0 && { $defs: definitions }),
  };
}
