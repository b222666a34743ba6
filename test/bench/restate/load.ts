import { Pool } from 'undici';
import { percentile } from '../percentile.ts';
import type { LoadReport } from '../run-load.ts';

/** One closed-loop load: `inFlight` callers, each sending its next call when the last was answered. */
export interface CallOrder {
  url: string;
  path: string;
  inFlight: number;
  seconds: number;
}

async function run({ url, path, inFlight, seconds }: CallOrder): Promise<LoadReport> {
  const pool = new Pool(url, { connections: inFlight });
  const times: number[] = [];
  let failed = 0;
  const before = process.cpuUsage();
  const start = performance.now();
  const end = start + seconds * 1000;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      const begun = performance.now();
      const answer = await pool.request({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'hello' }),
      });
      const body = (await answer.body.json()) as { echoed?: { text?: string } };
      if (body.echoed?.text === 'hello') times.push(performance.now() - begun);
      else failed += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  const took = (performance.now() - start) / 1000;
  const used = process.cpuUsage(before);
  await pool.close();
  return {
    done: times.length,
    failed,
    perSecond: times.length / took,
    p50: percentile(times, 50),
    p99: percentile(times, 99),
    cpuMs: (used.user + used.system) / 1000,
  };
}

process.once('message', async (order) => {
  const report = await run(order as CallOrder);
  process.send?.(report);
  process.disconnect();
});
