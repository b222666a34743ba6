import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureHostDatabase, hostRole } from '#controller/fleet/host-database.js';
import { startEmbedded } from '#runtime/postgres/embedded/embedded.js';
import { ensureOwnedDatabase } from '#runtime/postgres/owned-database.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import { postgresClient } from '../../../../tools/kube-cluster/images/postgres-client.ts';
import { CommandFailed, run } from '../../../../tools/kube-cluster/process/command.ts';
import { cacheFolder } from '../../../../tools/kube-cluster/programs/folders.ts';
import { clientOf, type TestClient } from '../../../support/client.ts';
import { paymentsDocuments } from '../../../support/connectors/payments-fleet.ts';
import { emptyDatabase } from '../../../support/database.ts';
import { type Dev, startDev } from '../../../support/dev.ts';
import { type Provider, startProvider } from '../../../support/provider.ts';
import { until } from '../../../support/until.ts';
import { describeKube } from '../support/api-server.ts';
import { only, podSpecs, type Rendered, render } from './render.ts';

interface Container {
  command: string[];
  env: { name: string; value: string }[];
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
}

/** Runs the container of a Job of the chart on this machine: its command, its variables, and its mounts as folders. */
interface Job {
  run(url: string, env?: Record<string, string>): Promise<string>;
}

describeKube('backup and restore', () => {
  let folder: string;
  let objects: Rendered[];
  let job: (name: 'backup' | 'restore') => Job;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aip-backup-'));
    objects = await render({ example: 'trial.yaml', set: { 'backup.enabled': true, 'backup.keep': 2 } });
    const { data } = only(objects, 'ConfigMap', '-backup');
    const client = await postgresClient(cacheFolder());
    const path = `${join(client.root, client.programs)}:${process.env.PATH}`;
    for (const name of ['backups', 'scripts', 'database']) await mkdir(join(folder, name));
    for (const [name, text] of Object.entries(data as Record<string, string>))
      await writeFile(join(folder, 'scripts', name), text);
    const mounts: Record<string, string> = {
      '/backups': join(folder, 'backups'),
      '/etc/aip/backup': join(folder, 'scripts'),
      '/etc/aip/database': join(folder, 'database'),
    };
    const here = (text: string): string =>
      Object.entries(mounts).reduce((at, [mounted, real]) => at.replace(mounted, real), text);
    job = (name) => ({
      run: async (url, env = {}) => {
        const spec = podSpecs(objects).find(([of]) => of === `aip-${name}`)?.[1];
        const container = spec.containers[0] as Container;
        await writeFile(join(folder, 'database', 'url'), url);
        const own = Object.fromEntries(container.env.map((each) => [each.name, here(each.value)]));
        const [program, ...args] = container.command.map(here) as [string, ...string[]];
        return run(program, args, { env: { ...own, PATH: path, ...env } });
      },
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const backups = async (): Promise<string[]> =>
    (await readdir(join(folder, 'backups'))).filter((name) => name.endsWith('.dump')).sort();
  const removeBackups = async (): Promise<void> => {
    for (const name of await readdir(join(folder, 'backups'))) await rm(join(folder, 'backups', name));
  };

  test('are off until a value turns them on', async () => {
    const plain = await render({ example: 'trial.yaml' });
    expect(plain.filter(({ metadata }) => /backup|restore/.test(metadata.name))).toEqual([]);
    expect(only(objects, 'CronJob', '-backup').spec.suspend).toBeUndefined();
    expect(only(objects, 'CronJob', '-restore').spec.suspend).toBe(true);
  });

  test('reach the trial database, keep the volume with the release gone, and run as the restricted profile demands', () => {
    const claim = only(objects, 'PersistentVolumeClaim', '-backup');
    expect(claim.metadata.annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' });
    const policy = only(objects, 'NetworkPolicy', '-postgres');
    expect(JSON.stringify(policy.spec.ingress)).toContain('"backup"');
    for (const [name, spec] of podSpecs(objects).filter(([of]) => /backup|restore/.test(of))) {
      expect(spec.securityContext, name).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(spec.automountServiceAccountToken, name).toBe(false);
      expect(spec.containers[0].securityContext, name).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  describe('of a database', () => {
    let database: Awaited<ReturnType<typeof emptyDatabase>>;
    let pool: Pool;
    const uid = newId('message');
    const open = (): void => {
      pool = openPool({ url: database.url, max: 2 });
    };
    const query = async <T extends object>(sql: string): Promise<T[]> => (await pool.query<T>(sql)).rows;

    beforeAll(async () => {
      database = await emptyDatabase();
      open();
      await query('CREATE SCHEMA runtime');
      await query('CREATE TABLE runtime.actions (id int, restored boolean, attempts int, completed_at bigint)');
      await query('INSERT INTO runtime.actions VALUES (1, false, 1, 1000), (2, false, 1, NULL)');
      for (const log of ['events', 'audit'])
        await query(
          `CREATE TABLE runtime.${log} (xid xid8 DEFAULT pg_current_xact_id(), seq int, tenant_id text, principal_id text, action_id text, session_id text,
            occurred_at bigint, ${log === 'events' ? 'kind text, audit json' : 'audit_id text, action text, record json'})`,
        );
      await query(
        `INSERT INTO runtime.events (xid, seq, principal_id, action_id, kind, occurred_at, audit)
         VALUES ('9999999999', 7, 'agent:a', 'act_1', 'aip.action.result', 1000, '{"id": "audit:action:act_1:result"}')`,
      );
      const { url } = await ensureHostDatabase(pool, { url: database.url }, uid, 'ab'.repeat(24));
      const host = openPool({ url, max: 1 });
      await host.query('CREATE TABLE journal AS SELECT generate_series(1, 1000) AS id');
      await host.close();
    });
    afterAll(async () => {
      await pool?.close();
      await database?.drop();
    });

    test('a backup is a file that only its owner reads; the newest ones are kept', async () => {
      for (const day of [1, 2, 3]) await writeFile(join(folder, 'backups', `fleet-2020010${day}T000000Z.dump`), 'old');
      await writeFile(join(folder, 'backups', 'notes.txt'), 'of the operator');
      const said = await job('backup').run(database.url);
      const [older, newest] = await backups();
      expect(said).toContain(`stored ${newest}`);
      expect(older).toBe('fleet-20200103T000000Z.dump');
      expect(await readdir(join(folder, 'backups'))).toHaveLength(3);
      expect((await stat(join(folder, 'backups', newest as string))).mode & 0o777).toBe(0o600);
    });

    test('a backup that fails leaves the earlier ones', async () => {
      const before = await backups();
      const away = new URL(database.url);
      away.pathname = '/nowhere';
      await expect(job('backup').run(away.href)).rejects.toThrow(CommandFailed);
      expect(await backups()).toEqual(before);
    });

    test('a restore is refused while the fleet is connected, and over a fleet unless that is requested', async () => {
      await query('SELECT 1');
      await expect(job('restore').run(database.url)).rejects.toThrow(/connections of the fleet are open: stop/);
      await pool.close();
      await expect(job('restore').run(database.url)).rejects.toThrow(/already holds a fleet: set RESTORE_REPLACE/);
      await expect(job('restore').run(database.url, { BACKUP: 'fleet-1.dump' })).rejects.toThrow(
        'no backup fleet-1.dump',
      );
      open();
      expect(await query('SELECT id, restored FROM runtime.actions ORDER BY id')).toEqual([
        { id: 1, restored: false },
        { id: 2, restored: false },
      ]);
    });

    test('a backup that cannot be read to its end changes nothing', async () => {
      const [, newest] = await backups();
      const broken = join(folder, 'backups', 'fleet-20990101T000000Z.dump');
      const whole = await readFile(join(folder, 'backups', newest as string));
      await writeFile(broken, whole);
      await truncate(broken, whole.length - 200);
      await query('UPDATE runtime.actions SET attempts = 7');
      await pool.close();
      await expect(job('restore').run(database.url, { RESTORE_REPLACE: 'true' })).rejects.toThrow(
        'the backup cannot be read to its end',
      );
      await rm(broken);
      open();
      expect(await query('SELECT DISTINCT attempts FROM runtime.actions')).toEqual([{ attempts: 7 }]);
      expect(await query(`SELECT count(*)::int AS n FROM ${hostRole(uid)}.journal`)).toEqual([{ n: 1000 }]);
    });

    test('a restore replaces everything, brings roles and schemas of hosts back, and marks what had not ended', async () => {
      const later = await ensureHostDatabase(pool, { url: database.url }, `${uid}-later`, 'cd'.repeat(24));
      await query(`DROP OWNED BY ${hostRole(uid)} CASCADE`);
      await query(`DROP ROLE ${hostRole(uid)}`);
      await pool.close();
      const [, newest] = await backups();
      const said = await job('restore').run(database.url, { RESTORE_REPLACE: 'true' });
      expect(said).toContain(`restored ${newest}; 1 actions had not ended`);
      open();
      expect(await query('SELECT id, restored, attempts FROM runtime.actions ORDER BY id')).toEqual([
        { id: 1, restored: false, attempts: 1 },
        { id: 2, restored: true, attempts: 2 },
      ]);
      expect(await query(`SELECT to_regnamespace('${later.role}') AS schema`)).toEqual([{ schema: null }]);
      expect(
        await query(
          `SELECT a.xid::text AS xid, a.seq, a.audit_id, a.action, a.record ->> 'id' AS id, e.audit FROM runtime.audit a JOIN runtime.events e USING (action_id)`,
        ),
      ).toEqual([
        {
          xid: '3',
          seq: 7,
          audit_id: 'audit:action:act_1:result',
          action: 'aip.action.result',
          id: 'audit:action:act_1:result',
          audit: null,
        },
      ]);
      expect(await query(`SELECT rolcanlogin FROM pg_roles WHERE rolname = '${hostRole(uid)}'`)).toEqual([
        { rolcanlogin: false },
      ]);
      expect(await query(`SELECT tableowner AS owner FROM pg_tables WHERE schemaname = '${hostRole(uid)}'`)).toEqual([
        { owner: hostRole(uid) },
      ]);
      const { url } = await ensureHostDatabase(pool, { url: database.url }, uid, 'ef'.repeat(24));
      const host = openPool({ url, max: 1 });
      expect((await host.query('SELECT count(*)::int AS n FROM journal')).rows).toEqual([{ n: 1000 }]);
      await host.close();
      await query(`DROP OWNED BY ${hostRole(uid)} CASCADE`);
      await query(`DROP ROLE ${hostRole(uid)}, ${later.role}`);
      await removeBackups();
    });
  });

  test('a fleet that lost its database continues from a backup, and runs nothing twice that may not run twice', async () => {
    const provider: Provider = await startProvider();
    const dataDir = join(folder, 'data');
    const documents = paymentsDocuments(provider, 1).replace('"replicas":1', '"replicas":1,"capacity":2');
    let dev: Dev | undefined;
    try {
      dev = await startDev({ documents, dataDir });
      let client: TestClient = clientOf(dev);
      const submit = async (capability: string, more: object): Promise<string> => {
        const capability_id = `cap:payments:${capability}`;
        const { id, status } = await client.submit({ capability_id, input: { amount: 1 }, ...more });
        expect(status).toBe(200);
        return id;
      };
      const paid = (key: string): number => provider.payments.filter((payment) => payment.key === key).length;
      const eventsOf = async (id: string): Promise<string[]> => {
        const { body } = await client.get(`/aip/v1/actions/${id}/events`);
        return (body as { events: { id: string }[] }).events.map((event) => event.id);
      };
      const ended = (id: string) =>
        until(
          `${id} has ended`,
          async () => {
            const view = await client.status(id);
            return view.result && view;
          },
          90_000,
        );

      // So many that the next server has counted fewer.
      const source = openPool({ url: dev.ready.database_url, max: 1 });
      await source.query(`SET synchronous_commit = off`);
      await source.query(`DO $$ BEGIN FOR n IN 1..30000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`);
      await source.close();
      const early = await submit('pay', { mode: 'sync', idempotency_key: 'early' });
      const held = Promise.withResolvers<void>();
      provider.before = () => held.promise;
      const keyed = await submit('pay', { mode: 'async', idempotency_key: 'keyed' });
      const unkeyed = await submit('book', { mode: 'async' });
      await until('two actions are at the provider', () => provider.requests.length === 3);
      // Both places of the host are taken, so this one waits.
      const waiting = await submit('book', { mode: 'async' });

      const earlyEvents = await eventsOf(early);
      expect(earlyEvents.length).toBeGreaterThan(0);
      await job('backup').run(dev.ready.database_url);
      held.resolve();
      for (const id of [keyed, unkeyed, waiting]) expect((await ended(id)).state).toBe('completed');
      const late = await submit('pay', { mode: 'sync', idempotency_key: 'late' });
      expect([early, keyed, unkeyed, waiting, late].length).toBe(provider.payments.length);
      await dev.stop();

      // The folder of the database is lost; an empty one takes its place, with the user that the fleet has.
      await rm(join(dataDir, 'postgres'), { recursive: true });
      const server = await startEmbedded({ dataDir: join(dataDir, 'postgres') });
      const password = decodeURIComponent(new URL(server.url).password);
      const url = await ensureOwnedDatabase(server.url, { database: 'aip', owner: 'aip', password });
      expect(await job('restore').run(url)).toContain('3 actions had not ended');
      await server.stop();

      dev = await startDev({ documents, dataDir });
      client = clientOf(dev);
      // What the contract lets run again ran again, under its key.
      expect((await ended(keyed)).state).toBe('completed');
      expect(paid('keyed')).toBe(1);
      for (const id of [unkeyed, waiting]) {
        const { state, result } = await ended(id);
        expect({ id, state, code: result?.error?.code }).toEqual({
          id,
          state: 'dead_lettered',
          code: 'connector.outcome_unknown',
        });
        expect(result?.error?.message).toContain('restored');
        expect(paid(id)).toBe(1);
      }
      for (const id of [early, keyed, unkeyed, waiting])
        expect(verifyReceiptChain(await client.receipts(id))).toMatchObject({ ok: true });
      expect((await client.status(early)).state).toBe('completed');
      expect(JSON.stringify((await client.get(`/aip/v1/actions/${late}`)).body)).toContain('action.not_found');

      // Keys of before the backup still answer; one of after it runs again, which its provider may know.
      await submit('pay', { mode: 'sync', idempotency_key: 'early' });
      expect(provider.requests.filter((key) => key === 'early')).toHaveLength(1);
      const fresh = await submit('pay', { mode: 'sync', idempotency_key: 'fresh' });
      expect((await client.status(fresh)).state).toBe('completed');

      // The log is whole, and new events come after those of the backup.
      expect(await eventsOf(early)).toEqual(earlyEvents);
      const log = ((await client.get('/aip/v1/events?limit=1000')).body as { events: { id: string }[] }).events;
      const places = [...earlyEvents, ...(await eventsOf(fresh))].map((id) =>
        log.findIndex((event) => event.id === id),
      );
      expect(places.length).toBeGreaterThan(earlyEvents.length);
      expect(places).toEqual(places.filter((place) => place >= 0).toSorted((a, b) => a - b));

      const owner = openPool({ url: dev.ready.database_url, max: 1 });
      const { rows } = await owner.query<{ nspname: string }>(
        `SELECT nspname FROM pg_namespace WHERE nspname ~ '^host_'`,
      );
      const journals = await owner.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM ${rows[0]?.nspname}.executions`,
      );
      await owner.close();
      expect(rows).toHaveLength(1);
      expect(journals.rows[0]?.n).toBeGreaterThan(2);
    } finally {
      await dev?.stop();
      await provider.close();
    }
  }, 240_000);
});
