import { type MessagePort, parentPort } from 'node:worker_threads';
import { compileJsonSchema, type SchemaCheck } from '../../protocol/content/schema-check.js';
import type { SchemaIssue } from '../../protocol/validate.js';

/** One check. `schema` is JSON text, absent when this thread was given the schema of `digest` before. */
export interface SchemaJob {
  readonly digest: string;
  readonly schema?: string | undefined;
  /** JSON text; absent: the schema is only compiled. */
  readonly value?: string | undefined;
}

/** What a thread reports: that it began, that the schema is compiled, each with the CPU time it had used until then; then the issues, or why the schema cannot be used. */
export type SchemaReport =
  | { readonly at: 'begun' | 'compiled'; readonly used: NodeJS.CpuUsage }
  | { readonly issues: SchemaIssue[] }
  | { readonly invalid: string };

/** Schemas that a thread keeps; what sends it checks counts along. */
export const KEPT_SCHEMAS = 256;

interface Kept {
  readonly schema: unknown;
  check?: SchemaCheck;
}

const kept = new Map<string, Kept>();

function run({ digest, schema, value }: SchemaJob): SchemaReport {
  try {
    if (schema !== undefined) {
      if (kept.size >= KEPT_SCHEMAS) kept.clear();
      kept.set(digest, { schema: JSON.parse(schema) });
    }
    const check = checkOf(kept.get(digest) as Kept);
    return { issues: value === undefined ? [] : check(JSON.parse(value)) };
  } catch (error) {
    return { invalid: (error as Error).message };
  }
}

/** The check of a schema that is kept. Both times begin where they are reported. */
function checkOf(each: Kept): SchemaCheck {
  if (!each.check) {
    reached('begun');
    each.check = compileJsonSchema(each.schema);
  }
  reached('compiled');
  return each.check;
}

function reached(at: 'begun' | 'compiled'): void {
  report({ at, used: process.threadCpuUsage() });
}

function report(what: SchemaReport): void {
  (parentPort as MessagePort).postMessage(what);
}

parentPort?.on('message', (job: SchemaJob) => report(run(job)));
