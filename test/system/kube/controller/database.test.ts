import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createCa, issueLeaf } from '#controller/trust/certificates/ca.js';
import { type EmbeddedPostgres, startEmbedded } from '#runtime/postgres/embedded/embedded.js';
import { ensureOwnedDatabase } from '#runtime/postgres/owned-database.js';
import { openPool } from '#runtime/postgres/pool.js';
import { until } from '../../../support/until.ts';
import { describeKube } from '../support/api-server.ts';
import { condition, demoInstance, type KubeFleet, message, seen, startKubeFleet } from './support/fleet.ts';

interface DatabaseSecret {
  data: Record<string, string>;
}

interface HostPod {
  spec: { containers: { env: { name: string; value: string }[] }[] };
}

describeKube('a database with a certificate of an authority of its own, whose owner is no superuser', () => {
  let folder: string;
  let server: EmbeddedPostgres;
  let fleet: KubeFleet;
  let ca: string;
  const urlFile = (): string => join(folder, 'url');
  const secret = async (instance: string): Promise<Record<string, string>> => {
    const { data } = await fleet.json<DatabaseSecret>(['get', 'secret', `${instance}-database`]);
    return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));
  };
  const ready = (name: string, count: number) =>
    seen(fleet, name, `${count} ready`, ({ status }) => status?.readyReplicas === count);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aip-kube-database-'));
    const authority = await createCa({ now: Date.now() });
    ca = authority.certPem;
    const leaf = await issueLeaf(authority, { dnsNames: ['localhost'], now: Date.now() });
    await writeFile(join(folder, 'ca.crt'), ca);
    await writeFile(join(folder, 'tls.crt'), leaf.certPem);
    await writeFile(join(folder, 'tls.key'), leaf.keyPem, { mode: 0o600 });
    server = await startEmbedded({
      dataDir: join(folder, 'data'),
      durable: false,
      settings: { ssl: 'on', ssl_cert_file: join(folder, 'tls.crt'), ssl_key_file: join(folder, 'tls.key') },
    });
    const owned = new URL(
      await ensureOwnedDatabase(server.url, { database: 'fleet', owner: 'fleet', password: 'fleet' }),
    );
    owned.hostname = 'localhost';
    // As CloudNativePG writes it: another scheme, and no sslmode.
    await writeFile(urlFile(), owned.href.replace('postgres:', 'postgresql:'), { mode: 0o600 });
    const url = new URL(server.url);
    url.pathname = '/fleet';
    fleet = await startKubeFleet({ database: { url: url.href, drop: async () => undefined } });
    await fleet.controller('controller-1', {
      DATABASE_URL: undefined as unknown as string,
      DATABASE_URL_FILE: urlFile(),
      DATABASE_CA_FILE: join(folder, 'ca.crt'),
    });
  }, 120_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(async () => {
    await fleet?.stop();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('hosts get URL and authority, and reach their own schema over TLS that they verify', async () => {
    await fleet.apply(demoInstance('demo', { replicas: 1 }));
    await ready('demo', 1);
    const { url, 'ca.crt': authority } = await secret('demo');
    expect(authority?.trim()).toBe(ca.trim());
    const [pod] = (await fleet.json<{ items: HostPod[] }>(['get', 'pods', '-l', 'fleet.aip.dev/instance=demo'])).items;
    expect(pod?.spec.containers[0]?.env).toContainEqual({
      name: 'AIP_CONNECTOR_HOST_DATABASE_CA_FILE',
      value: '/run/aip/database/ca.crt',
    });
    const host = openPool({ url: () => ({ url: url as string, ca: authority }), max: 1 });
    const { rows } = await host.query(
      'SELECT ssl, current_schema() = current_user AS own FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
    );
    await host.close();
    expect(rows).toEqual([{ ssl: true, own: true }]);
  });

  test('a password that is exchanged is used without a restart', async () => {
    await fleet.query(`ALTER ROLE fleet PASSWORD 'other'`);
    const address = await readFile(urlFile(), 'utf8');
    await writeFile(urlFile(), address.replace('fleet:fleet@', 'fleet:other@'), { mode: 0o600 });
    await fleet.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'fleet'`);
    await fleet.apply(demoInstance('second', { replicas: 1 }));
    await ready('second', 1);
    const users = await fleet.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename = 'fleet'`,
    );
    expect(users[0]?.n).toBeGreaterThan(0);
  });

  test('an address that changes is handed to the hosts of every instance', async () => {
    const address = new URL(await readFile(urlFile(), 'utf8'));
    address.searchParams.set('sslmode', 'verify-ca');
    await writeFile(urlFile(), address.href, { mode: 0o600 });
    for (const name of ['demo', 'second']) {
      await until(`${name} has the new address`, async () => (await secret(name)).url?.includes('sslmode=verify-ca'));
      expect(new URL((await secret(name)).url as string).username).toMatch(/^host_/);
    }
  });

  test('a controller whose database user lacks a right reports it when it starts, with the statement that gives it', async () => {
    await fleet.query('ALTER ROLE fleet NOCREATEROLE');
    const controller = await fleet.controller('controller-2', {
      DATABASE_URL: undefined as unknown as string,
      DATABASE_URL_FILE: urlFile(),
      DATABASE_CA_FILE: join(folder, 'ca.crt'),
    });
    expect(await until('it is reported', () => controller.log().includes('database rights missing'))).toBeTruthy();
    expect(controller.log()).toContain('ALTER ROLE \\"fleet\\" CREATEROLE');
  });

  test('an instance whose database the user may not make is stalled with the missing right, and starts once it is given', async () => {
    await fleet.apply(demoInstance('denied', { replicas: 1 }));
    const denied = await seen(
      fleet,
      'denied',
      'refused',
      (each) => condition(each, 'Stalled') === 'True DatabaseRightsMissing',
    );
    expect(condition(denied, 'Ready')).toBe('False DatabaseRightsMissing');
    expect(message(denied, 'Stalled')).toContain('it must own the database, have CREATEROLE');
    expect(await fleet.kubectl(['get', 'cinst', 'denied'])).toMatch(
      /denied .* DatabaseRightsMissing +DatabaseRightsMissing /,
    );
    await fleet.query('ALTER ROLE fleet CREATEROLE');
    await ready('denied', 1);
  });
});
