import { createHash, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../../../support/until.ts';
import { end } from '../support/host-process.ts';
import { delivery, nowS, signatureOf, startWebhookHost, type WebhookHost } from './support/webhook-host.ts';

/** Advisory locks that the triggers below wait for, before a row is written. */
const GATES = { webhook_replay: 7_101, events: 7_102, outbox: 7_103, delivered: 7_104 } as const;
type Gate = keyof typeof GATES;

let host: WebhookHost;
let keeper: pg.Client;
beforeAll(async () => {
  host = await startWebhookHost();
  keeper = new pg.Client({ connectionString: host.databaseUrl });
  await keeper.connect();
  const gate = (name: Gate, table: string, when: string) => `
    CREATE FUNCTION aip_host.gate_${name}() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock_shared(${GATES[name]}); RETURN coalesce(NEW, OLD); END';
    CREATE TRIGGER gate_${name} BEFORE ${when} ON aip_host.${table} FOR EACH ROW EXECUTE FUNCTION aip_host.gate_${name}();`;
  await keeper.query(gate('webhook_replay', 'webhook_replay', 'INSERT'));
  await keeper.query(gate('events', 'events', 'INSERT'));
  await keeper.query(gate('outbox', 'outbox', 'INSERT'));
  await keeper.query(gate('delivered', 'outbox', 'DELETE'));
});
afterAll(async () => {
  await keeper?.end();
  await host?.stop();
});
afterEach(async () => {
  await keeper.query('SELECT pg_advisory_unlock_all()');
  host.ingress.answer = () => 200;
});

const eventId = (id: string): string => `evt_chatwoot_${createHash('sha256').update(id).digest('hex')}`;
const waiting = async (gate: Gate): Promise<number[]> => {
  const text = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = $1`;
  return (await keeper.query<{ pid: number }>(text, [GATES[gate]])).rows.map(({ pid }) => pid);
};
/** Kills the host; what its sessions wait to write is never written. */
async function killAt(gate?: Gate): Promise<void> {
  await end(host.host, 'SIGKILL');
  if (!gate) return;
  for (const pid of await waiting(gate)) await keeper.query('SELECT pg_terminate_backend($1)', [pid]);
  await keeper.query('SELECT pg_advisory_unlock($1)', [GATES[gate]]);
}

interface Sent {
  body: string;
  options: { id: string; timestamp: number; signature: string };
}
type Point = (sent: Sent) => Promise<void>;
const send = ({ body, options }: Sent) => host.deliver(body, options).catch(() => undefined);
const heldAt =
  (gate: Gate): Point =>
  async (sent) => {
    await keeper.query('SELECT pg_advisory_lock($1)', [GATES[gate]]);
    const answer = send(sent);
    await until(`the host is at ${gate}`, async () => (await waiting(gate)).length > 0);
    await killAt(gate);
    await answer;
  };

/** Takes a delivery between two of the eleven steps and kills the host there. */
const POINTS: Record<string, Point> = {
  'before 1: the headers were not complete': ({ options }) =>
    partly(`POST /webhooks/chatwoot HTTP/1.1\r\nX-Chatwoot-Delivery: ${options.id}\r\n`),
  'between 1 and 4: the body was not complete': ({ body, options }) =>
    partly(`${headOf(body, options)}${body.slice(0, 20)}`),
  'between 4 and 5: the replay set was not written': heldAt('webhook_replay'),
  'between 5 and 9: the event was not in the log': heldAt('events'),
  'between 9 and 10: the event was not queued': heldAt('outbox'),
  'between 10 and 11: the event was queued, and no gateway had answered': async (sent) => {
    host.ingress.answer = () => 'silence';
    const answer = send(sent);
    await until('the gateway was asked', () =>
      host.ingress.received.some(({ text }) => text.includes(sent.options.id)),
    );
    await killAt();
    await answer;
    host.ingress.answer = () => 200;
  },
  'between 10 and 11: a gateway had the event, and the outbox did not know': heldAt('delivered'),
  'after 11: the answer was on its way': async (sent) => {
    expect((await host.deliver(sent.body, sent.options)).status).toBe(200);
    await killAt();
  },
};

function headOf(body: string, { id, timestamp, signature }: Sent['options']): string {
  return [
    'POST /webhooks/chatwoot HTTP/1.1',
    'Host: webhooks',
    `X-Chatwoot-Delivery: ${id}`,
    `X-Chatwoot-Timestamp: ${timestamp}`,
    `X-Chatwoot-Signature: ${signature}`,
    `Content-Length: ${body.length}`,
    '',
    '',
  ].join('\r\n');
}

/** Sends a part of a request on a connection of its own and kills the host. */
async function partly(text: string): Promise<void> {
  const { hostname, port } = new URL(host.host.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await new Promise<void>((done) => socket.write(text, () => done()));
  // The host answers on another connection, so it had this one's bytes before it, or gets them never.
  await host.get('/health');
  await killAt();
  socket.destroy();
}

test.each(Object.keys(POINTS))(
  'P-136 P-137 P-060 a host that is killed %s is repaired by the same delivery: one event centrally, never two, never none',
  async (point) => {
    const id = randomUUID();
    const body = JSON.stringify(delivery({ message: { content: point } }));
    const timestamp = nowS();
    const sent: Sent = { body, options: { id, timestamp, signature: signatureOf(body, timestamp) } };
    await POINTS[point]?.(sent);
    const [before] = (await host.events()).filter((event) => event.id === eventId(id));

    await host.pool.query('UPDATE aip_host.outbox SET next_attempt_at = 0, lease_expires_at = 0');
    await host.start();
    await host.ready();
    const answer = await host.deliver(body, sent.options);
    expect([answer.status, answer.body.accepted_events]).toEqual([200, 1]);
    await until('the outbox is empty', async () => {
      await host.pool.query('UPDATE aip_host.outbox SET next_attempt_at = 0');
      return (await host.outbox()).length === 0;
    });

    const kept = (await host.events()).filter((event) => event.id === eventId(id));
    expect(kept).toHaveLength(1);
    if (before) expect(kept[0]).toEqual(before);
    const published = host.ingress.events().filter(({ event }) => event.id === eventId(id));
    expect(published.length).toBeGreaterThan(0);
    // The gateway keeps one event of an id as long as each publication of it says the same.
    expect(new Set(published.map(({ event }) => JSON.stringify(event))).size).toBe(1);
  },
);
