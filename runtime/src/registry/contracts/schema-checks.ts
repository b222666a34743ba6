import { compileJsonSchema } from '../../protocol/content/schema-check.js';
import { digestOf } from '../../protocol/digest.js';
import { CapabilitySchemaInvalid, SchedulerOverloaded } from '../../protocol/errors.js';
import { plainJson } from '../../protocol/json.js';
import type { SchemaIssue } from '../../protocol/validate.js';
import { isCheapCheck } from './cheap-check.js';
import { SchemaCheckTooSlow, type SchemaThread, schemaThread } from './schema-thread.js';

/** Checks of values against the schemas of others. */
export interface SchemaChecks {
  /**
   * The issues of a value, on behalf of `party`. Throws CapabilitySchemaInvalid for a schema that cannot be used, also
   * one whose check takes too long. With `refuse`, throws SchedulerOverloaded when too many checks of the party wait.
   */
  check(schema: unknown, value: unknown, party: string, options?: { refuse?: boolean }): Promise<SchemaIssue[]>;
  close(): Promise<void>;
}

/** Bounds of the checks. */
export interface SchemaCheckRule {
  /** Checks that run at the same time. */
  readonly threads: number;
  /** The longest time in which a schema is compiled, and in which a value is checked, in milliseconds. */
  readonly compileMs: number;
  readonly checkMs: number;
  /** Checks of one party that wait. */
  readonly maxWaiting: number;
  /** How long a check that was too slow is refused to its party without being tried again, in milliseconds. */
  readonly refuseSlowMs: number;
}

export const DEFAULT_SCHEMA_CHECK_RULE: SchemaCheckRule = {
  threads: 2,
  compileMs: 15_000,
  checkMs: 1000,
  maxWaiting: 256,
  refuseSlowMs: 30_000,
};
/** Slow checks that are remembered. */
const MAX_SLOW = 1024;
const TOO_SLOW = 'a check against the schema took too long a moment ago; simplify the schema';

interface Job {
  readonly party: string;
  readonly digest: string;
  readonly schema: object;
  readonly value: string;
  readonly resolve: (issues: SchemaIssue[]) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Opens the checks. What is small and simple is checked here and now; everything else on threads, one check of a party
 * at a time and the parties in turns, so that a schema that never ends holds up nobody but its own party.
 */
export function openSchemaChecks(over: Partial<SchemaCheckRule> = {}): SchemaChecks {
  const rule = { ...DEFAULT_SCHEMA_CHECK_RULE, ...over };
  const idle: SchemaThread[] = Array.from({ length: rule.threads }, schemaThread);
  const threads = [...idle];
  const waiting = new Map<string, Job[]>();
  const running = new Set<string>();
  const slow = new Map<string, number>();

  const isSlow = (key: string): boolean => {
    const until = slow.get(key);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    slow.delete(key);
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
      void run(idle.pop() as SchemaThread, job);
    }
  };
  const run = async (thread: SchemaThread, job: Job): Promise<void> => {
    running.add(job.party);
    const { digest, value } = job;
    const key = slowKey(job.party, digest);
    const { compileMs, checkMs } = rule;
    const schema = (): string => JSON.stringify(plainJson(job.schema));
    try {
      if (isSlow(key)) throw new SchemaCheckTooSlow(TOO_SLOW);
      job.resolve(await thread.run({ digest, schema, value, compileMs, checkMs }));
    } catch (error) {
      if (error instanceof SchemaCheckTooSlow && !isSlow(key)) {
        if (slow.size >= MAX_SLOW) slow.delete(slow.keys().next().value as string);
        slow.set(key, performance.now() + rule.refuseSlowMs);
      }
      job.reject(error);
    } finally {
      running.delete(job.party);
      idle.push(thread);
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
      if (isSlow(slowKey(party, digest))) throw new SchemaCheckTooSlow(TOO_SLOW);
      const jobs = waiting.get(party) ?? [];
      if (refuse && jobs.length >= rule.maxWaiting)
        throw new SchedulerOverloaded('too many schema checks of the tenant wait');
      return new Promise((resolve, reject) => {
        jobs.push({ party, digest, schema, value: JSON.stringify(plainJson(value)), resolve, reject });
        waiting.set(party, jobs);
        pass();
      });
    },
    close: async () => {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

function slowKey(party: string, digest: string): string {
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
