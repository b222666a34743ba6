import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCa, issueLeaf } from '#controller/trust/certificates/ca.js';
import { connectionOf, type DatabaseAddress } from '#runtime/postgres/address.js';
import { type EmbeddedPostgres, startEmbedded } from '#runtime/postgres/embedded/embedded.js';
import { ensureOwnedDatabase } from '#runtime/postgres/owned-database.js';
import { openPool } from '#runtime/postgres/pool.js';
import { newSeedHex } from '#runtime/protocol/signing.js';
import { until } from '../../support/until.ts';
import { spawnGateway } from '../gateway/support/process.ts';

const ENCRYPTED = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
const CA = '-----BEGIN CERTIFICATE-----';

test.each([
  ['postgres://u:p@127.0.0.1/d', false],
  ['postgres://u:p@localhost/d?sslmode=prefer', false],
  ['postgres://u:p@[::1]/d', false],
  ['postgres://u:p@/d?host=/var/run/postgresql', false],
  ['postgres://u:p@db.example/d?sslmode=disable', false],
  ['postgresql://u:p@db.example/d?sslmode=require', true],
  ['postgres://u:p@db.example/d?sslmode=verify-full', true],
  ['postgres://u:p@db.example/d?ssl=true', true],
] as const)('%s is encrypted: %s', (url, encrypted) => {
  expect(Boolean(connectionOf({ url }).ssl)).toBe(encrypted);
});

test.each(['postgres://u:secret@db.example/d', 'postgres://u:secret@10.0.0.7:5432/d?sslmode=prefer'])(
  'plain text to another machine must be requested explicitly: %s',
  (url) => {
    expect(() => connectionOf({ url })).toThrow(expect.objectContaining({ name: 'DatabaseAddressRefused' }));
    expect(() => openPool({ url, max: 1 })).toThrow(
      /add sslmode=verify-full, .* or sslmode=disable to send everything in plain text/,
    );
    expect(() => connectionOf({ url })).not.toThrow(/secret/);
    expect(connectionOf({ url, ca: CA }).ssl).toMatchObject({ ca: CA, rejectUnauthorized: true });
  },
);

test('an unknown sslmode, and a file that cannot be read, are named', () => {
  expect(() => connectionOf({ url: 'postgres://u:p@db.example/d?sslmode=full' })).toThrow(
    /sslmode=full .* is not one of/,
  );
  const url = 'postgres://u:p@db.example/d?sslmode=verify-full&sslrootcert=/nowhere/ca.crt';
  expect(() => connectionOf({ url })).toThrow(/sslrootcert .*\/nowhere\/ca\.crt/);
});

describe('a server with a certificate of an authority of its own', () => {
  let folder: string;
  let server: EmbeddedPostgres;
  let url: URL;
  let ca: string;
  const at = (host: string, sslmode?: string): string => {
    const address = new URL(url);
    address.hostname = host;
    if (sslmode !== undefined) address.searchParams.set('sslmode', sslmode);
    return address.href;
  };
  const encrypted = async (address: DatabaseAddress): Promise<unknown> => {
    const pool = openPool({ url: () => address, max: 1 });
    try {
      return (await pool.query<{ ssl: boolean }>(ENCRYPTED)).rows[0]?.ssl;
    } finally {
      await pool.close();
    }
  };
  /** The error of a connection, with what is behind it. */
  const failure = (address: DatabaseAddress): Promise<string> =>
    encrypted(address).then(
      () => 'connected',
      (error: Error) => `${error.message}: ${(error.cause as Error).message}`,
    );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aip-postgres-tls-'));
    const authority = await createCa({ now: Date.now() });
    ca = authority.certPem;
    const leaf = await issueLeaf(authority, { dnsNames: ['localhost'], now: Date.now() });
    await writeFile(join(folder, 'tls.crt'), leaf.certPem);
    await writeFile(join(folder, 'tls.key'), leaf.keyPem, { mode: 0o600 });
    await writeFile(join(folder, 'ca.crt'), ca);
    server = await startEmbedded({
      dataDir: join(folder, 'data'),
      durable: false,
      settings: { ssl: 'on', ssl_cert_file: join(folder, 'tls.crt'), ssl_key_file: join(folder, 'tls.key') },
    });
    url = new URL(await ensureOwnedDatabase(server.url, { database: 'fleet', owner: 'fleet', password: 'fleet' }));
  });
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('verify-full takes it by its name and with its authority only', async () => {
    expect(await encrypted({ url: at('localhost', 'verify-full'), ca })).toBe(true);
    expect(await encrypted({ url: `${at('localhost', 'verify-full')}&sslrootcert=${join(folder, 'ca.crt')}` })).toBe(
      true,
    );
    expect(await failure({ url: at('localhost', 'verify-full') })).toMatch(/certificate/);
    expect(await failure({ url: at('127.0.0.1', 'verify-full'), ca })).toMatch(/does not match certificate/);
    const stranger = await createCa({ now: Date.now() });
    expect(await failure({ url: at('localhost', 'verify-full'), ca: stranger.certPem })).toMatch(/certificate/);
  });

  test('a gateway that cannot trust its database says why in the line of its failed start', async () => {
    const { child, stderr } = spawnGateway({
      BIND: '127.0.0.1:0',
      POSTGRES_URL: at('localhost', 'verify-full'),
      SIGNING_SEED_HEX: newSeedHex(),
    });
    await until('it ended', () => child.exitCode !== null);
    expect(child.exitCode).toBe(1);
    await until('it said why', () => stderr().endsWith('\n'));
    expect(stderr()).toMatch(/"message":"the database gave no connection in time: .*certificate/);
  });

  test('an authority alone means verify-full; verify-ca takes any name, no-verify any certificate', async () => {
    expect(await encrypted({ url: at('localhost'), ca })).toBe(true);
    expect(await failure({ url: at('127.0.0.1'), ca })).toMatch(/does not match certificate/);
    expect(await encrypted({ url: at('127.0.0.1', 'verify-ca'), ca })).toBe(true);
    expect(await failure({ url: at('127.0.0.1', 'verify-ca') })).toMatch(/certificate/);
    expect(await encrypted({ url: at('127.0.0.1', 'no-verify') })).toBe(true);
    expect(await encrypted({ url: at('127.0.0.1') })).toBe(false);
  });

  test('a password that is exchanged is used by the next connection, and open ones stay', async () => {
    let address: DatabaseAddress = { url: at('localhost', 'verify-full').replace('postgres:', 'postgresql:'), ca };
    const pool = openPool({ url: () => address, max: 2 });
    const backend = 'SELECT pg_backend_pid() AS pid';
    const [before] = (await pool.query<{ pid: number }>(backend)).rows;
    await pool.query(`ALTER ROLE fleet PASSWORD 'other'`);
    expect((await pool.query<{ pid: number }>(backend)).rows).toEqual([before]);
    const changed = new URL(address.url);
    changed.password = 'other';
    address = { ...address, url: changed.href };
    await until('a second connection', async () => {
      const both = await Promise.all([pool.query('SELECT pg_sleep(0.1)'), pool.query('SELECT pg_sleep(0.1)')]);
      return both.length === 2 && pool.size() === 2;
    });
    await pool.close();
  });
});
