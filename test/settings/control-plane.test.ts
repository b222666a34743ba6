import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSeedHex, signingKeyFromSeed } from '@aip/runtime/protocol/signing.js';
import { parseLeaseArray } from '@aip/runtime/protocol/time.js';
import { expect, onTestFinished, test } from 'vitest';
import { CONTROL, signed } from '../control-plane/plane.ts';
import { startFleet } from '../registry/fleet.ts';
import { lineOf, startProgram } from '../support/program.ts';

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
