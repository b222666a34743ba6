import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { until } from '../../support/until.ts';
import { blocksBelow } from '../docs/blocks.ts';
import type { PostgresRelease } from './support/cluster.ts';
import { keepEvidence } from './support/evidence.ts';
import { sql } from './support/orphans.ts';
import { type PostgresServer, startPostgresServer } from './support/postgres-server.ts';
import { installRelease, openRelease, RELEASE, type Release, ROOT } from './support/release.ts';

const GUIDE = join(ROOT, 'docs/kubernetes/install.md');
const RELEASES: readonly PostgresRelease[] = [16, 17, 18];

interface Pods {
  items: { metadata: { name: string; uid: string }; status: { containerStatuses: { restartCount: number }[] } }[];
}

const cluster = inject('e2eCluster');
for (const release of cluster ? RELEASES.filter((release) => !cluster.databases[release]) : [])
  process.stderr.write(`Left out: PostgreSQL ${release}; AIP_E2E_POSTGRES_${release}_IMAGE names no image of it.\n`);

describe.skipIf(!cluster)('a database of one’s own, made as docs/kubernetes/install.md says', () => {
  const [statements, secret, values] = blocksBelow(GUIDE, '## Database') as [string, string, string];
  let release: Release;
  let folder: string;
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    release = openRelease(cluster as NonNullable<typeof cluster>);
    folder = await mkdtemp(join(tmpdir(), 'aip-e2e-database-'));
    await release.helm('uninstall', RELEASE.name, '--wait');
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await keepEvidence(release, task.name);
    await release.kubectl('delete', 'cinst', 'demo', 'later', '--ignore-not-found', '--timeout=180s');
    await release.helm('uninstall', RELEASE.name, '--wait', '--ignore-not-found');
    await server?.remove();
    server = undefined;
  });
  afterAll(async () => {
    if (!release) return;
    await release.kubectl(
      'delete',
      'secret',
      'fleet-db-app',
      'fleet-db-ca',
      '-n',
      RELEASE.namespace,
      '--ignore-not-found',
    );
    await installRelease(release.cluster);
    await release.close();
    await rm(folder, { recursive: true, force: true });
  });

  const rows = <T>(query: string): Promise<T[]> => sql(release.kubectl, query) as Promise<T[]>;
  /** The Secret of the guide under the names that CloudNativePG gives, with `password` in the address. */
  const secrets = (host: string, password: string, ca: string): Promise<void> => {
    const address = /url='([^']*)'/.exec(secret)?.[1] as string;
    const uri = address.replace('…', password).replace('db.example', host).replace('postgres:', 'postgresql:');
    const owned = (name: string, stringData: object): object => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: RELEASE.namespace },
      stringData,
    });
    return release.apply(owned('fleet-db-app', { uri }), owned('fleet-db-ca', { 'ca.crt': ca }));
  };
  const echo = async (text: string): Promise<unknown> => {
    const submitted = await release.aip(
      ...['actions', 'submit', 'cap:demo:echo', '--input', JSON.stringify({ text }), '--follow', '--json'],
    );
    return submitted.code === 0 ? submitted.lines().at(-1) : submitted.stderr;
  };
  const standing = async (): Promise<unknown[]> => {
    const { items } = await release.json<Pods>('get', 'pods', '-n', RELEASE.namespace);
    return items.map(({ metadata, status }) => [
      metadata.name,
      metadata.uid,
      status.containerStatuses.map(({ restartCount }) => restartCount),
    ]);
  };

  test.each(RELEASES.filter((each) => cluster?.databases[each]))(
    'PostgreSQL %i: an owner that is not a superuser, TLS with verify-full, schemas of hosts, actions, another password without a restart',
    async (number) => {
      const image = release.cluster.databases[number] as string;
      server = await startPostgresServer(release, image, statements.replace('…', 'first'));
      await secrets(server.host, 'first', server.ca);
      const named = join(folder, 'values.yaml');
      await writeFile(named, values);
      await installRelease(release.cluster, { flags: ['-f', named, '--set', 'postgres.embedded.enabled=false'] });
      await release.apply('examples/demo.yaml');
      await release.ready('demo', 2);
      await release.useContext(`postgres-${number}`);
      expect(await echo('first')).toMatchObject({
        state: 'completed',
        result: { output: { echo: { text: 'first' } } },
      });

      const user = `SELECT current_setting('server_version_num')::int / 10000 AS release, rolsuper AS superuser
        FROM pg_roles WHERE rolname = current_user`;
      expect(await rows(user)).toEqual([{ release: number, superuser: false }]);
      const schemas = `SELECT count(*)::int AS schemas FROM pg_namespace JOIN pg_roles ON nspowner = pg_roles.oid
        WHERE nspname = rolname AND rolname LIKE 'host\\_%' AND rolcanlogin`;
      expect(await rows(schemas)).toEqual([{ schemas: 1 }]);
      const connections = `SELECT usename LIKE 'host\\_%' AS host, bool_and(ssl) AS tls FROM pg_stat_activity
        JOIN pg_stat_ssl USING (pid) WHERE datname = 'fleet' GROUP BY 1 ORDER BY 1`;
      expect(await rows(connections)).toEqual([
        { host: false, tls: true },
        { host: true, tls: true },
      ]);

      const before = await standing();
      await rows(`ALTER ROLE fleet PASSWORD 'second'`);
      await secrets(server.host, 'second', server.ca);
      await until(
        'the gateways have the new one',
        async () => (await rows('SELECT 1 AS one').catch(() => [])).length,
        120_000,
      );
      await rows(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'fleet' AND pid <> pg_backend_pid()`,
      );
      const demo = await release.json<{ spec: object }>('get', 'cinst', 'demo');
      await release.apply({
        apiVersion: 'fleet.aip.dev/v1alpha1',
        kind: 'ConnectorInstance',
        metadata: { name: 'later', namespace: 'default' },
        spec: { ...demo.spec, replicas: 1 },
      });
      await release.ready('later', 1);
      await until(
        'an action runs with the new one',
        async () => JSON.stringify(await echo('second')).includes('completed'),
        120_000,
      );
      expect(await standing()).toEqual(before);
    },
    600_000,
  );
});
