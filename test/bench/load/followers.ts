import { fork } from 'node:child_process';
import { join } from 'node:path';
import { until } from '../../support/until.ts';
import { costsOf } from '../measure/costs.ts';
import type { FollowOrder, FollowReport } from './follow.ts';

/** Open followers. */
export interface Followers {
  /** Milliseconds from commit to client of the events that came since the last call. */
  times(): Promise<number[]>;
  /** What their processes have used so far, in milliseconds of CPU. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

/** Client processes that share the followers. */
const CLIENTS = 4;
/** Most time until what was sent has been read. */
const READ_MS = 60_000;

/** Starts processes that share the followers of an order, and waits until all their streams are open. */
export async function openFollowers({ count, ...order }: FollowOrder): Promise<Followers> {
  const clients = Math.min(CLIENTS, count);
  const shares = Array.from({ length: clients }, (_, n) => Math.ceil((count - n) / clients));
  const processes = await Promise.all(shares.map((share) => startProcess({ ...order, count: share })));
  return {
    times: async () => (await Promise.all(processes.map((each) => each.times()))).flat(),
    cpuMs: async () => (await Promise.all(processes.map((each) => each.cpuMs()))).reduce((sum, ms) => sum + ms, 0),
    stop: async () => {
      await Promise.all(processes.map((each) => each.stop()));
    },
  };
}

/** Waits until so many events have been read since the last call. */
export async function allTimes(followers: Followers, count: number): Promise<number[]> {
  const times: number[] = [];
  const came = async (): Promise<boolean> => {
    for (const ms of await followers.times()) times.push(ms);
    return times.length >= count;
  };
  await until('every event came', came, READ_MS);
  return times;
}

async function startProcess(order: FollowOrder): Promise<Followers> {
  const child = fork(join(import.meta.dirname, 'follow.ts'), { stdio: 'inherit' });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const answer = (): Promise<FollowReport> =>
    new Promise((done, fail) => {
      child.once('message', (report) => done(report as FollowReport));
      void ended.then(() => fail(new Error('a process of followers ended')));
    });
  const opened = answer();
  child.send(order);
  const first = await opened;
  if ('failed' in first) throw new Error(first.failed);
  return {
    times: async () => {
      const report = answer();
      child.send('times');
      const got = await report;
      if ('times' in got) return got.times;
      throw new Error('failed' in got ? got.failed : 'the report names no times');
    },
    cpuMs: async () => (await costsOf([child.pid as number])).cpuMs,
    stop: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
