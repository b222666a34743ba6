import { type MessagePort, parentPort } from 'node:worker_threads';
import { compileJsonSchema } from '../../protocol/content/schema-check.js';
import type { SchemaIssue } from '../../protocol/validate.js';

/** One check. `schema` is JSON text, absent when this thread was given the schema of `digest` before. */
export interface SchemaJob {
  readonly digest: string;
  readonly schema?: string | undefined;
  /** JSON text; absent: the schema is only compiled. */
  readonly value?: string | undefined;
}

/** What a thread reports: that it began, that the schema is compiled, then the issues, or why the schema cannot be used. */
export type SchemaReport =
  | { readonly at: 'begun' | 'compiled' }
  | { readonly issues: SchemaIssue[] }
  | { readonly invalid: string };

/** Schemas that a thread keeps; its owner counts along. */
export const KEPT_SCHEMAS = 256;

const schemas = new Map<string, unknown>();

function run(job: SchemaJob): SchemaReport {
  try {
    if (job.schema !== undefined) {
      if (schemas.size >= KEPT_SCHEMAS) schemas.clear();
      schemas.set(job.digest, JSON.parse(job.schema));
    }
    const check = compileJsonSchema(schemas.get(job.digest));
    report({ at: 'compiled' });
    return { issues: job.value === undefined ? [] : check(JSON.parse(job.value)) };
  } catch (error) {
    return { invalid: (error as Error).message };
  }
}

function report(what: SchemaReport): void {
  (parentPort as MessagePort).postMessage(what);
}

parentPort?.on('message', (job: SchemaJob) => {
  report({ at: 'begun' });
  report(run(job));
});
