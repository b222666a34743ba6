import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import express from 'express';
import { pino } from 'pino';
import { findAction } from '#runtime/gateway/actions/read/find.js';
import { authenticator } from '#runtime/gateway/edge/authenticate.js';
import { bearerEdge } from '#runtime/gateway/edge/bearer.js';
import type { Identity } from '#runtime/gateway/edge/identity.js';
import { DEFAULT_FOLLOWER_LIMITS, openFollowers } from '#runtime/gateway/events/follow/followers.js';
import { appendEvents, type NewEvent } from '#runtime/gateway/events/log/append.js';
import { openTail, type Tail } from '#runtime/gateway/events/log/tail.js';
import { eventsRoutes } from '#runtime/gateway/events/routes.js';
import { RUNTIME_SCHEMA, runtimeMigrations } from '#runtime/gateway/schema/migrations.js';
import { startEmbedded } from '#runtime/postgres/embedded/embedded.js';
import { migrate } from '#runtime/postgres/migrate.js';
import { openPool, type Pool, type Queryable } from '#runtime/postgres/pool.js';
import { chunkEventId } from '#runtime/protocol/content/chunk-ids.js';
import { newId } from '#runtime/protocol/ids.js';
import { formatTime } from '#runtime/protocol/time.js';
import type { Event } from '#runtime/protocol/types.js';
import { listen } from '#runtime/transport/http/server.js';
import { freshDatabase } from '../../../support/database.ts';

export const TENANT = 'tenant-a';
const log = pino({ level: 'silent' });

/** Who calls, by the token of the same name. */
export const CALLERS = {
  owner: caller('human:owner', TENANT, ['action:read', 'events:read']),
  second: caller('human:second', TENANT, ['action:read', 'events:read']),
  operator: caller('service:operator', TENANT, ['*']),
  foreign: caller('human:foreign', 'tenant-b', ['*']),
  unscoped: caller('human:owner', TENANT, []),
} satisfies Record<string, Identity>;

export type Caller = keyof typeof CALLERS;

function caller(id: string, tenantId: string, scopes: string[]): Identity {
  const kind = id.startsWith('human') ? 'human' : 'service';
  return { principal: { id, kind }, scopes: new Set(scopes), tenantId, roles: [], scheme: 'bearer' };
}

/** One gateway's event routes over HTTP, with a tail of its own. */
export interface EventServer {
  readonly url: string;
  readonly tail: Tail;
  readonly server: Server;
  close(): Promise<void>;
}

/** Starts the event routes on a pool, as one gateway process has them. */
export async function startEventServer(pool: Pool): Promise<EventServer> {
  const tail = await openTail({ pool, log });
  const table = new Map(Object.entries(CALLERS).map(([name, identity]) => [digestOf(name), { identity }]));
  const rules = {
    edge: bearerEdge({ principals: { table: async () => table }, clock: Date.now }),
    signers: new Map(),
    allowUnsigned: false,
    clock: Date.now,
  };
  const app = express();
  const followers = openFollowers(DEFAULT_FOLLOWER_LIMITS);
  app.use(
    eventsRoutes({ pool, findAction, tail, followers, authenticator: authenticator(rules), clock: Date.now, log }),
  );
  const http = await listen(app, { host: '127.0.0.1', port: 0 });
  return {
    url: http.url,
    tail,
    server: http.server as Server,
    close: async () => {
      await tail.close();
      await http.close(1000);
    },
  };
}

/** One database with the gateway's schema, and one server on it. */
export interface Events {
  readonly pool: Pool;
  readonly server: EventServer;
  close(): Promise<void>;
}

/** Event routes on a database of their own. */
export async function startEvents(): Promise<Events> {
  const database = await freshDatabase();
  return eventsOn(database.url, database.drop);
}

/** Event routes on a PostgreSQL server of their own: nobody else's transactions delay what is settled. */
export async function startEventsAlone(): Promise<Events> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-events-'));
  const postgres = await startEmbedded({ dataDir: join(folder, 'data'), durable: false });
  return eventsOn(postgres.url, async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  });
}

async function eventsOn(url: string, dispose: () => Promise<void>): Promise<Events> {
  const pool = openPool({ url, max: 24 });
  await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
  const server = await startEventServer(pool);
  return {
    pool,
    server,
    close: async () => {
      await server.close();
      // A transaction that a failed test left open would keep the pool from closing; the database goes in any case.
      const closed = pool.close();
      await dispose();
      await Promise.race([closed, pause(1000)]);
    },
  };
}

/** An event of the owner's tenant. */
export function newEvent(over: Partial<Event> & { tenantId?: string; principalId?: string } = {}): NewEvent {
  const { tenantId = TENANT, principalId = CALLERS.owner.principal.id, ...event } = over;
  const whole: Event = {
    id: newId('event'),
    kind: 'test.event',
    occurred_at: formatTime(Date.now()),
    data: {},
    ...event,
  };
  return { event: whole, tenantId, principalId };
}

/** Stores events in one transaction. */
export function store(pool: Pool, ...events: NewEvent[]): Promise<void> {
  return pool.tx((client) => appendEvents(client, events));
}

// A running streaming action, as the gateway accepts one.
const INSERT_ACTION = `
INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, message_id, mode, state, request, plan,
  accepted_at, updated_at)
VALUES ($1, $2, $3, 'human', 'cap:test', $1, 'streaming', 'running', '{"id":"x","capability_id":"cap:test","input":{}}', '{}', 1, 1)`;

/** Stores a running action of the owner and returns its id. */
export async function storeAction(
  pool: Pool,
  { tenantId = TENANT, principalId = CALLERS.owner.principal.id } = {},
): Promise<string> {
  const actionId = newId('action');
  await pool.query(INSERT_ACTION, [actionId, tenantId, principalId]);
  return actionId;
}

/** Stores one chunk with the event that announces it. */
export async function storeChunk(
  client: Queryable,
  actionId: string,
  sequence: number,
  data: unknown = {},
): Promise<void> {
  const chunk = { action_id: actionId, sequence, kind: 'data', data };
  await client.query(
    'INSERT INTO runtime.chunks (action_id, sequence, kind, received_at, record, tenant_key) VALUES ($1, $2, $3, 1, $4, $5)',
    [actionId, sequence, 'data', JSON.stringify(chunk), TENANT],
  );
  await appendEvents(client, [
    newEvent({
      id: chunkEventId(actionId, sequence),
      kind: 'aip.stream.chunk',
      action_id: actionId,
      data: { action_id: actionId, sequence, kind: 'data' },
    }),
  ]);
}

/** Brings an action to its end, with the event that reports it, in one transaction. */
export function complete(pool: Pool, actionId: string): Promise<string> {
  const ended = newEvent({
    kind: 'aip.action.result',
    action_id: actionId,
    data: { action_id: actionId, status: 'completed' },
  });
  return pool.tx(async (client) => {
    await client.query(
      `UPDATE runtime.actions SET state = 'completed', completed_at = 2, updated_at = 2 WHERE action_id = $1`,
      [actionId],
    );
    await appendEvents(client, [ended]);
    return ended.event.id;
  });
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
