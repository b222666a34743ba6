import { DocumentProblem, isNode, type Node, referenced } from './document.js';

/** Collects the schemas of one capability; what they refer to becomes `$defs` of the whole. */
export interface SchemaReader {
  /** The schema as JSON Schema 2020-12. Throws DocumentProblem. */
  read(schema: unknown): unknown;
  /** The definitions that the schemas read so far refer to. */
  definitions(): Record<string, unknown>;
}

/** Members that hold a schema, lists of schemas, and schemas by name. */
const ONE = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else'];
const MANY = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const NAMED = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
/** Members of OpenAPI that say nothing about a value, or that were read into others. */
const DROPPED = new Set([
  'nullable',
  'example',
  'examples',
  'discriminator',
  'xml',
  'externalDocs',
  'readOnly',
  'writeOnly',
  'deprecated',
]);
const MAX_DEPTH = 64;

/** Opens a reader of the document's schemas. */
export function openSchemaReader(document: Node): SchemaReader {
  const names = new Map<string, string>();
  const definitions: Record<string, unknown> = {};

  const define = (reference: string): string => {
    const known = names.get(reference);
    if (known !== undefined) return known;
    const name = `${names.size}_${reference.slice(reference.lastIndexOf('/') + 1).replace(/[^A-Za-z0-9_.-]/g, '_')}`;
    names.set(reference, name);
    definitions[name] = convert(referenced(document, reference), 0);
    return name;
  };
  const convert = (schema: unknown, depth: number): unknown => {
    if (typeof schema === 'boolean') return schema;
    if (!isNode(schema)) throw new DocumentProblem('a schema must be an object');
    if (depth > MAX_DEPTH) throw new DocumentProblem(`a schema is nested deeper than ${MAX_DEPTH} levels`);
    if (typeof schema.$ref === 'string') return { $ref: `#/$defs/${define(schema.$ref)}` };
    const deeper = (value: unknown): unknown => convert(value, depth + 1);
    const result: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(schema)) {
      if (DROPPED.has(name)) continue;
      if (ONE.includes(name)) result[name] = deeper(value);
      else if (MANY.includes(name) && Array.isArray(value)) result[name] = value.map(deeper);
      else if (NAMED.includes(name) && isNode(value))
        result[name] = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, deeper(each)]));
      else result[name] = value;
    }
    return withoutOldForms(result, schema);
  };

  return { read: (schema) => convert(schema, 0), definitions: () => definitions };
}

/** OpenAPI 3.0 says `nullable` and exclusive bounds in ways of its own. */
function withoutOldForms(result: Record<string, unknown>, schema: Node): Record<string, unknown> {
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof result[exclusive] !== 'boolean') continue;
    const strict = result[exclusive];
    delete result[exclusive];
    if (!strict) continue;
    result[exclusive] = result[bound];
    delete result[bound];
  }
  if (schema.nullable !== true) return result;
  if (typeof result.type !== 'string') return { anyOf: [result, { type: 'null' }] };
  const { enum: values } = result;
  return {
    ...result,
    type: [result.type, 'null'],
    ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }),
  };
}
