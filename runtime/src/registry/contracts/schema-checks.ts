import { compileJsonSchema } from '../../protocol/content/schema-check.js';
import { digestOf } from '../../protocol/digest.js';
import { AipError, CapabilitySchemaInvalid } from '../../protocol/errors.js';
import { plainJson } from '../../protocol/json.js';
import type { SchemaIssue } from '../../protocol/validate.js';
import { isCheapCheck } from './cheap-check.js';
import { SchemaCheckTooCostly, type SchemaProcess, schemaProcess } from './schema-process.js';

/** Checks of values against the schemas of others. */
export interface SchemaChecks {
  /**
   * The issues of a value, on behalf of `party`. Throws CapabilitySchemaInvalid for a schema that cannot be used, also
   * one whose check takes too much time or memory. With `refuse`, throws `connector.scheduler_overloaded` when too many checks of the party wait.
   */
  check(schema: unknown, value: unknown, party: string, options?: { refuse?: boolean }): Promise<SchemaIssue[]>;
  close(): Promise<void>;
}

/** Bounds of the checks. */
export interface SchemaCheckRule {
  /** Checks that run at the same time. */
  readonly processes: number;
  /** The longest time in which a schema is compiled, and in which a value is checked, in milliseconds. */
  readonly compileMs: number;
  readonly checkMs: number;
  /** Checks of one party that wait. */
  readonly maxWaiting: number;
  /** How long a check that was too costly is refused to its party without being tried again, in milliseconds. */
  readonly refuseCostlyMs: number;
}

export const DEFAULT_SCHEMA_CHECK_RULE: SchemaCheckRule = {
  processes: 2,
  compileMs: 15_000,
  checkMs: 1000,
  maxWaiting: 256,
  refuseCostlyMs: 30_000,
};
/** Costly checks that are remembered. */
const MAX_COSTLY = 1024;
const TOO_COSTLY = 'a check against the schema took too much time or memory a moment ago; simplify the schema';

interface Job {
  readonly party: string;
  readonly digest: string;
  readonly schema: object;
  readonly value: string;
  readonly resolve: (issues: SchemaIssue[]) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Opens the checks. What is small and simple is checked here and now; everything else in processes, one check of a party
 * at a time and the parties in turns, so that a schema that never ends holds up nobody but its own party.
 */
export function openSchemaChecks(over: Partial<SchemaCheckRule> = {}): SchemaChecks {
  const rule = { ...DEFAULT_SCHEMA_CHECK_RULE, ...over };
  const idle: SchemaProcess[] = Array.from({ length: rule.processes }, () => schemaProcess());
  const processes = [...idle];
  const waiting = new Map<string, Job[]>();
  const running = new Set<string>();
  const costly = new Map<string, number>();

  const isCostly = (key: string): boolean => {
    const until = costly.get(key);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    costly.delete(key);
    return false;
  };
  const next = (): Job | undefined => {
    for (const [party, jobs] of waiting) {
      if (running.has(party)) continue;
      const job = jobs.shift() as Job;
      waiting.delete(party);
      if (jobs.length > 0) waiting.set(party, jobs);
      return job;
    }
    return undefined;
  };
  const pass = (): void => {
    while (idle.length > 0) {
      const job = next();
      if (!job) return;
      void run(idle.pop() as SchemaProcess, job);
    }
  };
  const run = async (checker: SchemaProcess, job: Job): Promise<void> => {
    running.add(job.party);
    const { digest, value } = job;
    const key = costlyKey(job.party, digest);
    const { compileMs, checkMs } = rule;
    const schema = (): string => JSON.stringify(plainJson(job.schema));
    try {
      if (isCostly(key)) throw new SchemaCheckTooCostly(TOO_COSTLY);
      job.resolve(await checker.run({ digest, schema, value, compileMs, checkMs }));
    } catch (error) {
      if (error instanceof SchemaCheckTooCostly && !isCostly(key)) {
        if (costly.size >= MAX_COSTLY) costly.delete(costly.keys().next().value as string);
        costly.set(key, performance.now() + rule.refuseCostlyMs);
      }
      job.reject(error);
    } finally {
      running.delete(job.party);
      idle.push(checker);
      pass();
    }
  };

  return {
    check: async (schema, value, party, { refuse = false } = {}) => {
      if (schema === true) return [];
      if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
        throw new CapabilitySchemaInvalid('a JSON Schema must be an object');
      if (isCheapCheck(schema, value)) return compileJsonSchema(schema)(value);
      const digest = digestFor(schema);
      if (isCostly(costlyKey(party, digest))) throw new SchemaCheckTooCostly(TOO_COSTLY);
      const jobs = waiting.get(party) ?? [];
      if (refuse && jobs.length >= rule.maxWaiting)
        throw new AipError('connector.scheduler_overloaded', 'too many schema checks of the tenant wait');
      return new Promise((resolve, reject) => {
        jobs.push({ party, digest, schema, value: JSON.stringify(plainJson(value)), resolve, reject });
        waiting.set(party, jobs);
        pass();
      });
    },
    close: async () => {
      await Promise.all(processes.map((each) => each.close()));
    },
  };
}

function costlyKey(party: string, digest: string): string {
  return `${digest} ${party}`;
}

const digests = new WeakMap<object, string>();

function digestFor(schema: object): string {
  const known = digests.get(schema);
  if (known !== undefined) return known;
  const digest = digestOf(schema);
  digests.set(schema, digest);
  return digest;
}
