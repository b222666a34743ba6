import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { until } from '../../../support/until.ts';
import { describeKube } from '../support/api-server.ts';
import { externalHost, externalInstance } from './support/external.ts';
import { condition, demoInstance, type KubeFleet, namesOf, type Seen, seen, startKubeFleet } from './support/fleet.ts';

interface SeenReplica {
  metadata: { uid: string; resourceVersion: string; finalizers?: string[] };
  spec: { versionId?: string; manifestDigest?: string; endpoint: string; peerDid: string };
  status?: {
    state: string;
    version?: string;
    circuit?: string;
    lastFailure?: { reason: string; message: string };
    conditions: { type: string; status: string }[];
  };
}

describeKube('hosts that run elsewhere', () => {
  let fleet: KubeFleet;
  const peerDid = signingKeyFromSeed(newSeedHex()).did;
  const endpoint = (host: string): string => `https://${host}.test:8443/aip/v1/messages`;
  const host = (name: string, at = name): object =>
    externalHost(name, { instance: 'probe', endpoint: endpoint(at), peerDid });
  const replica = (name: string): Promise<SeenReplica> => fleet.json(['get', 'crep', name]);
  const records = () =>
    fleet.query<{ id: string; endpoint: string; peer_did: string; version_id: string; status: string }>(
      `SELECT id, endpoint, peer_did, version_id, status FROM registry.replicas WHERE id LIKE 'crepl_default.host%' ORDER BY id`,
    );

  beforeAll(async () => {
    fleet = await startKubeFleet();
    await fleet.controller();
  }, 120_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(() => fleet?.stop());

  test('are put offline into the registry with version and digest filled in, and get no Pod and no Secret', async () => {
    await fleet.apply(externalInstance('probe'), host('host-1'), host('host-2'));
    const instance = await seen(fleet, 'probe', 'its hosts are known', (each) => each.status?.replicas === 2);
    await until('both are told', async () => (await replica('host-2')).status?.state === 'Offline');
    const first = await replica('host-1');
    expect(first.spec).toMatchObject({ endpoint: endpoint('host-1'), peerDid });
    expect(first.spec.versionId).toMatch(/^cver_/);
    expect(first.spec.manifestDigest).toMatch(/^sha256:/);
    expect(first.metadata.finalizers).toEqual(['fleet.aip.dev/fleet']);
    expect(condition(instance, 'Ready')).toBe('False HostsOffline');
    expect(await records()).toEqual([
      expect.objectContaining({ endpoint: endpoint('host-1'), peer_did: peerDid, status: 'offline' }),
      expect.objectContaining({ endpoint: endpoint('host-2') }),
    ]);
    expect(await namesOf(fleet, 'pods,secrets')).toEqual([]);
  });

  test('a host that registers makes the instance ready', async () => {
    await fleet.query(
      `UPDATE registry.replicas SET status = 'ready', lease_expires_at = $1, health_revision = health_revision + 1
       WHERE id LIKE 'crepl_default.host%'`,
      [Date.now() + 3_600_000],
    );
    const isReady = (instance: Seen): boolean => condition(instance, 'Ready') === 'True ReplicasReady';
    expect((await seen(fleet, 'probe', 'ready', isReady)).status?.readyReplicas).toBe(2);
    await until('the host is told ready', async () => (await replica('host-1')).status?.state === 'Ready');
  });

  test('a host that gateways cannot reach shows its open circuit and its last failure, in one write however often it fails', async () => {
    const [record] = await records();
    const fail = (action: string) =>
      fleet.query(
        `INSERT INTO registry.assignments (action_id, capability_id, tenant_id, instance_id, replica_id, version_id, manifest_digest, endpoint,
           peer_principal_id, peer_principal_kind, peer_did, trust_domain, transport_profile, catalog_revision, binding_policy_revision,
           replica_health_revision, fence_token, assigned_at, admission, reserved, held, settlement, updated_at)
         SELECT $2, 'cap:probe:echo', 'probe', instance_id, id, version_id, 'sha256:', endpoint, peer_principal_id, peer_principal_kind, peer_did,
           trust_domain, transport_profile, 1, 1, 1, $2, $3, '{}', false, '[]', 'unreached', $3
         FROM registry.replicas WHERE id = $1`,
        [record?.id, action, Date.now()],
      );
    const count = (failures: number, openMs: number) =>
      fleet.query('UPDATE registry.replicas SET consecutive_failures = $2, circuit_open_until = $3 WHERE id = $1', [
        record?.id,
        failures,
        openMs === 0 ? 0 : Date.now() + openMs,
      ]);
    expect((await replica('host-1')).status).toMatchObject({ circuit: 'Closed', version: '1.0.0' });
    await fail('act_1');
    await count(1, 0);
    const lastFailure = await until(
      'the failure is written',
      async () => (await replica('host-1')).status?.lastFailure,
    );
    expect(lastFailure).toMatchObject({ reason: 'Unreached', message: expect.stringContaining('act_1') });
    await fail('act_2');
    await count(5, 3_600_000);
    const open = await until('the circuit is written', async () => {
      const found = await replica('host-1');
      return found.status?.circuit === 'Open' ? found : undefined;
    });
    expect(open.status?.lastFailure?.message).toContain('act_2');
    await seen(fleet, 'probe', 'not ready', (each) => condition(each, 'Ready') === 'False HostsUnreachable');
    for (const failures of [6, 7, 8]) {
      await fail(`act_${failures}`);
      await count(failures, 3_600_000);
    }
    // The other host's change is reconciled after these, so that theirs would have been written by then.
    await fleet.query(`UPDATE registry.replicas SET status = 'draining' WHERE id LIKE 'crepl_default.host-2.%'`);
    await until('a later change is written', async () => (await replica('host-2')).status?.state === 'Draining');
    expect((await replica('host-1')).metadata.resourceVersion).toBe(open.metadata.resourceVersion);
    await fleet.query(`UPDATE registry.replicas SET status = 'ready' WHERE id LIKE 'crepl_default.host-2.%'`);
    await count(0, 0);
    await until('the circuit is closed again', async () => (await replica('host-1')).status?.circuit === 'Closed');
    expect((await replica('host-1')).status?.lastFailure?.message).toContain('act_2');
    await seen(fleet, 'probe', 'ready', (each) => condition(each, 'Ready') === 'True ReplicasReady');
  });

  test('endpoint and DID never change: another document takes the place of the old one', async () => {
    const edit = fleet.apply(host('host-1', 'elsewhere'));
    await expect(edit).rejects.toThrow('the endpoint of a replica never changes; delete the replica and make another');
    await fleet.kubectl(['delete', 'crep', 'host-1', '--wait=false']);
    // Its host still holds a lease; it is asked to stop by nobody but its operator.
    const waits = (instance: Seen): boolean => condition(instance, 'Reconciling') === 'True WaitsForHost';
    await seen(fleet, 'probe', 'waits for the host', waits);
    await fleet.query(`UPDATE registry.replicas SET status = 'offline' WHERE id LIKE 'crepl_default.host-1.%'`);
    await fleet.kubectl(['wait', '--for=delete', 'crep/host-1', '--timeout=30s']);
    expect(await records()).toHaveLength(1);
    await fleet.apply(host('host-1', 'elsewhere'));
    await until('it is registered', async () =>
      (await records()).some((record) => record.endpoint === endpoint('elsewhere')),
    );
  });

  test('a document that is removed while its host drains waits for the host, and is removed with its record afterwards', async () => {
    const url = 'https://drains.test:8443/aip/v1/messages';
    await fleet.apply(
      externalInstance('leaving'),
      externalHost('drains', { instance: 'leaving', endpoint: url, peerDid }),
    );
    const record = async () =>
      (
        await fleet.query<{ status: string }>(
          `SELECT status FROM registry.replicas WHERE id LIKE 'crepl_default.drains.%'`,
        )
      )[0];
    await until('it is registered', async () => (await record()) !== undefined);
    await fleet.query(
      `UPDATE registry.replicas SET status = 'draining', lease_expires_at = $1, health_revision = 1 WHERE id LIKE 'crepl_default.drains.%'`,
      [Date.now() + 3_600_000],
    );
    await until('it is told', async () => (await replica('drains')).status?.state === 'Draining');
    await fleet.kubectl(['delete', 'crep', 'drains', '--wait=false']);
    await seen(fleet, 'leaving', 'waits', (each) => condition(each, 'Reconciling') === 'True WaitsForHost');
    expect((await record())?.status).toBe('draining');
    await fleet.query(`UPDATE registry.replicas SET status = 'offline' WHERE id LIKE 'crepl_default.drains.%'`);
    await fleet.kubectl(['wait', '--for=delete', 'crep/drains', '--timeout=60s']);
    expect(await record()).toBeUndefined();
    await fleet.kubectl(['delete', 'cinst', 'leaving', '--timeout=30s']);
  });

  test('another version of the instance registers its hosts again once they are offline', async () => {
    await fleet.apply(externalInstance('probe', { version: '2.0.0' }));
    await seen(fleet, 'probe', 'the new version', (each) => each.status?.observedGeneration === 2);
    await fleet.query(`UPDATE registry.replicas SET status = 'offline' WHERE id LIKE 'crepl_default.host%'`);
    const instance = await fleet.json<Seen & { status: { versionId: string } }>(['get', 'cinst', 'probe']);
    await until('all have the new version', async () => {
      const all = await records();
      return all.length === 2 && all.every((record) => record.version_id === instance.status.versionId);
    });
    expect((await replica('host-2')).spec.versionId).toBe(instance.status.versionId);
  });

  test('an endpoint that is refused is reported on its replica, and its siblings are registered', async () => {
    const at = (url: string, name: string): object => externalHost(name, { instance: 'mixed', endpoint: url, peerDid });
    const url = (name: string): string => `https://${name}.test:8443/aip/v1/messages`;
    await fleet.apply(
      externalInstance('mixed'),
      at('http://127.0.0.1:1/aip/v1/messages', 'mix-1'),
      at(url('mix-2'), 'mix-2'),
    );
    await until('the sibling is registered', async () => (await replica('mix-2')).spec.versionId !== undefined);
    const refused = await until('the reason is on the replica', async () => {
      const { status } = await replica('mix-1');
      return status?.conditions.find(({ type, status: is }) => type === 'Provisioned' && is === 'False');
    });
    expect(refused).toMatchObject({ reason: 'RegistryRefused' });
    const told = await seen(fleet, 'mixed', 'stalled', (each) => condition(each, 'Stalled') === 'True RegistryRefused');
    expect(told.status?.conditions.find(({ type }) => type === 'Stalled')?.message).toContain('mix-1: ');
    await fleet.kubectl(['delete', 'cinst', 'mixed', '--timeout=30s']);
    await fleet.kubectl(['delete', 'crep', 'mix-1', 'mix-2', '--timeout=20s']);
  });

  test('a document that names a Managed instance is left alone and holds up nothing', async () => {
    await fleet.apply(demoInstance('own', { replicas: 1 }));
    await fleet.apply(externalHost('stray', { instance: 'own', endpoint: endpoint('stray'), peerDid }));
    const ready = await seen(fleet, 'own', 'ready', ({ status }) => status?.readyReplicas === 1);
    expect(ready.status?.replicas).toBe(1);
    expect(condition(ready, 'Stalled')).toBeUndefined();
    const stray = await replica('stray');
    expect(stray.metadata.finalizers).toBeUndefined();
    expect(stray.spec.versionId).toBeUndefined();
  });

  test('go from the registry with their instance, while the documents stay', async () => {
    await fleet.kubectl(['delete', 'cinst', 'probe', '--timeout=30s']);
    expect(await records()).toEqual([]);
    expect(await namesOf(fleet, 'crep')).toEqual(
      expect.arrayContaining(['connectorreplica.fleet.aip.dev/host-1', 'connectorreplica.fleet.aip.dev/host-2']),
    );
    await fleet.kubectl(['delete', 'crep', 'host-1', 'host-2', '--timeout=20s']);
  });
});
