import { appendEvents } from '#runtime/gateway/events/log/append.js';
import { openPool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { formatTime } from '#runtime/protocol/time.js';
import { startHttpGateway } from '../runtime/gateway/support/gateway.ts';
import { beginBody } from '../support/network/unfinished-body.ts';
import { startTwoTenants, type TwoTenants } from '../system/red-team/fleet.ts';
import { HOSTILE_CAPABILITIES, nested } from '../system/red-team/hostile-schemas.ts';
import { watchLoop } from './measure/loop-work.ts';
import { percentile } from './measure/percentile.ts';

const SECONDS = Number(process.env.AIP_BENCH_SECONDS ?? 10);
const BACKLOG = 10_000;
const FOLLOWS = 400;
const MIB = 1_048_576;

/** One way in which a tenant, or a stranger, loads the fleet; the returned function ends it. */
type Attack = (fleet: TwoTenants) => Promise<() => unknown>;

/**
 * `npm run bench -- witness [NAME]`: each attack runs for a while (AIP_BENCH_SECONDS, default 10 s) beside a second tenant that calls one action after
 * the other. Prints how many of the witness' calls completed and failed, their times, and the longest work on the gateway's event loop in CPU.
 */
export async function witnessBench(): Promise<void> {
  const only = process.argv[3];
  const fleet = await startTwoTenants(HOSTILE_CAPABILITIES);
  try {
    await storeBacklog(fleet);
    const [gateway] = await fleet.dev.pids('aip-runtime', 'gateway');
    if (gateway === undefined) throw new Error('no gateway runs');
    const watched = await watchLoop(gateway);
    process.stdout.write('attack                      calls  failed    p50 ms    p99 ms    max ms   work ms\n');
    for (const [name, attack] of Object.entries(ATTACKS)) {
      if (only !== undefined && name !== only) continue;
      await watched.longestMs();
      const end = await attack(fleet);
      const { times, failed } = await witness(fleet);
      await end();
      const work = await watched.longestMs();
      const figures = [percentile(times, 50), percentile(times, 99), Math.max(...times), work];
      process.stdout.write(
        `${name.padEnd(24)}${String(times.length).padStart(9)}${String(failed).padStart(8)}${figures.map((ms) => ms.toFixed(0).padStart(10)).join('')}\n`,
      );
    }
  } finally {
    await fleet.stop();
  }
}

/** Calls one action after the other until the time is over. */
async function witness(fleet: TwoTenants): Promise<{ times: number[]; failed: number }> {
  const until = performance.now() + SECONDS * 1000;
  const times: number[] = [];
  let failed = 0;
  while (performance.now() < until) {
    const begun = performance.now();
    await fleet.witnessed().catch(() => {
      failed += 1;
    });
    times.push(performance.now() - begun);
  }
  return { times, failed };
}

const ATTACKS: Record<string, Attack> = {
  none: async () => () => undefined,
  'pattern without end': (fleet) => repeat(fleet, 'pattern', { s: `${'a'.repeat(60)}!` }),
  'nested alternatives': (fleet) => repeat(fleet, 'nested', { v: nested(12) }),
  'wide schema': (fleet) => repeat(fleet, 'wide', { p1999: '' }),
  'follows without cursor': async ({ dev, attackerToken }) => {
    const stop = new AbortController();
    for (let n = 0; n < FOLLOWS; n += 1)
      void fetch(`${dev.ready.gateway_url}/aip/v1/events?follow=true`, {
        headers: { authorization: `Bearer ${attackerToken}` },
        signal: stop.signal,
      })
        .then((response) => response.text())
        .catch(() => undefined);
    return () => stop.abort();
  },
  'clock 25 s ahead': async ({ dev }) => {
    const gateway = await startHttpGateway({
      databaseUrl: dev.ready.database_url,
      clock: () => Date.now() + 25_000,
    });
    return gateway.stop;
  },
  'unfinished bodies': async ({ dev }) => {
    const part = 'x'.repeat(MIB);
    const strangers = Array.from({ length: 400 }, () =>
      beginBody(dev.ready.gateway_url, { path: '/aip/v1/messages', declared: 4 * MIB, first: part }),
    );
    return () => strangers.map(({ destroy }) => destroy());
  },
  'silent at the ingress': async ({ dev }) => {
    const strangers = Array.from({ length: 140 }, () =>
      beginBody(dev.ready.gateway_url, { path: '/aip/v1/connector-events', declared: 4 * MIB, first: '{' }),
    );
    return () => strangers.map(({ destroy }) => destroy());
  },
  'NUL in a replica id': async ({ dev }) => {
    const body = JSON.stringify({
      request: {
        request_id: newId('message'),
        issued_at: formatTime(Date.now()),
        expires_at: formatTime(Date.now() + 30_000),
        signer_did: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
        command: { operation: 'heartbeat', payload: { replica_id: 'a\u0000b', previous_sequence: 1 } },
      },
      signature: 'A'.repeat(86),
    });
    return loop(() =>
      fetch(dev.ready.control_url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then(
        (response) => response.text(),
      ),
    );
  },
};

/** Calls a hostile capability again and again, eight at a time. */
function repeat({ attacker }: TwoTenants, name: string, input: unknown): Promise<() => unknown> {
  return loop(() => attacker.submit({ capability_id: `cap:probe:${name}`, input: input as object }));
}

async function loop(work: () => Promise<unknown>): Promise<() => unknown> {
  let ended = false;
  const workers = Array.from({ length: 8 }, async () => {
    while (!ended) await work().catch(() => undefined);
  });
  return () => {
    ended = true;
    return Promise.all(workers);
  };
}

/** Events of the attacker's tenant, which its follows read from the beginning. */
async function storeBacklog({ dev }: TwoTenants): Promise<void> {
  const pool = openPool({ url: dev.ready.database_url, max: 1 });
  const data = { text: 'x'.repeat(1000) };
  for (let stored = 0; stored < BACKLOG; stored += 500)
    await pool.tx((client) =>
      appendEvents(
        client,
        Array.from({ length: 500 }, () => ({
          event: { id: newId('event'), kind: 'bench.backlog', occurred_at: formatTime(Date.now()), data },
          tenantId: 'demo',
          principalId: 'agent:attacker',
        })),
      ),
    );
  await pool.close();
}
