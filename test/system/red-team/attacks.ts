import { readFile } from 'node:fs/promises';
import { appendEvents } from '#runtime/gateway/events/log/append.js';
import { openPool } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { formatTime } from '#runtime/protocol/time.js';
import { startHttpGateway } from '../../runtime/gateway/support/gateway.ts';
import { beginBody } from '../../support/network/unfinished-body.ts';
import type { TwoTenants } from './fleet.ts';
import { nested, zeros } from './hostile-schemas.ts';

/** A key that nobody has. */
const STRANGER = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';
const BACKLOG = 10_000;
const FOLLOWS = 400;
const MIB = 1_048_576;
/** Background actions of the attacker that never end: more than a gateway runs at once. */
const HANGING = 400;

/** One way in which a tenant, or a stranger, loads the fleet; the returned function ends it. */
export type Attack = (fleet: TwoTenants) => Promise<() => unknown>;

/** Every way in which one party stopped the others, each with what loads the fleet while a witness calls. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'pattern without end': (fleet) => repeat(fleet, 'pattern', { s: `${'a'.repeat(60)}!` }),
  'nested alternatives': (fleet) => repeat(fleet, 'nested', { v: nested(12) }),
  'issues that fill the memory at once': (fleet) => repeat(fleet, 'greedy', { v: zeros() }),
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
  // The settings of the fleet's own gateway, and with them its key: hosts take what it sends.
  'clock 25 s ahead': async ({ dev }) => {
    const [pid] = await dev.pids('aip-runtime', 'gateway');
    const variables = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').map((line) => line.split(/=(.*)/s));
    const own = variables.filter(([name]) => name?.startsWith('AIP_GATEWAY_'));
    const gateway = await startHttpGateway({
      databaseUrl: dev.ready.database_url,
      clock: () => Date.now() + 25_000,
      env: { ...Object.fromEntries(own), AIP_GATEWAY_BIND: '127.0.0.1:0' },
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
        signer_did: STRANGER,
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
  'bad signatures of strangers': ({ dev }) => floodIngress(dev, STRANGER, 0),
  'bad signatures of a host': ({ dev }) => floodIngress(dev, didOfHost(dev), 0),
  'large bad signatures of strangers': ({ dev }) => floodIngress(dev, STRANGER, LARGE_MEMBERS),
  'large bad signatures of a host': ({ dev }) => floodIngress(dev, didOfHost(dev), LARGE_MEMBERS),
  'event ids of others': ({ attacker }) =>
    loop(() =>
      attacker.submit({
        capability_id: 'cap:demo:echo',
        input: { text: 'taken', publish_event: { ...TAKEN_EVENT, data: { of: 'attacker' } } },
      }),
    ),
  'background actions that do not end': async ({ attacker, host }) => {
    const end = Promise.withResolvers<void>();
    const { answer } = host;
    host.answer = async (envelope) => {
      await end.promise;
      return answer(envelope);
    };
    for (let sent = 0; sent < HANGING; sent += 50)
      await Promise.all(
        Array.from({ length: 50 }, () =>
          attacker.submit({ capability_id: 'cap:probe:hang', input: {}, mode: 'async' }).catch(() => undefined),
        ),
      );
    return () => {
      host.answer = answer;
      end.resolve();
    };
  },
};

/** Members of a message of about 2 MiB: half as many as a message may have nodes. */
const LARGE_MEMBERS = 50_000;

/** The DID of a host that runs. */
function didOfHost({ ready }: TwoTenants['dev']): string {
  return ready.instances.flatMap(({ replicas }) => replicas)[0]?.did as string;
}

/** Sends messages to the ingress that this DID has not signed, 16 at a time, with so many members each. */
async function floodIngress({ ready }: TwoTenants['dev'], did: string, members: number): Promise<() => unknown> {
  const { principal_id: id } = ready.gateway;
  const padding = Object.fromEntries(Array.from({ length: members }, (_, n) => [`member_${n}_${'x'.repeat(20)}`, n]));
  const message = newEnvelope(
    { event_stream: { events: [] } },
    {
      to: { id, kind: 'service' },
      from: { id: 'agent:stranger', kind: 'agent', did },
      security: { did, signature: `${'A'.repeat(86)}==` },
      trace: padding,
    },
    { clock: Date.now },
  );
  const body = Buffer.from(JSON.stringify(message));
  const ended = new AbortController();
  const send = () =>
    fetch(`${ready.gateway_url}/aip/v1/connector-events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: ended.signal,
    }).then((response) => response.text());
  const end = await loop(send, 16);
  return () => {
    ended.abort();
    return end();
  };
}

/** An event that connectors of both tenants publish. */
export const TAKEN_EVENT = { id: 'evt_delivery_1', kind: 'demo.delivered', occurred_at: '2026-03-02T09:00:00Z' };

/** Events of the attacker's tenant, which its follows read from the beginning. */
export async function storeBacklog({ dev }: TwoTenants, events = BACKLOG): Promise<void> {
  const pool = openPool({ url: dev.ready.database_url, max: 1 });
  const data = { text: 'x'.repeat(1000) };
  for (let stored = 0; stored < events; stored += 500)
    await pool.tx((client) =>
      appendEvents(
        client,
        Array.from({ length: 500 }, () => ({
          event: { id: newId('event'), kind: 'red-team.backlog', occurred_at: formatTime(Date.now()), data },
          tenantId: 'demo',
          principalId: 'agent:attacker',
        })),
      ),
    );
  await pool.close();
}

/** Calls a hostile capability again and again, eight at a time. */
function repeat({ attacker }: TwoTenants, name: string, input: unknown): Promise<() => unknown> {
  return loop(() => attacker.submit({ capability_id: `cap:probe:${name}`, input: input as object }));
}

async function loop(work: () => Promise<unknown>, atOnce = 8): Promise<() => unknown> {
  let ended = false;
  const workers = Array.from({ length: atOnce }, async () => {
    while (!ended) await work().catch(() => undefined);
  });
  return () => {
    ended = true;
    return Promise.all(workers);
  };
}
