import { newEnvelope, signEnvelope } from '@aip/runtime/protocol/envelope.js';
import { newId } from '@aip/runtime/protocol/ids.js';
import { signingKeyFromSeed } from '@aip/runtime/protocol/signing.js';
import { Pool } from 'undici';
import { percentile } from './percentile.ts';
import type { LoadReport } from './run-load.ts';

/** One closed-loop load: `inFlight` callers, dealt to the gateways, each sending its next signed action when the last was answered. */
export interface LoadOrder {
  urls: string[];
  seed: string;
  inFlight: number;
  seconds: number;
}

async function run(order: LoadOrder): Promise<LoadReport> {
  const key = signingKeyFromSeed(order.seed);
  const pools = order.urls.map((url) => new Pool(url, { connections: order.inFlight }));
  const principal = { id: 'agent:bench', kind: 'agent' as const };
  const times: number[] = [];
  let failed = 0;
  const clock = { clock: Date.now };
  const before = process.cpuUsage();
  const start = performance.now();
  const end = start + order.seconds * 1000;
  const caller = async (pool: Pool): Promise<void> => {
    while (performance.now() < end) {
      const begun = performance.now();
      const action = {
        id: newId('action'),
        capability_id: 'cap:demo:echo',
        input: { text: 'hello' },
        mode: 'sync' as const,
      };
      const envelope = await signEnvelope(newEnvelope({ action }, {}, clock), principal, key);
      const answer = await pool.request({
        method: 'POST',
        path: '/aip/v1/messages',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(envelope),
      });
      const body = (await answer.body.json()) as { body?: { action_result?: { status: string } } };
      if (body.body?.action_result?.status === 'completed') times.push(performance.now() - begun);
      else {
        if (failed === 0) process.stderr.write(`first failure: ${JSON.stringify(body).slice(0, 500)}\n`);
        failed += 1;
      }
    }
  };
  const callers = Array.from({ length: order.inFlight }, (_, index) => pools[index % pools.length] as Pool);
  await Promise.all(callers.map(caller));
  const seconds = (performance.now() - start) / 1000;
  const used = process.cpuUsage(before);
  await Promise.all(pools.map((pool) => pool.close()));
  return {
    done: times.length,
    failed,
    perSecond: times.length / seconds,
    p50: percentile(times, 50),
    p99: percentile(times, 99),
    cpuMs: (used.user + used.system) / 1000,
  };
}

process.once('message', async (order) => {
  const report = await run(order as LoadOrder);
  process.send?.(report);
  process.disconnect();
});
