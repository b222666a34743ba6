import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openPool } from '#runtime/postgres/pool.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { parseLeaseArray } from '#runtime/protocol/time.js';
import { CONTROL, signed } from '../../controller/control-plane/plane.ts';
import { startFleet } from '../../runtime/registry/fleet.ts';
import { lineOf, startProgram } from '../../support/program.ts';
import { until } from '../../support/until.ts';
import { waitingFor } from './support.ts';

test('a control plane process takes lease, pool and key from its settings', async () => {
  const fleet = await startFleet();
  const folder = await mkdtemp(join(tmpdir(), 'aip-settings-'));
  const seed = newSeedHex();
  await writeFile(join(folder, 'seed'), seed, { mode: 0o600 });
  const program = startProgram('controller', ['control-plane'], {
    AIP_CONNECTOR_CONTROL_BIND: '127.0.0.1:0',
    AIP_CONNECTOR_CONTROL_DATABASE_URL: fleet.url,
    AIP_CONNECTOR_CONTROL_SIGNING_SEED_FILE: join(folder, 'seed'),
    AIP_CONNECTOR_CONTROL_LEASE_TTL_MS: '123000',
    AIP_CONNECTOR_CONTROL_MAX_CONNECTIONS: '3',
  });
  onTestFinished(async () => {
    await program.end();
    await fleet.close();
    await rm(folder, { recursive: true, force: true });
  });
  const started = await lineOf<{ bind: string }>(program, 'it listens', ({ bind }) => bind !== undefined);
  expect(started).toMatchObject({ signer_did: signingKeyFromSeed(seed).did, lifecycle_pool_max: 3 });
  const ready = await fetch(`${started.bind}/ready`);
  expect(await ready.json()).toMatchObject({ pools: { data_max: 3 } });
  const replica = await fleet.provision();
  const before = Date.now();
  const response = await fetch(started.bind + CONTROL, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: await signed(fleet, replica, fleet.proposal(replica)),
  });
  const { lease } = ((await response.json()) as { response: { lease: { expires_at: number[] } } }).response;
  const ends = parseLeaseArray(lease.expires_at);
  expect(ends).toBeGreaterThanOrEqual(before + 122_000);
  expect(ends).toBeLessThanOrEqual(Date.now() + 123_000);
});

test('F-305 part: a control plane waits ACQUIRE_TIMEOUT_MS for a connection to the database of its file', async () => {
  const fleet = await startFleet();
  const folder = await mkdtemp(join(tmpdir(), 'aip-settings-'));
  await writeFile(join(folder, 'seed'), newSeedHex(), { mode: 0o600 });
  await writeFile(join(folder, 'url'), fleet.url, { mode: 0o600 });
  const start = async (AIP_CONNECTOR_CONTROL_ACQUIRE_TIMEOUT_MS: string): Promise<string> => {
    const program = startProgram('controller', ['control-plane'], {
      AIP_CONNECTOR_CONTROL_BIND: '127.0.0.1:0',
      AIP_CONNECTOR_CONTROL_DATABASE_URL_FILE: join(folder, 'url'),
      AIP_CONNECTOR_CONTROL_SIGNING_SEED_FILE: join(folder, 'seed'),
      AIP_CONNECTOR_CONTROL_MAX_CONNECTIONS: '1',
      AIP_CONNECTOR_CONTROL_ACQUIRE_TIMEOUT_MS,
    });
    onTestFinished(() => program.end());
    return (await lineOf<{ bind: string }>(program, 'it listens', ({ bind }) => bind !== undefined)).bind;
  };
  onTestFinished(async () => {
    await fleet.close();
    await rm(folder, { recursive: true, force: true });
  });
  const [patient, hasty] = [await start('3500'), await start('100')];
  const [held, other] = [await fleet.provision(), await fleet.provision()];
  const pool = openPool({ url: fleet.url, max: 2 });
  onTestFinished(() => pool.close());
  const send = async (bind: string, replica: typeof held) => {
    const body = await signed(fleet, replica, fleet.proposal(replica));
    const headers = { 'content-type': 'application/json' };
    return { bind, status: (await fetch(bind + CONTROL, { method: 'POST', headers, body })).status };
  };
  await pool.tx(async (client) => {
    await client.query('SELECT FROM registry.replicas WHERE id = $1 FOR UPDATE', [held.id]);
    const holding = [patient, hasty].map((bind) => send(bind, held));
    await until('the only connection of each waits', async () => (await waitingFor(pool, 'aip-control-plane')) === 2);
    const first = await Promise.race([patient, hasty].map((bind) => send(bind, other)));
    expect(first).toEqual({ bind: hasty, status: 503 });
    await client.query('COMMIT');
    await Promise.all(holding);
  });
});
