import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Pool, Queryable } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { openRegistry, type Registry } from '#runtime/registry/registry.js';
import { type Fleet, startFleet, type TestReplica } from './fleet.ts';

const TTL_MS = 600_000;

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet();
});
afterAll(async () => {
  await fleet?.close();
});

/** A registry of its own, and how often a statement of its transactions read a manifest. */
function counting(): { registry: Registry; read: () => number } {
  let read = 0;
  const noting = (client: Queryable): Queryable => ({
    ...client,
    query: (statement, values) => {
      if ((typeof statement === 'string' ? statement : statement.text).includes('manifest::text')) read += 1;
      return client.query(statement, values);
    },
  });
  const data: Pool = { ...fleet.pool, tx: (work) => fleet.pool.tx((client) => work(noting(client))) };
  return { registry: openRegistry({ data, clock: fleet.clock }), read: () => read };
}

function register(registry: Registry, replica: TestReplica) {
  const request = {
    requestId: newId('message'),
    expiresAt: fleet.clock() + 30_000,
    signerDid: replica.peerDid,
    command: fleet.proposal(replica),
  };
  return registry.lifecycle.commit(request, TTL_MS);
}

test('register of a replica with a live lease, and of a retired one, is refused without its manifest', async () => {
  const { registry, read } = counting();
  const [live, retired] = [await fleet.ready(), await fleet.provision()];
  await fleet.pool.query('UPDATE registry.replicas SET retiring = true WHERE id = $1', [retired.id]);
  await expect(register(registry, live)).rejects.toThrow('the replica holds a live lease');
  await expect(register(registry, retired)).rejects.toThrow('the replica is retired');
  expect(read()).toBe(0);
});

test('the manifest of a version is read once, however many of its replicas register; its attestation counts as it is', async () => {
  const { registry, read } = counting();
  for (let n = 0; n < 3; n += 1)
    expect(await register(registry, await fleet.provision())).toMatchObject({ status: 'lease', sequence: 1 });
  expect(read()).toBe(1);
  const { id, attestation } = fleet.version;
  const write = (written: object) =>
    fleet.pool.query('UPDATE registry.versions SET attestation = $2 WHERE id = $1', [id, JSON.stringify(written)]);
  await write({ ...attestation, schema_bundle_digest: `sha256:${'0'.repeat(64)}` });
  const replica = await fleet.provision();
  await expect(register(registry, replica)).rejects.toThrow('the attestation is for other schemas');
  await write(attestation);
  expect(await register(registry, replica)).toMatchObject({ status: 'lease' });
  expect(read()).toBe(1);
});

test('a lease begins when it is decided, also where its commit waited for the replica', async () => {
  const replica = await fleet.provision();
  const locked = Promise.withResolvers<void>();
  const waits = Promise.withResolvers<void>();
  const lock = fleet.pool.tx(async (client) => {
    await client.query('SELECT FROM registry.replicas WHERE id = $1 FOR UPDATE', [replica.id]);
    locked.resolve();
    await waits.promise;
  });
  await locked.promise;
  const answer = register(fleet.registry, replica);
  const blocked = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  await expect.poll(async () => (await fleet.pool.query(blocked)).rowCount, { timeout: 4000 }).toBe(1);
  fleet.time.ahead += 20_000;
  const decidedAt = fleet.clock();
  waits.resolve();
  await lock;
  expect(await answer).toMatchObject({ status: 'lease', sequence: 1 });
  expect((await fleet.registry.replicas.get(replica.id))?.leaseExpiresAt).toBeGreaterThanOrEqual(decidedAt + TTL_MS);
});
