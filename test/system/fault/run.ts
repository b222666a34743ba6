import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openPool } from '#runtime/postgres/pool.js';
import { clientsOf } from '../../support/client.ts';
import { paymentsDocuments } from '../../support/connectors/payments-fleet.ts';
import { startDev } from '../../support/dev.ts';
import { startProvider } from '../../support/provider.ts';
import { until } from '../../support/until.ts';
import { readAftermath, type StoredAction } from './aftermath.ts';
import { chanceOf } from './chance.ts';
import { chaos, type Victim } from './chaos.ts';
import { type Check, checkAll } from './checks.ts';
import { watchLeases } from './leases.ts';
import { load, type Sent } from './load.ts';

/** A run of faults under load. The seed gives the killings and the load; which work they meet is up to the machine. */
export interface FaultRun {
  readonly seed: number;
  readonly seconds: number;
  readonly say: (line: string) => void;
}

/** What came of a run. */
export interface FaultReport {
  readonly killed: readonly Victim[];
  readonly sent: readonly Sent[];
  /** How many actions ended in which state, with the code of their error. */
  readonly ends: Readonly<Record<string, number>>;
  readonly checks: readonly Check[];
}

const ROOT = resolve(import.meta.dirname, '..', '..', '..');

/** Starts a fleet of two gateways and five hosts, kills them and PostgreSQL at random under load, lets them come back, and checks. */
export async function faultRun({ seed, seconds, say }: FaultRun): Promise<FaultReport> {
  const chance = chanceOf(seed);
  const provider = await startProvider();
  const demo = await readFile(join(ROOT, 'examples', 'demo.yaml'), 'utf8');
  const documents = `${demo}\n---\n${paymentsDocuments(provider, 3)}\n`;
  const dev = await startDev({ documents, args: ['--gateways', '2'] });
  const pool = openPool({ url: dev.ready.database_url, max: 2 });
  try {
    const clients = await clientsOf(dev);
    await watchLeases(pool);
    const over = new AbortController();
    const loading = load(clients, chanceOf(seed + 1), over.signal);
    const killing = chaos(dev, chance, over.signal, say);
    await pause(seconds * 1000);
    over.abort();
    const killed = await killing;
    say(`${killed.length} killed; waiting until the fleet is whole`);
    for (const client of clients)
      await until(
        'the gateway is ready',
        async () => (await client.get('/ready').catch(() => undefined))?.status === 200,
        90_000,
      );
    const sent = await loading;
    say(`${sent.length} actions sent, ${sent.filter(({ acknowledged }) => acknowledged).length} accepted; checking`);
    const after = await readAftermath({ sent, clients, provider, pool });
    const ends = endsOf(after.actions.values());
    say(`they ended so: ${JSON.stringify(ends)}`);
    return { killed, sent, ends, checks: checkAll(after) };
  } finally {
    await pool.close();
    await dev.stop();
    await provider.close();
  }
}

function endsOf(actions: Iterable<StoredAction>): Record<string, number> {
  const ends: Record<string, number> = {};
  for (const { state, result } of actions) {
    const end = [state, result?.error?.code].filter(Boolean).join(' ');
    ends[end] = (ends[end] ?? 0) + 1;
  }
  return ends;
}
