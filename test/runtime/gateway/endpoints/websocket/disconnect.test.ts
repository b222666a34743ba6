import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { findAction } from '#runtime/gateway/actions/read/find.js';
import { openWebSocketEndpoint } from '#runtime/gateway/endpoints/websocket/endpoint.js';
import { DEFAULT_FOLLOWER_LIMITS, type Followers, openFollowers } from '#runtime/gateway/events/follow/followers.js';
import { openTail, type Tail } from '#runtime/gateway/events/log/tail.js';
import type { Pool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { listen } from '#runtime/transport/http/server.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../../../support/until.ts';
import { newEvent, store } from '../../events/fixture.ts';
import { actionsOverFreshDatabase, caller, capability } from '../../support/actions.ts';
import { type HttpGateway, principalEntry, startHttpGateway } from '../../support/gateway.ts';
import { connect, eventIds } from './client.ts';

const log = openLogger({ component: 'test', level: 'silent' });
const TENANT = 'tenant-a';

let release: () => void;
const released = new Promise<{ done: boolean }>((done) => {
  release = () => done({ done: true });
});
let local: Awaited<ReturnType<typeof actionsOverFreshDatabase>>;
let gateway: HttpGateway;
beforeAll(async () => {
  local = await actionsOverFreshDatabase([capability('cap:work', () => released)]);
  gateway = await startHttpGateway({
    databaseUrl: local.url,
    principals: [principalEntry('desk', { tenant_id: 'acme', principal_id: 'agent:desk', scopes: ['action:read'] })],
  });
});
afterAll(async () => {
  release();
  await gateway?.stop();
  await local?.end();
});

// The first: an event of an earlier test may still be notified.
test('N-257 the query of a follow is repeated 500 ms after the one before, and finds what another process stored without a notification', async () => {
  const { url, pool, readings } = await countedEndpoint(local.gateway.pool);
  const client = await connect(url, 'any');
  onTestFinished(() => client.close());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const reach = async (state: () => unknown): Promise<void> => {
      while (!state()) await nextTurn();
    };
    const answered = async (readingsSoFar: number): Promise<void> => {
      await reach(() => readings.answered() === readingsSoFar);
      await vi.advanceTimersByTimeAsync(0);
    };
    client.send({ type: 'subscribe', subscription_id: 's1', kind: 'test.n257', follow: true });
    await reach(() => client.of('s1').length === 1 && readings.begun() > 0);
    const isQuiet = async (): Promise<boolean> => {
      const before = readings.begun();
      await answered(before);
      await vi.advanceTimersByTimeAsync(499);
      return readings.begun() === before;
    };
    // The pauses after the first queries are shorter.
    while (!(await isQuiet()));
    for (let query = 0; query < 3; query += 1) {
      const before = readings.begun();
      await vi.advanceTimersByTimeAsync(1);
      expect(readings.begun()).toBe(before + 1);
      expect(await isQuiet()).toBe(true);
    }
    await vi.advanceTimersByTimeAsync(1);
    await answered(readings.begun());
    const { event } = newEvent({ kind: 'test.n257' });
    await pool.query(
      `INSERT INTO runtime.events (event_id, kind, tenant_id, principal_id, occurred_at, record) VALUES ($1, $2, $3, 'p', 1, $4)`,
      [event.id, event.kind, TENANT, JSON.stringify(event)],
    );
    await vi.advanceTimersByTimeAsync(500);
    await reach(() => client.of('s1').flatMap(eventIds).includes(event.id));
  } finally {
    vi.useRealTimers();
  }
});

test('N-063 an action that is executed when the WebSocket which follows it closes reaches its completion', async () => {
  const id = newId('action');
  const reply = local.gateway.submit({ id, capability_id: 'cap:work' });
  await until('it runs', async () => {
    const { body } = await gateway.call('GET', `/aip/v1/actions/${id}`, { token: 'desk' });
    return body.state === 'running';
  });
  const client = await connect(gateway.url, 'desk');
  client.send({ type: 'subscribe', subscription_id: 's1', action_id: id, follow: true });
  const frame = await client.waitFor('the first response', (each) => each.of('s1')[0]);
  expect(frame.trace.websocket.terminal).toBe(false);
  await client.close();
  const running = await gateway.call('GET', `/aip/v1/actions/${id}`, { token: 'desk' });
  expect(running.body.state).toBe('running');
  release();
  expect(await reply).toMatchObject({ action_result: { status: 'completed', output: { done: true } } });
  expect((await local.gateway.ended(id)).state).toBe('completed');
});

test('N-260 all follows of a connection end with it: their places are free and no query runs for them any more', async () => {
  const { url, followers, queries, pool, tail } = await countedEndpoint(local.gateway.pool);
  const client = await connect(url, 'any');
  const ids = Array.from({ length: 16 }, (_, index) => `s${index}`);
  for (const id of ids) client.send({ type: 'subscribe', subscription_id: id, kind: 'test.n260', follow: true });
  await client.waitFor('all follow', () => followers.held() === 16 && ids.every((id) => client.of(id).length === 1));
  await store(pool, newEvent({ kind: 'test.n260' }));
  await client.waitFor('all have the event', () => ids.every((id) => client.of(id).flatMap(eventIds).length === 1));
  await client.close();
  await until('every place is free', () => followers.held() === 0);
  const witness = await connect(url, 'any');
  onTestFinished(() => witness.close());
  witness.send({ type: 'subscribe', subscription_id: 'w', kind: 'test.n260', follow: true });
  await witness.waitFor('the witness follows', () => followers.held() === 1 && witness.of('w').length > 0);
  await until('the tail has caught up', () => tail.joined() > 16);
  const before = queries();
  const event = newEvent({ kind: 'test.n260' });
  await store(pool, event);
  await witness.waitFor('the witness has the event', () => witness.of('w').flatMap(eventIds).includes(event.event.id));
  expect(queries()).toBe(before);
  expect(followers.held()).toBe(1);
});

/** A WebSocket endpoint whose followers, queries and readings of the log are counted. */
async function countedEndpoint(pool: Pool) {
  let made = 0;
  let begun = 0;
  let answered = 0;
  const counted: Pool = {
    ...pool,
    query: (...statement) => {
      made += 1;
      return pool.query(...statement);
    },
  };
  const reading: Pool = {
    ...pool,
    query: async (...statement) => {
      begun += 1;
      return pool.query(...statement).finally(() => {
        answered += 1;
      }) as never;
    },
  };
  const real = await openTail({ pool: reading, log });
  let joined = 0;
  const tail: Tail = {
    ...real,
    join: (...place) => {
      const subscription = real.join(...place);
      if (subscription) joined += 1;
      return subscription;
    },
  };
  const limits = openFollowers(DEFAULT_FOLLOWER_LIMITS);
  const held = new Set<object>();
  const followers: Followers = {
    admit: (identity) => {
      const place = limits.admit(identity);
      held.add(place);
      return {
        ...place,
        leave: () => {
          held.delete(place);
          place.leave();
        },
      };
    },
  };
  const identity = { ...caller('service:operator', TENANT), scheme: 'bearer' as const };
  const endpoint = openWebSocketEndpoint({
    pool: counted,
    findAction,
    tail,
    followers,
    clock: Date.now,
    log,
    authenticator: { bearer: async () => identity, signed: async () => identity } as never,
    principal: { id: 'service:gateway', kind: 'service' },
    answers: {} as never,
    maxBytes: 65_536,
    connections: { total: 8, perTenant: 8, perPrincipal: 8 },
  });
  const server = await listen((_request, response) => response.writeHead(404).end(), {
    host: '127.0.0.1',
    port: 0,
    upgrades: endpoint.upgrades,
  });
  onTestFinished(async () => {
    await real.close();
    endpoint.close();
    await server.close(0);
  });
  return {
    url: server.url,
    pool,
    queries: () => made,
    readings: { begun: () => begun, answered: () => answered },
    followers: { held: () => held.size },
    tail: { joined: () => joined },
  };
}
