import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { digestOf } from '../digest.js';
import { CapabilitySchemaInvalid, RemoteReferenceForbidden } from '../errors/classes.js';
import { plainJson } from '../json.js';
import { MAX_SCHEMA_BYTES, MAX_SCHEMA_DEPTH, MAX_SCHEMA_ISSUES, MAX_SCHEMA_NODES } from '../limits.js';
import { issueOf, type SchemaIssue } from '../validate.js';

/** Checks a value against a compiled schema: no issues when it passes, else 1 to 16. */
export type SchemaCheck = (value: unknown) => SchemaIssue[];

/** Values above this many characters get the first issue only: collecting all could cost far more than the value. */
const COLLECT_BELOW = 65_536;
const MAX_COMPILED = 1024;
/**
 * From this many nodes on the code that stops at the first issue is not made: it nests one level a property, which
 * compiles slowly and overflows the stack.
 */
const WIDE_NODES = 1000;

const OPTIONS = { strict: false, validateFormats: false, addUsedSchema: false, logger: false } as const;

const byDigest = new Map<string, SchemaCheck>();
const byObject = new WeakMap<object, SchemaCheck>();

/**
 * Compiles a JSON Schema 2020-12 document of others: a capability's input or output, a connector's configuration. The
 * result is kept by the schema's digest. `format` is an annotation. Throws RemoteReferenceForbidden for a `$ref` that
 * leaves the document, CapabilitySchemaInvalid for what is not a schema, is nested deeper than 128, has more than 100000
 * nodes or 8 MiB of text (docs/protocol/limits.md).
 */
export function compileJsonSchema(schema: unknown): SchemaCheck {
  if (schema === true) return () => [];
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    throw new CapabilitySchemaInvalid('a JSON Schema must be an object');
  }
  const known = byObject.get(schema);
  if (known !== undefined) return known;
  const nodes = checkBounds(schema);
  const digest = digestOf(schema);
  const compiled = byDigest.get(digest) ?? compile(schema, nodes);
  byDigest.delete(digest);
  byDigest.set(digest, compiled);
  if (byDigest.size > MAX_COMPILED) byDigest.delete(byDigest.keys().next().value as string);
  byObject.set(schema, compiled);
  return compiled;
}

function compile(schema: object, nodes: number): SchemaCheck {
  const { $schema: _, ...rest } = plainJson(schema) as Record<string, unknown>;
  const wide = nodes >= WIDE_NODES;
  const first = validator(rest, wide ? 'wide' : 'first');
  let all: ValidateFunction | undefined;
  return (value) => {
    const plain = plainJson(value);
    if (passes(first, plain)) return [];
    if (wide || JSON.stringify(plain).length >= COLLECT_BELOW) return issuesOf(first);
    all ??= validator(rest, 'all');
    passes(all, plain);
    return issuesOf(all);
  };
}

/** Runs a compiled check. Its code is compiled by the engine on the first run, which may exceed the stack. */
function passes(validate: ValidateFunction, value: unknown): boolean {
  try {
    return validate(value) as boolean;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new CapabilitySchemaInvalid('the schema is too wide or refers to itself without an end', { cause });
  }
}

/** Compilers, made when first needed: they take some milliseconds. */
const compilers: Partial<Record<keyof typeof MAKES, Ajv2020>> = {};
const MAKES = {
  first: { allErrors: false },
  all: { allErrors: true },
  wide: { allErrors: true, code: { optimize: false } },
} as const;

function validator(schema: object, which: keyof typeof MAKES): ValidateFunction {
  compilers[which] ??= new Ajv2020({ ...OPTIONS, ...MAKES[which] });
  const ajv = compilers[which];
  try {
    return ajv.compile(schema);
  } catch (error) {
    throw new CapabilitySchemaInvalid(`the schema cannot be used: ${(error as Error).message}`, { cause: error });
  } finally {
    ajv.removeSchema(schema);
  }
}

function issuesOf(validate: ValidateFunction): SchemaIssue[] {
  return (validate.errors ?? []).slice(0, MAX_SCHEMA_ISSUES).map(issueOf);
}

/**
 * Refuses a schema that is too deep or large, or refers to another document; returns how many nodes it has. Does not look
 * below what is too deep.
 */
function checkBounds(schema: object): number {
  let nodes = 0;
  const visit = (value: unknown, levels: number): void => {
    if (++nodes > MAX_SCHEMA_NODES) throw new CapabilitySchemaInvalid(`a schema has at most ${MAX_SCHEMA_NODES} nodes`);
    if (typeof value !== 'object' || value === null) return;
    if (levels === 0) throw new CapabilitySchemaInvalid(`a schema is nested at most ${MAX_SCHEMA_DEPTH} levels deep`);
    for (const [key, member] of Object.entries(value)) {
      if ((key === '$ref' || key === '$dynamicRef') && typeof member === 'string' && !member.startsWith('#')) {
        throw new RemoteReferenceForbidden(`the schema refers to ${JSON.stringify(member)}; a $ref must begin with #`);
      }
      visit(member, levels - 1);
    }
  };
  visit(schema, MAX_SCHEMA_DEPTH);
  if (JSON.stringify(schema).length > MAX_SCHEMA_BYTES) {
    throw new CapabilitySchemaInvalid(`a schema has at most ${MAX_SCHEMA_BYTES} bytes`);
  }
  return nodes;
}
