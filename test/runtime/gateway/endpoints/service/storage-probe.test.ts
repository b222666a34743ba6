import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../../../support/database.ts';
import { until } from '../../../../support/until.ts';
import { type HttpGateway, startHttpGateway, TOKEN } from '../../support/gateway.ts';

/** A gateway that was ready, and a connection of the database's owner beside it. */
async function readyGateway(env: Record<string, string> = {}): Promise<{ gateway: HttpGateway; owner: pg.Client }> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  onTestFinished(() => owner.end());
  const gateway = await startHttpGateway({ databaseUrl: database.url, env });
  onTestFinished(() => gateway.stop());
  expect(await storageOf(gateway)).toEqual({ status: 200, ready: true, detail: 'postgres' });
  return { gateway, owner };
}

async function storageOf(gateway: HttpGateway): Promise<{ status: number; ready: boolean; detail: string }> {
  const { status, body } = await gateway.call('GET', '/ready');
  return { status, ...body.gateway.storage };
}

/** Ends every connection of the gateway. */
const disconnect = (owner: pg.Client) =>
  owner.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );

const notReady = async (gateway: HttpGateway, detail: RegExp): Promise<void> => {
  const seen = await until('it is not ready', async () => {
    const storage = await storageOf(gateway);
    return storage.status === 503 && detail.test(storage.detail) ? storage : undefined;
  });
  expect(seen).toMatchObject({ ready: false, detail: expect.stringMatching(detail) });
};

test('a gateway whose database has a full disk is not ready, though it can read, and is ready when there is space again', async () => {
  const { gateway, owner } = await readyGateway();
  await owner.query(`
    CREATE FUNCTION public.full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON runtime.gateway_probe
      FOR EACH ROW EXECUTE FUNCTION public.full_disk();`);
  await notReady(gateway, /disk of the database is full: free space/);
  expect((await gateway.call('GET', '/aip/v1/actions', { token: TOKEN })).status).toBe(200);
  await owner.query('DROP TRIGGER full_disk ON runtime.gateway_probe');
  await until('it is ready again', async () => (await storageOf(gateway)).status === 200);
});

test('a gateway whose database is read-only is not ready', async () => {
  const { gateway, owner } = await readyGateway();
  const { rows } = await owner.query<{ name: string }>('SELECT current_database() AS name');
  await owner.query(`ALTER DATABASE ${rows[0]?.name} SET default_transaction_read_only = on`);
  await disconnect(owner);
  await notReady(gateway, /read-only: connect the gateway to its primary/);
});

test('a gateway that the database gives no connection is not ready', async () => {
  const { gateway, owner } = await readyGateway();
  const { rows } = await owner.query<{ name: string }>('SELECT current_database() AS name');
  await owner.query(`ALTER DATABASE ${rows[0]?.name} CONNECTION LIMIT 0`);
  await disconnect(owner);
  await notReady(gateway, /no connection left: raise its max_connections/);
});

test('a gateway whose own connections are all in use is not ready until one is free', async () => {
  const { gateway, owner } = await readyGateway({
    AIP_GATEWAY_POSTGRES_MAX_CONNECTIONS: '2',
    AIP_GATEWAY_POSTGRES_STATEMENT_TIMEOUT_MS: '60000',
  });
  await owner.query('BEGIN; LOCK TABLE runtime.actions IN ACCESS EXCLUSIVE MODE');
  const waiting = Array.from({ length: 4 }, () => gateway.call('GET', '/aip/v1/actions', { token: TOKEN }));
  await notReady(gateway, /all 2 database connections of the gateway are in use: raise AIP_GATEWAY_POSTGRES_MAX/);
  await owner.query('COMMIT');
  await Promise.all(waiting);
  await until('it is ready again', async () => (await storageOf(gateway)).status === 200);
});

test('callers of /ready that come together share one write', async () => {
  const { gateway, owner } = await readyGateway();
  await owner.query(`
    CREATE TABLE public.probes (at timestamptz DEFAULT clock_timestamp());
    CREATE FUNCTION public.counted() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO public.probes DEFAULT VALUES; PERFORM pg_sleep(0.2); RETURN NEW; END $$;
    CREATE TRIGGER counted AFTER INSERT OR UPDATE ON runtime.gateway_probe FOR EACH ROW EXECUTE FUNCTION public.counted();`);
  const count = async () =>
    (await owner.query<{ n: number }>('SELECT count(*)::int AS n FROM public.probes')).rows[0]?.n ?? 0;
  await until('a probe is counted', async () => {
    await storageOf(gateway);
    return (await count()) > 0;
  });
  const before = await count();
  const states = await Promise.all(Array.from({ length: 50 }, () => storageOf(gateway)));
  expect(new Set(states.map(({ status }) => status))).toEqual(new Set([200]));
  // A busy machine may spread the calls over more than one period, never over one write each.
  expect((await count()) - before).toBeLessThan(10);
});
