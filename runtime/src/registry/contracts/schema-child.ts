import { Worker } from 'node:worker_threads';
import { after, openTimer } from '../../time/timer.js';
import type { ProcessJob, ProcessReport } from './schema-process.js';
import type { SchemaReport } from './schema-worker.js';

const ENTRY = new URL('./schema-worker.js', import.meta.url);
/** What a check may take of memory. A growing list may need more at once: then the engine ends this whole process. */
const MAX_HEAP_MB = 128;
/** How much longer a check may take by the wall clock than by its CPU time: on a busy machine a thread waits for its turn. */
const WALL_FACTOR = 10;

const thread = new Worker(ENTRY, { resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } });
let job: ProcessJob | undefined;
let cancelDeadline = (): void => undefined;

process.on('message', (next: ProcessJob) => {
  job = next;
  const { digest, schema, value } = next;
  thread.postMessage({ digest, schema, value });
});
thread.on('message', (report: SchemaReport) => {
  const { compileMs, checkMs } = job as ProcessJob;
  // The time counts from here: a thread that is being started is not the schema's fault.
  if ('at' in report && report.at === 'begun') within(compileMs, report.used, 'compiling the schema');
  else if ('at' in report) within(checkMs, report.used, 'a check against the schema');
  else {
    cancelDeadline();
    answer(report);
  }
});
// A thread that is out of memory ends, and this process with it: the program starts another one for the next check.
thread.on('error', () => undefined);
thread.on('exit', () => process.exit());
// This process ends with the program, however that ends, and not on the signals of a terminal: checks continue while a program stops.
process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

/** Reports the check as too slow, for which the program ends this process, unless it gets further in so many milliseconds of CPU time. */
function within(ms: number, used: NodeJS.CpuUsage, what: string): void {
  cancelDeadline();
  cancelDeadline = cpuDeadline(ms, used, () =>
    answer({ tooSlow: `${what} takes longer than ${ms} ms; simplify the schema` }),
  );
}

function answer(report: ProcessReport): void {
  process.send?.(report);
}

/** Calls `onEnd` when the thread has used `ms` of CPU time more than `before`, or WALL_FACTOR times that has passed; the returned function cancels it. */
function cpuDeadline(ms: number, before: NodeJS.CpuUsage, onEnd: () => void): () => void {
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
    // A thread that has ended cannot say what it used: its end is reported apart.
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
