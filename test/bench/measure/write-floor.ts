import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { newId } from '#runtime/protocol/ids.js';
import { formatTime } from '#runtime/protocol/time.js';
import { sseFrame } from '#runtime/transport/http/sse.js';
import { allTimes, openFollowers } from '../load/followers.ts';
import { costsOf } from './costs.ts';

/** CPU milliseconds a write of a process that writes one event to each of `count` followers, `rounds` times, and does nothing else. */
export async function writeFloor(count: number, rounds: number, everyMs: number): Promise<number> {
  const writer = fork(join(import.meta.dirname, '..', 'load', 'push.ts'), { stdio: 'inherit' });
  const ended = once(writer, 'exit');
  try {
    const [port] = await once(writer, 'message');
    const followers = await openFollowers({ url: `http://127.0.0.1:${port}`, token: 'none', path: '/', count });
    try {
      const pids = [writer.pid as number];
      const before = (await costsOf(pids)).cpuMs;
      const begun = performance.now();
      for (let round = 0; round < rounds; round += 1) {
        writer.send(frame(count, round));
        await new Promise((done) => setTimeout(done, Math.max(0, begun + (round + 1) * everyMs - performance.now())));
      }
      const { length } = await allTimes(followers, rounds * count);
      return ((await costsOf(pids)).cpuMs - before) / length;
    } finally {
      await followers.stop();
    }
  } finally {
    if (writer.connected) writer.disconnect();
    await ended;
  }
}

/** An event with its cursor, as long as what a gateway sends. */
function frame(count: number, round: number): string {
  const id = newId('event');
  const kind = `bench.tick.${count}`;
  const data = { round, sent_ns: String(process.hrtime.bigint()) };
  const cursor = randomBytes(56).toString('base64url');
  return (
    sseFrame({ event: kind, id, data: { event: { id, kind, occurred_at: formatTime(Date.now()), data } } }) +
    sseFrame({ event: 'aip.stream.cursor', id: cursor, data: { next_cursor: cursor } })
  );
}
