import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { connect } from '../../runtime/gateway/endpoints/websocket/client.ts';
import {
  type Answer,
  actionEnvelope,
  type HttpGateway,
  principalEntry,
  startHttpGateway,
} from '../../runtime/gateway/support/gateway.ts';

/** Bytes of large bodies that are answered at once: two of one tenant, four of all. */
const BOUND = 800_000;
const LARGE = 170_000;
const TENANTS = ['acme', 'globex', 'initech'] as const;
type Tenant = (typeof TENANTS)[number];

let gateway: HttpGateway;
let pool: Pool;
beforeAll(async () => {
  gateway = await startHttpGateway({
    principals: TENANTS.map((tenant_id) => principalEntry(tenant_id, { tenant_id, scopes: ['*'] })),
    env: { AIP_GATEWAY_MAX_ANSWERED_BODY_BYTES: `${BOUND}`, AIP_GATEWAY_POSTGRES_STATEMENT_TIMEOUT_MS: '60000' },
  });
  pool = openPool({ url: gateway.databaseUrl, max: 1 });
});
afterAll(async () => {
  await pool?.close();
  await gateway?.stop();
});

const envelopeOf = (bytes: number) => ({ ...actionEnvelope(), trace: { padding: 'x'.repeat(bytes) } });
const send = (token: Tenant, bytes = LARGE): Promise<Answer> =>
  gateway.call('POST', '/aip/v1/messages', { token, body: envelopeOf(bytes) });
const outcome = ({ status, body }: Answer): unknown => [status, body.body?.error?.error.code];
const OVERLOADED = [503, 'http.overloaded'];

/** Runs `work` while no action can be stored, so that none is answered. */
const withoutAnswers = <T>(work: () => Promise<T>): Promise<T> =>
  pool.tx(async (client) => {
    await client.query('LOCK TABLE runtime.actions IN ACCESS EXCLUSIVE MODE');
    return work();
  });

test('large inputs that one tenant has answered at once are bounded in bytes; those of others, and small ones, are taken', async () => {
  const { refused, taken } = await withoutAnswers(async () => {
    const ofOne = [send('acme'), send('acme'), send('acme')];
    const first = outcome(await Promise.race(ofOne));
    const others = [send('globex'), send('globex'), send('globex')];
    const second = outcome(await Promise.race(others));
    // The bytes of all are taken now, by two tenants.
    const third = outcome(await send('initech'));
    return { refused: [first, second, third], taken: [...ofOne, ...others, send('initech', 1000)] };
  });
  expect(refused).toEqual([OVERLOADED, OVERLOADED, OVERLOADED]);
  const statuses = (await Promise.all(taken)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 200, 503, 503]);
  expect((await send('acme')).status).toBe(200);
});

test('frames of WebSocket connections count with the inputs of their tenant', async () => {
  const clients = [await connect(gateway.url, 'acme'), await connect(gateway.url, 'acme')];
  const codes = () => clients.flatMap(({ frames }) => frames.map(({ body }) => body.error?.error.code));
  await withoutAnswers(async () => {
    for (const client of clients) for (let n = 0; n < 2; n += 1) client.send(envelopeOf(LARGE));
    await clients[1]?.waitFor('two frames are refused', () => codes().length === 2);
    expect(codes()).toEqual(['http.overloaded', 'http.overloaded']);
  });
  await clients[1]?.waitFor('the other two are answered', () => codes().length === 4);
  expect(codes().filter((code) => code === undefined)).toHaveLength(2);
  for (const client of clients) await client.close();
});
