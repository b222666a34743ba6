import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waited } from '#runtime/time/wait.js';
import { clientOf } from '../support/client.ts';
import { type Dev, startDev } from '../support/dev.ts';
import { scaled } from './measure/scaled.ts';

const CALLERS = 64;
/** Actions that each of the two hosts runs at once: fewer than there are callers, so that every place is in use when a program is killed. */
const CAPACITY = 8;
const BEFORE_MS = scaled(5000);
const AFTER_MS = scaled(40_000);
/** A caller that was refused or had no connection waits so long. */
const AGAIN_MS = 100;
const SLICE_MS = 500;
const DEMO = join(import.meta.dirname, '..', '..', 'examples', 'demo.yaml');

/** What is killed, and the words of its command line. */
const KILLED: readonly (readonly [string, ...string[]])[] = [
  ['the only gateway', 'aip-runtime', 'gateway'],
  ['one of two hosts', 'aip-runtime', 'host'],
  ['the control plane', 'aip-controller', 'control-plane'],
  ['PostgreSQL', 'postgres', '-D'],
];

/**
 * `npm run bench -- outage`: kills each program of a fleet whose places are all in use, and prints for how long no action completes, and when half as
 * many do as before.
 */
export async function outageBench(): Promise<void> {
  const documents = (await readFile(DEMO, 'utf8')).replace(/^ {2}replicas: 2$/m, `$&\n  capacity: ${CAPACITY}`);
  const dev = await startDev({ documents });
  const completedAt: number[] = [];
  const stopping = new AbortController();
  const callers = Array.from({ length: CALLERS }, () => call(dev, completedAt, stopping.signal));
  try {
    process.stdout.write(
      `${CALLERS} callers, two hosts of ${CAPACITY} places\n           killed | actions/s before | none completes for | half of that rate after\n`,
    );
    for (const [name, ...words] of KILLED) {
      await waited(BEFORE_MS);
      const killedAt = performance.now();
      for (const pid of (await dev.pids(...words)).slice(0, 1)) process.kill(pid, 'SIGKILL');
      await waited(AFTER_MS);
      print(name, completedAt, killedAt);
    }
  } finally {
    stopping.abort();
    await Promise.all(callers);
    await dev.stop();
  }
}

/** Submits one action after the other, and notes when each completed. */
async function call(dev: Dev, completedAt: number[], signal: AbortSignal): Promise<void> {
  const client = clientOf(dev);
  while (!signal.aborted) {
    const isDone = await client
      .submit({ capability_id: 'cap:demo:echo', input: { text: 'hello' }, mode: 'sync' })
      .then(({ body }) => JSON.stringify(body).includes('"status":"completed"'))
      .catch(() => false);
    if (isDone) completedAt.push(performance.now());
    else await waited(AGAIN_MS);
  }
}

function print(name: string, completedAt: readonly number[], killedAt: number): void {
  const within = (fromMs: number, toMs: number): number =>
    completedAt.filter((at) => at >= killedAt + fromMs && at < killedAt + toMs).length;
  const before = within(-BEFORE_MS, 0) / BEFORE_MS;
  const later = completedAt.filter((at) => at >= killedAt).map((at) => at - killedAt);
  const gaps = [0, ...later].map((at, index, all) => (all[index + 1] ?? AFTER_MS) - at);
  const slices = Array.from({ length: Math.floor(AFTER_MS / SLICE_MS) }, (_, index) => index * SLICE_MS);
  const isSlow = (fromMs: number): boolean => within(fromMs, fromMs + SLICE_MS) / SLICE_MS < before / 2;
  const lastSlow = slices.findLast(isSlow);
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  process.stdout.write(
    `${name.padStart(17)} | ${(before * 1000).toFixed(0).padStart(16)} | ${seconds(Math.max(...gaps)).padStart(18)} | ${seconds(lastSlow === undefined ? 0 : lastSlow + SLICE_MS)}\n`,
  );
}
