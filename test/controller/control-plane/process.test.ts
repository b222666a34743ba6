import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readControlPlaneConfig } from '#controller/control-plane/config.js';
import { verifyValue } from '#runtime/protocol/lifecycle.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { type Fleet, sequenceOf, startFleet } from '../../runtime/registry/fleet.ts';
import { until } from '../../support/until.ts';
import { CONTROL, heartbeat, signed } from './plane.ts';

const MAIN = resolve(import.meta.dirname, '..', '..', '..', 'controller', 'dist', 'main.js');
const seed = newSeedHex();
let fleet: Fleet;
let folder: string;
let environment: Record<string, string>;
beforeAll(async () => {
  fleet = await startFleet();
  folder = await mkdtemp(join(tmpdir(), 'aip-control-'));
  await writeFile(join(folder, 'seed'), `${seed}\n`, { mode: 0o600 });
  await writeFile(join(folder, 'url'), fleet.url, { mode: 0o600 });
  environment = {
    AIP_CONNECTOR_CONTROL_BIND: '127.0.0.1:0',
    AIP_CONNECTOR_CONTROL_SIGNING_SEED_FILE: join(folder, 'seed'),
    AIP_CONNECTOR_CONTROL_DATABASE_URL_FILE: join(folder, 'url'),
  };
});
afterAll(async () => {
  await fleet?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** Lines on standard error that are JSON. */
  lines(): Record<string, unknown>[];
}
function run(over: Record<string, string | undefined> = {}): Run {
  const env = { PATH: process.env.PATH, ...environment, ...over };
  const child = spawn(process.execPath, [MAIN, 'control-plane'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  const lines = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { child, ended, lines };
}

test('F-124 F-176 F-177 the process serves leases, answers a repeat after its restart, and ends with 0 on SIGTERM', async () => {
  const replica = await fleet.provision();
  const text = await signed(fleet, replica, fleet.proposal(replica));
  const answers: unknown[] = [];
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { child, ended, lines } = run();
    const started = await until('it listens', () => lines().find(({ bind }) => bind !== undefined));
    expect(started).toMatchObject({
      component: 'aip-connector-control-plane',
      status: 'starting',
      signer_did: signingKeyFromSeed(seed).did,
      lifecycle_pool_max: 16,
    });
    expect((await fetch(`${started.bind}/health`)).status).toBe(200);
    const ready = await fetch(`${started.bind}/ready`);
    expect(await ready.json()).toMatchObject({ status: 'ready', pools: { data_max: 16, control_max: 0 } });
    const response = await fetch(started.bind + CONTROL, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    });
    expect(response.status).toBe(200);
    const { lease } = ((await response.json()) as { response: { lease: unknown } }).response;
    answers.push(lease);
    child.kill(signal);
    expect(await ended).toBe(0);
    expect(JSON.stringify(lines())).not.toContain(fleet.url);
  }
  expect(answers[0]).toEqual(answers[1]);
  expect(await sequenceOf(fleet, replica.id)).toBe(1);
});

test('F-079 a key that is replaced signs the next answer, without a stop; a wrong one does not', async () => {
  const seedFile = join(folder, 'rotated-seed');
  await writeFile(seedFile, seed, { mode: 0o600 });
  const { child, ended, lines } = run({ AIP_CONNECTOR_CONTROL_SIGNING_SEED_FILE: seedFile });
  const started = await until('it listens', () => lines().find(({ bind }) => bind !== undefined));
  const replica = await fleet.provision();
  const signer = async (): Promise<string> => {
    const response = await fetch(started.bind + CONTROL, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: await signed(fleet, replica, heartbeat(replica, 0)),
    });
    const answer = (await response.json()) as { response: { signer_did: string }; signature: string };
    expect(await verifyValue(answer.response.signer_did, answer.response, answer.signature)).toBe(true);
    return answer.response.signer_did;
  };
  expect(await signer()).toBe(signingKeyFromSeed(seed).did);
  const next = newSeedHex();
  await writeFile(seedFile, next, { mode: 0o600 });
  await until('it signs with the next key', async () => (await signer()) === signingKeyFromSeed(next).did);
  await writeFile(seedFile, 'no seed', { mode: 0o600 });
  await until('it says so', () => lines().some(({ level, setting }) => level === 'error' && setting === 'signing key'));
  expect(await signer()).toBe(signingKeyFromSeed(next).did);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('F-188 F-176 the process starts and lives while its database is away', async () => {
  const { child, ended, lines } = run({
    AIP_CONNECTOR_CONTROL_DATABASE_URL_FILE: undefined,
    AIP_CONNECTOR_CONTROL_DATABASE_URL: 'postgres://nobody:none@127.0.0.1:1/none',
  });
  const started = await until('it listens', () => lines().find(({ bind }) => bind !== undefined));
  const replica = await fleet.provision();
  const response = await fetch(started.bind + CONTROL, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: await signed(fleet, replica, heartbeat(replica, 0)),
  });
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ response: { code: 'connector_control.unavailable' } });
  expect((await fetch(`${started.bind}/ready`)).status).toBe(503);
  expect((await fetch(`${started.bind}/health`)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('F-305 a start that must not be is one JSON line that names the variable, and exit code 1', async () => {
  const rows: [Record<string, string | undefined>, string][] = [
    [{ AIP_CONNECTOR_CONTROL_ACQUIRE_TIMEOUT_MS: '60001' }, 'AIP_CONNECTOR_CONTROL_ACQUIRE_TIMEOUT_MS'],
    [{ AIP_CONNECTOR_CONTROL_SIGNING_SEED_FILE: undefined }, 'AIP_CONNECTOR_CONTROL_SIGNING_SEED_FILE'],
    [{ AIP_CONNECTOR_CONTROL_BIND: '0.0.0.0:8090' }, 'AIP_CONNECTOR_CONTROL_BIND'],
  ];
  const runs = rows.map(([over, name]) => ({ name, ...run(over) }));
  for (const { name, ended, lines } of runs) {
    expect(await ended).toBe(1);
    expect(lines()).toEqual([{ code: 'aip_connector_control_plane.failed', message: expect.stringContaining(name) }]);
  }
});

describe('configuration', () => {
  const read = (over: Record<string, string> = {}) =>
    readControlPlaneConfig({
      ...environment,
      ...Object.fromEntries(Object.entries(over).map(([name, value]) => [`AIP_CONNECTOR_CONTROL_${name}`, value])),
    });

  test('has the defaults of a control plane', () => {
    expect(read()).toMatchObject({
      leaseTtlMs: 30_000,
      maxConnections: 16,
      acquireTimeoutMs: 5000,
      database: { initial: { url: fleet.url } },
    });
    const { AIP_CONNECTOR_CONTROL_BIND: _, ...rest } = environment;
    expect(readControlPlaneConfig(rest).bind).toEqual({ host: '127.0.0.1', port: 8090 });
  });

  test.each([
    ['F-305 the acquire timeout', 'ACQUIRE_TIMEOUT_MS', 1, 60_000],
    ['the lease', 'LEASE_TTL_MS', 1000, 300_000],
    ['the connections', 'MAX_CONNECTIONS', 1, 256],
  ])('%s is taken within its bounds, both included, and refused beyond', (_, name, min, max) => {
    for (const value of [min, max]) expect(Object.values(read({ [name]: String(value) }))).toContain(value);
    for (const value of [min - 1, max + 1])
      expect(() => read({ [name]: String(value) })).toThrow(`AIP_CONNECTOR_CONTROL_${name}`);
  });

  test('a network bind needs TLS or a word, certificate and key go together', () => {
    expect(() => read({ BIND: '0.0.0.0:0' })).toThrow('BIND');
    expect(read({ BIND: '0.0.0.0:0', ALLOW_PROXY_NETWORK_BIND: 'true' }).bind.host).toBe('0.0.0.0');
    expect(() => read({ TLS_KEY_FILE: join(folder, 'seed') })).toThrow('TLS_CERT_FILE');
    expect(() => read({ SIGNING_SEED_FILE: join(folder, 'url') })).toThrow('SIGNING_SEED_FILE');
  });
});
