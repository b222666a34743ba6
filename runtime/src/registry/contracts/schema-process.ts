import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CapabilitySchemaInvalid } from '../../protocol/errors.js';
import type { SchemaIssue } from '../../protocol/validate.js';
import { KEPT_SCHEMAS } from './schema-worker.js';

const ENTRY = fileURLToPath(new URL('./schema-child.js', import.meta.url));

/** One check that a process runs. */
export interface ProcessCheck {
  readonly digest: string;
  readonly schema: () => string;
  readonly value?: string | undefined;
  /** Milliseconds of CPU time in which the schema is compiled, and in which the value is checked; the wall clock allows ten times that. */
  readonly compileMs: number;
  readonly checkMs: number;
}

/** A check as the process gets it. `schema` is absent when it was given the schema of `digest` before. */
export interface ProcessJob extends Omit<ProcessCheck, 'schema'> {
  readonly schema?: string | undefined;
}

/** What the process answers: the issues, why the schema cannot be used, or what took too long. Without memory for a check it ends. */
export type ProcessReport =
  | { readonly issues: SchemaIssue[] }
  | { readonly invalid: string }
  | { readonly tooSlow: string };

/** The check of a schema took longer, or more memory, than allowed; the process that ran it was ended. */
export class SchemaCheckTooCostly extends CapabilitySchemaInvalid {}

/** The check ran out of memory, of which schemas that were checked before it may have taken most. */
class OutOfMemory extends SchemaCheckTooCostly {
  constructor() {
    super('the schema cannot be used within the memory of a check');
  }
}

/** A process for one check at a time. It is started when needed and started again after a check that had to be ended. */
export interface SchemaProcess {
  /** The issues of the value. Throws CapabilitySchemaInvalid for a schema that cannot be used, SchemaCheckTooCostly for a check beyond its bounds. */
  run(check: ProcessCheck): Promise<SchemaIssue[]>;
  close(): Promise<void>;
}

/** Starts the process that compiles schemas and checks values. Its environment is empty: what runs the schemas of others has no secret. */
export function openChild(): ChildProcess {
  return fork(ENTRY, { env: {}, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
}

/**
 * A process that is not started yet. It never keeps the program alive. A thread would not do: where a check needs much
 * memory at once, the engine ends the process of the thread, whatever the bounds of the thread.
 */
export function schemaProcess(open: () => ChildProcess = openChild): SchemaProcess {
  let child: ChildProcess | undefined;
  let known = new Set<string>();
  let closed = false;

  const start = (): ChildProcess => {
    const next = open();
    next.unref();
    next.channel?.unref();
    // A child that has no check may fail too: an error without a listener would end the program.
    next.on('error', () => undefined);
    next.on('exit', () => forget(next));
    known = new Set();
    child = next;
    return next;
  };
  const forget = (over: ChildProcess): void => {
    if (child === over) child = undefined;
  };
  const end = (over: ChildProcess): void => {
    forget(over);
    over.kill('SIGKILL');
  };

  const attempt = ({ schema, ...check }: ProcessCheck): Promise<SchemaIssue[]> =>
    new Promise((resolve, reject) => {
      const running = child?.connected ? child : start();
      const finish = (settle: () => void): void => {
        running.off('message', onReport).off('error', onError).off('exit', onExit);
        settle();
      };
      const onReport = (message: unknown): void => {
        const report = message as ProcessReport;
        finish(() => {
          if ('issues' in report) return resolve(report.issues);
          if ('invalid' in report) return reject(new CapabilitySchemaInvalid(report.invalid));
          end(running);
          reject(new SchemaCheckTooCostly(report.tooSlow));
        });
      };
      const onError = (error: Error): void => {
        end(running);
        finish(() => reject(error));
      };
      const onExit = (): void => finish(() => reject(new OutOfMemory()));
      running.on('message', onReport).on('error', onError).on('exit', onExit);
      if (known.size >= KEPT_SCHEMAS && !known.has(check.digest)) known.clear();
      const given = known.has(check.digest);
      known.add(check.digest);
      running.send({ ...check, ...(given ? {} : { schema: schema() }) } satisfies ProcessJob);
    });

  return {
    run: async (check) => {
      if (closed) throw new Error('checks of schemas are closed');
      const first = !child?.connected;
      return attempt(check).catch((error) => {
        if (first || closed || !(error instanceof OutOfMemory)) throw error;
        return attempt(check);
      });
    },
    close: async () => {
      closed = true;
      const over = child;
      if (!over?.connected) return;
      const ended = once(over, 'exit');
      end(over);
      await ended;
    },
  };
}
