import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { RUNTIME_SCHEMA, runtimeMigrations } from '#runtime/gateway/schema/migrations.js';
import { migrate } from '#runtime/postgres/migrate.js';
import { openPool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { until } from '../../../../support/until.ts';
import { describeKube } from '../../support/api-server.ts';
import {
  condition,
  demoInstance,
  eventsOf,
  type KubeFleet,
  message,
  namesOf,
  type Seen,
  seen,
  startKubeFleet,
} from '../support/fleet.ts';

describeKube('canaries', () => {
  let fleet: KubeFleet;
  const patch = (spec: object): Promise<string> =>
    fleet.kubectl(['patch', 'cinst', 'shop', '--type=merge', '-p', JSON.stringify({ spec })]);
  const version = (label: string, canary: object) => patch({ connector: { version: label }, rollout: { canary } });
  const inForce = async (): Promise<{ label: string; canary: string | null; percent: number | null }> => {
    const [row] = await fleet.query<{ label: string; canary: string | null; percent: number | null }>(
      `SELECT v.label, c.label AS canary, k.percent FROM registry.instances i JOIN registry.versions v ON v.id = i.version_id
       LEFT JOIN registry.canaries k ON k.instance_id = i.id LEFT JOIN registry.versions c ON c.id = k.version_id
       WHERE i.id LIKE 'cinst_default.shop.%'`,
    );
    return row as never;
  };
  const isTried = (instance: Seen): boolean =>
    condition(instance, 'Reconciling') === 'True Canary' &&
    instance.status?.replicas === 2 &&
    instance.status.updatedReplicas === 1;
  const isRolledOut = (label: string) => (instance: Seen & { spec: { connector?: { version: string } } }) => {
    const kept = JSON.parse(instance.metadata.annotations['fleet.aip.dev/revisions'] ?? '[]') as {
      spec: { connector: { version: string } };
    }[];
    return kept[0]?.spec.connector.version === label && instance.status?.replicas === 2;
  };
  /** Actions that ended on the hosts of the version that is tried. */
  const ended = async (states: readonly string[]): Promise<void> => {
    for (const state of states) {
      const actionId = newId('action');
      // The same id in another tenant is another action.
      for (const [tenant, end] of [
        ['shop', state],
        ['other', 'failed'],
      ])
        await fleet.query(
          `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, session_id, correlation_id,
             message_id, mode, state, request, plan, accepted_at, updated_at, completed_at)
           VALUES ($1, $5, 'agent:a', 'agent', 'cap:demo:echo', 'sess_1', 'corr_1', $2, 'sync', $3, '{}', '{}', $4, $4, $4)`,
          [actionId, newId('message'), end, Date.now(), tenant],
        );
      await fleet.query(
        `INSERT INTO registry.assignments (action_id, capability_id, tenant_id, instance_id, replica_id, version_id, manifest_digest, endpoint,
           peer_principal_id, peer_principal_kind, peer_did, trust_domain, transport_profile, catalog_revision, binding_policy_revision,
           replica_health_revision, fence_token, assigned_at, admission, reserved, held, settlement, updated_at)
         SELECT $1, 'cap:demo:echo', 'shop', r.instance_id, r.id, r.version_id, v.manifest_digest, r.endpoint, r.peer_principal_id,
           r.peer_principal_kind, r.peer_did, r.trust_domain, r.transport_profile, 1, 1, 1, $1, $2, '{}', false, '[]', 'completed', $2
         FROM registry.canaries k JOIN registry.replicas r ON r.version_id = k.version_id JOIN registry.versions v ON v.id = r.version_id`,
        [actionId, Date.now() + 1000],
      );
    }
  };

  beforeAll(async () => {
    fleet = await startKubeFleet();
    const pool = openPool({ url: fleet.databaseUrl, max: 1 });
    await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
    await pool.close();
    await fleet.controller();
    await fleet.apply(demoInstance('shop', { rollout: { canary: { durationSeconds: 3600, percent: 20 } } }));
    await seen(fleet, 'shop', 'the first version, which nothing is compared with', isRolledOut('1.0.0'));
  }, 180_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(() => fleet?.stop());

  test('a new version runs on its share of the hosts with its share of the work, and replaces the others once its time is over', async () => {
    await version('2.0.0', { durationSeconds: 3600, minActions: 4 });
    const tried = await seen(fleet, 'shop', 'it is tried', isTried);
    expect(condition(tried, 'Ready')).toBe('True ReplicasReady');
    expect(await inForce()).toEqual({ label: '1.0.0', canary: '2.0.0', percent: 20 });
    await ended(['completed', 'completed', 'completed', 'completed', 'completed']);
    await version('2.0.0', { durationSeconds: 1 });
    await seen(fleet, 'shop', 'it has replaced the other', isRolledOut('2.0.0'));
    expect(await inForce()).toEqual({ label: '2.0.0', canary: null, percent: null });
  });

  test('a new version whose actions fail gives way to the last good one, and the spec is unchanged', async () => {
    const good = await namesOf(fleet, 'crep', { instance: 'shop' });
    await version('3.0.0', { durationSeconds: 3600, minActions: 4, maxFailurePercent: 20 });
    await seen(fleet, 'shop', 'it is tried', isTried);
    await ended(['completed', 'failed', 'completed', 'dead_lettered']);
    const back = await seen(
      fleet,
      'shop',
      'rolled back',
      (found) => condition(found, 'Stalled') === 'True RolledBack' && found.status?.replicas === 2,
    );
    expect(message(back, 'Stalled')).toContain('2 of 4 actions failed on hosts of the new version');
    expect(message(back, 'Stalled')).toContain('revision 2 runs');
    expect(back.spec).toMatchObject({ connector: { version: '3.0.0' } });
    expect(await inForce()).toEqual({ label: '2.0.0', canary: null, percent: null });
    const templates = (names: readonly string[]): string => names.map((name) => name.replace(/-[0-9]+$/, '')).join();
    expect(
      await until('only hosts of the good version are left', async () => {
        return templates(await namesOf(fleet, 'crep', { instance: 'shop' })) === templates(good);
      }),
    ).toBe(true);
    expect((await eventsOf(fleet, 'shop')).join('\n')).toContain('CanaryFailed');
  });

  test('without its annotation the version is tried again, and a canary that is turned off holds nothing up', async () => {
    await fleet.kubectl(['annotate', 'cinst', 'shop', 'fleet.aip.dev/rolled-back-']);
    await seen(fleet, 'shop', 'it is tried again', isTried);
    await patch({ rollout: { canary: null } });
    await seen(fleet, 'shop', 'it has replaced the other', isRolledOut('3.0.0'));
    expect(await inForce()).toEqual({ label: '3.0.0', canary: null, percent: null });
  });

  test('while a version replaces another, never fewer hosts take new work than are wanted', async () => {
    await patch({ replicas: 4 });
    await seen(fleet, 'shop', 'it has four hosts', ({ status }) => status?.readyReplicas === 4);
    const taking = async (): Promise<{ hosts: number; shares: string }> => {
      const [row] = await fleet.query<{ hosts: number; shares: string }>(
        `SELECT count(*)::int AS hosts, concat(min(v.label), ' ', min(k.percent)) AS shares
         FROM registry.instances i JOIN registry.versions v ON v.id = i.version_id LEFT JOIN registry.canaries k ON k.instance_id = i.id
         JOIN registry.replicas r ON r.instance_id = i.id AND r.version_id IN (i.version_id, k.version_id) AND r.status = 'ready'
         WHERE i.id LIKE 'cinst_default.shop.%'`,
      );
      return row as never;
    };
    const seenShares = new Map<string, number>();
    await patch({ connector: { version: '4.0.0' } });
    await until('the new version alone takes work', async () => {
      const { hosts, shares } = await taking();
      seenShares.set(shares, Math.min(hosts, seenShares.get(shares) ?? hosts));
      return shares === '4.0.0 ';
    });
    expect([...seenShares].filter(([, hosts]) => hosts < 4)).toEqual([]);
    expect([...seenShares.keys()].filter((shares) => /^3\.0\.0 \d/.test(shares)).length).toBeGreaterThan(1);
    await seen(fleet, 'shop', 'it has replaced the other', ({ status }) => status?.replicas === 4);
  });
});
