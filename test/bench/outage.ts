import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waited } from '#runtime/time/wait.js';
import { clientOf } from '../support/client.ts';
import { startDev } from '../support/dev.ts';
import { scaled } from './measure/scaled.ts';

const CALLERS = 64;
/** Actions that the two hosts run at once: fewer than there are callers, so that every place is in use when the gateway is killed. */
const CAPACITY = 8;
const BEFORE_MS = scaled(6000);
const AFTER_MS = scaled(20_000);
/** A caller that was refused or had no connection waits so long. */
const AGAIN_MS = 100;
const SLICE_MS = 500;
const DEMO = join(import.meta.dirname, '..', '..', 'examples', 'demo.yaml');

/**
 * `npm run bench -- outage`: kills the only gateway of a fleet whose places are all in use, and prints how long no action completes, and how long
 * until as many do as before.
 */
export async function outageBench(): Promise<void> {
  const documents = (await readFile(DEMO, 'utf8')).replace(/^ {2}replicas: 2$/m, `$&\n  capacity: ${CAPACITY}`);
  const dev = await startDev({ documents });
  try {
    const client = clientOf(dev);
    const completedAt: number[] = [];
    const stopping = new AbortController();
    const caller = async (): Promise<void> => {
      while (!stopping.signal.aborted) {
        const isDone = await client
          .submit({ capability_id: 'cap:demo:echo', input: { text: 'hello' }, mode: 'sync' })
          .then(({ body }) => JSON.stringify(body).includes('"status":"completed"'))
          .catch(() => false);
        if (isDone) completedAt.push(performance.now());
        else await waited(AGAIN_MS);
      }
    };
    const callers = Array.from({ length: CALLERS }, caller);
    await waited(BEFORE_MS);
    const killedAt = performance.now();
    for (const pid of await dev.pids('aip-runtime', 'gateway')) process.kill(pid, 'SIGKILL');
    await waited(AFTER_MS);
    stopping.abort();
    await Promise.all(callers);
    print(completedAt, killedAt);
  } finally {
    await dev.stop();
  }
}

function print(completedAt: readonly number[], killedAt: number): void {
  const within = (fromMs: number, toMs: number): number =>
    completedAt.filter((at) => at >= killedAt + fromMs && at < killedAt + toMs).length;
  const before = (within(-BEFORE_MS / 2, 0) * 1000) / (BEFORE_MS / 2);
  const firstMs = (completedAt.find((at) => at > killedAt + SLICE_MS / 5) ?? Number.NaN) - killedAt;
  const slices = Array.from({ length: Math.floor(AFTER_MS / SLICE_MS) }, (_, index) => index * SLICE_MS);
  const wholeMs = slices.find(
    (from) => from >= firstMs && within(from, from + SLICE_MS) * (1000 / SLICE_MS) > before / 2,
  );
  process.stdout.write(
    `${CALLERS} callers, two hosts of ${CAPACITY} places, one gateway, which is killed\n` +
      `  before: ${before.toFixed(0)} actions a second\n` +
      `  no action completes for ${(firstMs / 1000).toFixed(1)} s\n` +
      `  more than half of the rate of before after ${wholeMs === undefined ? `more than ${AFTER_MS / 1000}` : (wholeMs / 1000).toFixed(1)} s\n`,
  );
}
