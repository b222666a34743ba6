import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appendEvents } from '#runtime/gateway/events/log/append.js';
import { RUNTIME_SCHEMA, runtimeMigrations } from '#runtime/gateway/schema/migrations.js';
import { startEmbedded } from '#runtime/postgres/embedded/embedded.js';
import { migrate } from '#runtime/postgres/migrate.js';
import { openPool } from '#runtime/postgres/pool.js';
import { until } from '../../../support/until.ts';
import { newEvent, startEventServer, storeAction } from './fixture.ts';
import { open } from './stream-client.ts';

test('N-130 followers stay while PostgreSQL is stopped and started, and get every event stored before and after once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aip-restart-'));
  const dataDir = join(folder, 'data');
  let postgres = await startEmbedded({ dataDir });
  const pool = openPool({ url: postgres.url, max: 8, acquireTimeoutMs: 1000 });
  await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
  const server = await startEventServer(pool);
  try {
    const actionId = await storeAction(pool);
    const streams = await Promise.all([
      open(`${server.url}/aip/v1/events?follow=true`, 'operator'),
      open(`${server.url}/aip/v1/actions/${actionId}/events?follow=true`),
    ]);
    await until('both are joined', () => server.tail.followers() === 2);
    const stored: string[] = [];
    const store = async (): Promise<void> => {
      const event = newEvent({ action_id: actionId });
      await pool.tx((client) => appendEvents(client, [event]));
      stored.push(event.event.id);
    };
    for (let count = 0; count < 5; count += 1) await store();
    const { port } = postgres;
    await postgres.stop();
    await expect(store()).rejects.toMatchObject({ code: 'storage.unavailable' });
    postgres = await startEmbedded({ dataDir, port });
    await until('it can be written again', () => store().then(() => true));
    for (let count = 0; count < 5; count += 1) await store();
    for (const stream of streams) {
      await stream.waitFor('all came', () => stream.eventIds().length >= stored.length);
      expect(stream.eventIds()).toEqual(stored);
      expect(stream.named('aip.error')).toEqual([]);
      stream.close();
    }
  } finally {
    await server.close();
    await pool.close();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
