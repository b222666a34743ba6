import type { Definition, Member, Members, Type } from './dsl.js';

/** A JSON Schema document or part of one. */
export type JsonSchema = Record<string, unknown>;

const BASE = 'https://aip.dev/schemas/';

/** `ActionResult` → `action_result`. */
function fileStem(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
}

/** File name of a definition's schema; also its `$id` below the base and the target of every `$ref` to it. */
export function schemaFile(definition: Definition): string {
  return `${fileStem(definition.name)}.schema.json`;
}

/** `$id` of a definition's schema. */
export function schemaId(definition: Definition): string {
  return BASE + schemaFile(definition);
}

/** Whether the definition has a schema of its own; enums are written where they are used. */
export function hasSchema(definition: Definition): boolean {
  return definition.kind !== 'enum';
}

/** The definition as a JSON Schema 2020-12 document. */
export function jsonSchemaOf(definition: Definition): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: schemaId(definition),
    title: definition.name,
    description: definition.doc,
    ...content(definition),
  };
}

function content(definition: Definition): JsonSchema {
  switch (definition.kind) {
    case 'enum':
      return { enum: definition.values };
    case 'record':
      return objectSchema(definition.members, definition.open);
    case 'tagged':
      return {
        type: 'object',
        required: [definition.tag],
        oneOf: Object.entries(definition.variants).map(([value, members]) =>
          objectSchema(members, false, { [definition.tag]: { const: value } }),
        ),
      };
    case 'choice':
      return {
        type: 'object',
        minProperties: 1,
        maxProperties: 1,
        properties: mapValues(definition.options, typeSchema),
        additionalProperties: false,
      };
  }
}

function objectSchema(members: Members, open: boolean, tag: JsonSchema = {}): JsonSchema {
  const required = Object.keys(members).filter((name) => members[name]?.mark === 'R');
  return {
    type: 'object',
    required: [...Object.keys(tag), ...required],
    properties: { ...tag, ...mapValues(members, memberSchema) },
    ...(!open && { additionalProperties: false }),
  };
}

function memberSchema(member: Member): JsonSchema {
  const schema = typeSchema(member.type);
  if (member.mark === 'D') return 'default' in member ? { ...schema, default: member.default } : schema;
  return member.mark === 'O' || member.mark === 'N' ? orNull(schema) : schema;
}

function orNull(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0) return schema;
  if (Array.isArray(schema.enum)) return { ...schema, enum: [...schema.enum, null] };
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
}

function typeSchema(type: Type): JsonSchema {
  switch (type.type) {
    case 'string':
    case 'time':
      return { type: 'string' };
    case 'bool':
      return { type: 'boolean' };
    case 'float':
      return { type: 'number' };
    case 'opaque':
      return {};
    case 'object':
      return { type: 'object' };
    case 'uint':
      return { type: 'integer', minimum: 0 };
    case 'const':
      return { const: type.value };
    case 'lease':
      return { type: 'array', items: { type: 'integer' }, minItems: 9, maxItems: 9 };
    case 'list':
      return { type: 'array', items: typeSchema(type.of) };
    case 'map':
      return { type: 'object', additionalProperties: typeSchema(type.of) };
    case 'ref': {
      const definition = type.to();
      return hasSchema(definition) ? { $ref: schemaFile(definition) } : content(definition);
    }
  }
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
