import { Worker } from 'node:worker_threads';
import { CapabilitySchemaInvalid } from '../../protocol/errors.js';
import type { SchemaIssue } from '../../protocol/validate.js';
import { after, openTimer } from '../../time/timer.js';
import { KEPT_SCHEMAS, type SchemaJob, type SchemaReport } from './schema-worker.js';

const ENTRY = new URL('./schema-worker.js', import.meta.url);
/** A schema that needs more memory than this ends its thread, not the process. */
const MAX_HEAP_MB = 256;

/** How much longer a check may take by the wall clock than by its CPU time: on a busy machine a thread waits for its turn. */
const WALL_FACTOR = 10;

/** One check that a thread runs. */
export interface ThreadCheck {
  readonly digest: string;
  readonly schema: () => string;
  readonly value?: string | undefined;
  /** Milliseconds of CPU time in which the schema is compiled, and in which the value is checked; the wall clock allows ten times that. */
  readonly compileMs: number;
  readonly checkMs: number;
}

/** The check of a schema took longer than allowed; the thread that ran it was ended. */
export class SchemaCheckTooSlow extends CapabilitySchemaInvalid {}

/** A thread for one check at a time. It is started when needed and started again after a check that had to be ended. */
export interface SchemaThread {
  /** The issues of the value. Throws CapabilitySchemaInvalid for a schema that cannot be used, or not in time. */
  run(check: ThreadCheck): Promise<SchemaIssue[]>;
  close(): Promise<void>;
}

/** A thread that is not started yet. It never keeps the process alive. */
export function schemaThread(): SchemaThread {
  let worker: Worker | undefined;
  let known = new Set<string>();

  const start = (): Worker => {
    const next = new Worker(ENTRY, { resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB }, stdin: false });
    next.unref();
    known = new Set();
    worker = next;
    return next;
  };
  const end = async (): Promise<void> => {
    const over = worker;
    worker = undefined;
    await over?.terminate();
  };

  return {
    run: ({ digest, schema, value, compileMs, checkMs }) =>
      new Promise((resolve, reject) => {
        const thread = worker ?? start();
        let cancelDeadline = (): void => undefined;
        const finish = (settle: () => void): void => {
          cancelDeadline();
          thread.off('message', onReport).off('error', onError).off('exit', onExit);
          settle();
        };
        const within = (ms: number, used: NodeJS.CpuUsage, what: string): void => {
          cancelDeadline();
          cancelDeadline = cpuDeadline(thread, ms, used, () =>
            finish(() => {
              void end();
              reject(new SchemaCheckTooSlow(`${what} takes longer than ${ms} ms; simplify the schema`));
            }),
          );
        };
        const onReport = (report: SchemaReport): void => {
          // The time counts from here: a thread that is being started is not the schema's fault.
          if (!('at' in report))
            finish(() =>
              'issues' in report ? resolve(report.issues) : reject(new CapabilitySchemaInvalid(report.invalid)),
            );
          else if (report.at === 'begun') within(compileMs, report.used, 'compiling the schema');
          else within(checkMs, report.used, 'a check against the schema');
        };
        const onError = (cause: Error): void =>
          finish(() => {
            void end();
            reject(new CapabilitySchemaInvalid('the schema cannot be used within the memory of a check', { cause }));
          });
        const onExit = (): void => onError(new Error('the thread ended'));
        thread.on('message', onReport).on('error', onError).on('exit', onExit);
        if (known.size >= KEPT_SCHEMAS && !known.has(digest)) known.clear();
        const given = known.has(digest);
        known.add(digest);
        thread.postMessage({ digest, value, ...(given ? {} : { schema: schema() }) } satisfies SchemaJob);
      }),
    close: end,
  };
}

/** Calls `onEnd` when the thread has used `ms` of CPU time more than `before`, or WALL_FACTOR times that has passed; the returned function cancels it. */
function cpuDeadline(thread: Worker, ms: number, before: NodeJS.CpuUsage, onEnd: () => void): () => void {
  let over = false;
  const cancel = (): void => {
    over = true;
    check.stop();
    cancelWall();
  };
  const expire = (): void => {
    if (over) return;
    cancel();
    onEnd();
  };
  const check = openTimer(async () => {
    // A thread that has ended cannot say what it used: its exit is reported apart.
    const used = await thread.cpuUsage(before).catch(() => undefined);
    if (over || used === undefined) return;
    const leftMs = ms - (used.user + used.system) / 1000;
    if (leftMs <= 0) expire();
    else check.start(Math.max(1, leftMs));
  });
  const cancelWall = after(ms * WALL_FACTOR, expire);
  check.start(ms);
  return cancel;
}
