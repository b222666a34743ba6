import { createHmac, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { openPool } from '#runtime/postgres/pool.js';
import { startDev } from '../support/dev.ts';
import { processCosts } from './measure/costs.ts';
import { percentile } from './measure/percentile.ts';
import { scaled } from './measure/scaled.ts';

const RATE = Number(process.env.AIP_BENCH_RATE ?? 500);
const SECONDS = scaled(Number(process.env.AIP_BENCH_SECONDS ?? 20));
const SECRET = '0123456789abcdef';
const TICK_MS = 20;
const EXAMPLE = resolve(import.meta.dirname, '..', '..', 'examples', 'chatwoot.yaml');

/**
 * Signed deliveries at a fixed rate (AIP_BENCH_RATE, default 500 a second for 20 s), whatever the answers: statuses, latency, what central delivery
 * was answered, how long the outbox took to drain afterwards, and commits a delivery.
 */
export async function deliveriesBench(): Promise<void> {
  const example = await readFile(EXAMPLE, 'utf8');
  const dev = await startDev({ documents: example.replace('account_id: 1', 'account_id: 1\n    health: none') });
  const database = openPool({ url: dev.ready.database_url, max: 2 });
  const route = new URL((dev.ready.instances[0] as { webhook_url?: string }).webhook_url as string);
  const http = new Pool(route.origin, { connections: 256, headersTimeout: 60_000 });
  try {
    const schema = await schemaOf(database);
    const pending = async (): Promise<number> =>
      (await database.query<{ n: number }>(`SELECT count(*) AS n FROM ${schema}.outbox`)).rows[0]?.n ?? 0;
    const answers = new Map<string, number>();
    const times: number[] = [];
    const note = (what: string): void => void answers.set(what, (answers.get(what) ?? 0) + 1);
    const deliver = async (n: number): Promise<void> => {
      const body = JSON.stringify({
        event: 'message_created',
        id: n,
        content: `Where is my parcel ${n}?`,
        message_type: 'incoming',
        content_attributes: {},
        sender: { id: 77, name: 'Noor', type: 'contact' },
        conversation: { id: 31, status: 'open', contact_inbox: { contact_id: 77 } },
        account: { id: 1, name: 'Shop' },
      });
      const timestamp = String(Math.floor(Date.now() / 1000));
      const hex = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex');
      const begun = performance.now();
      try {
        const answer = await http.request({
          method: 'POST',
          path: route.pathname,
          headers: {
            'content-type': 'application/json',
            'x-chatwoot-delivery': randomUUID(),
            'x-chatwoot-timestamp': timestamp,
            'x-chatwoot-signature': `sha256=${hex}`,
          },
          body,
        });
        const { central_delivery: central } = (await answer.body.json()) as { central_delivery?: string };
        times.push(performance.now() - begun);
        note(`${answer.statusCode} ${central ?? ''}`.trim());
      } catch (error) {
        note((error as Error).message);
      }
    };

    await Promise.all(Array.from({ length: 50 }, (_, n) => deliver(-n)));
    answers.clear();
    times.length = 0;
    const running = new Set<Promise<void>>();
    let sent = 0;
    let most = 0;
    const commits = await commitsOf(database);
    const before = await processCosts(dev);
    const start = performance.now();
    while (sent < RATE * SECONDS) {
      const wanted = Math.min(RATE * SECONDS, Math.floor(((performance.now() - start) / 1000) * RATE));
      for (; sent < wanted; sent += 1) {
        const one: Promise<void> = deliver(sent).finally(() => running.delete(one));
        running.add(one);
      }
      await pause(TICK_MS);
      if (sent % RATE < RATE / 10) most = Math.max(most, await pending());
    }
    const sending = (performance.now() - start) / 1000;
    await Promise.all(running);
    most = Math.max(most, await pending());
    const after = await processCosts(dev);
    const drainStart = performance.now();
    while ((await pending()) > 0) await pause(100);
    const drained = (performance.now() - drainStart) / 1000;

    process.stdout.write(`${sent} deliveries in ${sending.toFixed(1)} s (${(sent / sending).toFixed(0)} a second)\n`);
    for (const [what, count] of [...answers].sort()) process.stdout.write(`  ${String(count).padStart(6)}  ${what}\n`);
    process.stdout.write(`  p50 ${percentile(times, 50).toFixed(1)} ms, p99 ${percentile(times, 99).toFixed(1)} ms\n`);
    process.stdout.write(`  outbox: ${most} waiting at most, empty ${drained.toFixed(1)} s after the last answer\n`);
    const end = await processCosts(dev);
    for (const name of ['hosts', 'gateway', 'postgres'] as const)
      process.stdout.write(
        `  CPU of ${name}: ${((after[name].cpuMs - before[name].cpuMs) / sent).toFixed(2)} ms a delivery, ${((end[name].cpuMs - after[name].cpuMs) / sent).toFixed(2)} ms while draining\n`,
      );
    process.stdout.write(
      `  commits: ${(((await commitsOf(database)) - commits) / sent).toFixed(2)} a delivery, of hosts and gateway\n`,
    );
    const counted = await database.query<{ n: number }>(
      "SELECT count(*) AS n FROM runtime.events WHERE event_id LIKE 'evt_chatwoot_%'",
    );
    process.stdout.write(`  events at the gateway: ${(counted.rows[0]?.n ?? 0) - 50}\n`);
  } finally {
    await http.close();
    await database.close();
    await dev.stop();
  }
}

/** Commits of all programs so far; the database counts those of the last second a little later. */
async function commitsOf(database: ReturnType<typeof openPool>): Promise<number> {
  await pause(1500);
  const { rows } = await database.query<{ n: number }>(
    'SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]?.n ?? 0;
}

async function schemaOf(database: ReturnType<typeof openPool>): Promise<string> {
  const { rows } = await database.query<{ schema: string }>(
    "SELECT schemaname AS schema FROM pg_tables WHERE tablename = 'outbox'",
  );
  return rows[0]?.schema as string;
}
