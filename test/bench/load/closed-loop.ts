import { Pool } from 'undici';
import { percentile } from '../measure/percentile.ts';
import type { LoadReport } from './run-load.ts';

/** `inFlight` callers, dealt to the addresses, each sending its next call when the last was answered. */
export interface LoopOrder {
  urls: string[];
  inFlight: number;
  seconds: number;
  /** Calls after which it ends sooner; default: none. */
  calls?: number;
}

/** Runs the calls of an order; a call returns what was wrong with its answer, or undefined. The first problem is printed. */
export async function closedLoop(
  { urls, inFlight, seconds, calls = Number.POSITIVE_INFINITY }: LoopOrder,
  call: (pool: Pool) => Promise<string | undefined>,
): Promise<LoadReport> {
  const pools = urls.map((url) => new Pool(url, { connections: inFlight }));
  const times: number[] = [];
  let failed = 0;
  let begunCalls = 0;
  const before = process.cpuUsage();
  const start = performance.now();
  const end = start + seconds * 1000;
  const caller = async (pool: Pool): Promise<void> => {
    while (performance.now() < end && begunCalls < calls) {
      begunCalls += 1;
      const begun = performance.now();
      const problem = await call(pool);
      if (problem === undefined) times.push(performance.now() - begun);
      else {
        if (failed === 0) process.stderr.write(`first failure: ${problem.slice(0, 500)}\n`);
        failed += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: inFlight }, (_, index) => caller(pools[index % pools.length] as Pool)));
  const took = (performance.now() - start) / 1000;
  const used = process.cpuUsage(before);
  await Promise.all(pools.map((pool) => pool.close()));
  return {
    done: times.length,
    failed,
    perSecond: times.length / took,
    p50: percentile(times, 50),
    p99: percentile(times, 99),
    cpuMs: (used.user + used.system) / 1000,
  };
}

/** Posts JSON and returns the answer's. */
export async function postJson(pool: Pool, path: string, body: object): Promise<unknown> {
  const answer = await pool.request({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return await answer.body.json();
}

/** Answers the orders that a process of a load gets from its parent, until the parent has no more. */
export function serveLoad<T>(run: (order: T) => Promise<LoadReport>): void {
  process.on('message', async (order) => {
    process.send?.(await run(order as T));
  });
}
