import { compileJsonSchema } from '../../protocol/content/schema-check.js';
import { digestOf } from '../../protocol/digest.js';
import { AipError, CapabilitySchemaInvalid } from '../../protocol/errors.js';
import { plainJson } from '../../protocol/json.js';
import type { Capability } from '../../protocol/types.js';
import { countNodes, isCheapCheck } from './cheap-check.js';
import { type SchemaProcess, schemaProcess } from './schema-process.js';

/** Nodes of one input or output schema at most: the largest compiles in about a second. */
export const MAX_ADMITTED_SCHEMA_NODES = 10_000;
/** A schema must compile in this time, in milliseconds, on a busy machine; gateways allow themselves more. */
const COMPILE_MS = 10_000;
/** Schemas that were found usable, by digest: a version is admitted again whenever its instance is reconciled. */
const usableDigests = new Set<string>();
const MAX_USABLE = 4096;

/**
 * Refuses capabilities with an input or output schema that a gateway could not use: not a schema, more than 10000 nodes,
 * or not compiled within 10 seconds. Compiles in a process of its own what is not small. Throws CapabilitySchemaInvalid,
 * which names the capability and the schema.
 */
export async function checkCapabilitySchemas(capabilities: readonly Capability[]): Promise<void> {
  const checker = schemaProcess();
  try {
    for (const { id, input_schema, output_schema } of capabilities) {
      await checkSchema(checker, `the input_schema of ${id}`, input_schema);
      if (output_schema !== undefined && output_schema !== null)
        await checkSchema(checker, `the output_schema of ${id}`, output_schema);
    }
  } finally {
    await checker.close();
  }
}

async function checkSchema(checker: SchemaProcess, what: string, schema: unknown): Promise<void> {
  if (typeof schema !== 'object' || schema === null || isCheapCheck(schema, null)) return usable(what, schema);
  if (countNodes(schema, MAX_ADMITTED_SCHEMA_NODES) > MAX_ADMITTED_SCHEMA_NODES)
    throw new CapabilitySchemaInvalid(`${what} has more than ${MAX_ADMITTED_SCHEMA_NODES} nodes; split the capability`);
  const digest = digestOf(schema);
  if (usableDigests.has(digest)) return;
  const text = (): string => JSON.stringify(plainJson(schema));
  await checker
    .run({ digest, schema: text, compileMs: COMPILE_MS, checkMs: COMPILE_MS })
    .catch((error) => refuse(what, error));
  if (usableDigests.size >= MAX_USABLE) usableDigests.clear();
  usableDigests.add(digest);
}

function usable(what: string, schema: unknown): void {
  try {
    compileJsonSchema(schema);
  } catch (error) {
    refuse(what, error);
  }
}

function refuse(what: string, cause: unknown): never {
  if (!(cause instanceof AipError)) throw cause;
  throw new CapabilitySchemaInvalid(`${what} cannot be used: ${cause.message}`, { cause });
}
