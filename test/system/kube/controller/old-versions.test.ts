import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { HOST_GRACE_SECONDS } from '#controller/cluster/objects/names.js';
import type { ConnectorInstanceStatus, ConnectorReplicaStatus } from '#controller/internal/api.js';
import { newId } from '#runtime/protocol/ids.js';
import { until } from '../../../support/until.ts';
import { describeKube } from '../support/api-server.ts';
import { type Controller, demoInstance, eventsOf, type KubeFleet, namesOf, startKubeFleet } from './support/fleet.ts';
import { during } from './support/quiet.ts';

const DRAIN_SECONDS = 300;

interface Instance {
  status: ConnectorInstanceStatus;
}

interface Replica {
  metadata: { name: string; resourceVersion: string };
  status: ConnectorReplicaStatus;
}

describeKube('what old versions still hold', () => {
  let fleet: KubeFleet;
  let controller: Controller;
  const versions = async () => (await fleet.json<Instance>(['get', 'cinst', 'shop'])).status?.versions ?? [];
  const replica = (name: string) => fleet.json<Replica>(['get', name]);
  /** Reserves actions on the replica of a name, as a gateway does. */
  const pin = async (name: string, count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1)
      await fleet.query(
        `INSERT INTO registry.assignments (action_id, capability_id, tenant_id, instance_id, replica_id, version_id, manifest_digest, endpoint,
           peer_principal_id, peer_principal_kind, peer_did, trust_domain, transport_profile, catalog_revision, binding_policy_revision,
           replica_health_revision, fence_token, assigned_at, admission, reserved, held, updated_at)
         SELECT $1, 'cap:demo:echo', 'shop', r.instance_id, r.id, r.version_id, v.manifest_digest, r.endpoint, r.peer_principal_id,
           r.peer_principal_kind, r.peer_did, r.trust_domain, r.transport_profile, 1, 1, 1, $1, $2, '{}', true, '[]', $2
         FROM registry.replicas r JOIN registry.versions v ON v.id = r.version_id WHERE r.id LIKE $3`,
        [newId('action'), Date.now(), `crepl_default.${name.split('/')[1]}.%`],
      );
  };
  const settle = (count: number) =>
    fleet.query(
      `UPDATE registry.assignments SET reserved = false, settlement = 'completed' WHERE action_id IN
         (SELECT action_id FROM registry.assignments WHERE reserved ORDER BY action_id LIMIT $1)`,
      [count],
    );

  beforeAll(async () => {
    fleet = await startKubeFleet();
    controller = await fleet.controller();
    const rollout = { drainTimeoutSeconds: DRAIN_SECONDS };
    await fleet.apply(demoInstance('shop', { replicas: 1, rollout }));
    await until('one version serves', async () => (await versions())[0]?.readyReplicas === 1);
  }, 180_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(async () => {
    fleet?.stubborn.clear();
    await fleet?.stop();
  });

  test('while it serves, the work of a version is not written', async () => {
    const [name] = (await namesOf(fleet, 'crep', { instance: 'shop' })) as [string];
    await pin(name, 2);
    // A reconcile sees them.
    await fleet.kubectl(['annotate', 'cinst', 'shop', 'example.com/seen=yes']);
    expect((await during(1000, fleet, controller)).written).toEqual([]);
    expect(await versions()).toMatchObject([
      { version: '1.0.0', replicas: 1, readyReplicas: 1, drainingReplicas: 0, pinnedActions: 0 },
    ]);
    expect((await replica(name)).status).not.toHaveProperty('drain');
  });

  test('an old version shows how many actions it holds and when it is removed at the latest, and is removed once it holds none', async () => {
    const [old] = (await namesOf(fleet, 'crep', { instance: 'shop' })) as [string];
    const pod = old.split('/')[1] as string;
    await pin(old, 1);
    fleet.stubborn.add(pod);
    await fleet.kubectl(['patch', 'cinst', 'shop', '--type=merge', '-p', '{"spec":{"connector":{"version":"2.0.0"}}}']);
    const held = await until('the old version drains', async () => {
      const found = await versions();
      return found[1]?.pinnedActions === 3 && found[1].removedBy !== undefined && found;
    });
    const end = await fleet.kubectl(['get', 'pod', pod, '-o', 'jsonpath={.metadata.deletionTimestamp}']);
    expect(held).toEqual([
      expect.objectContaining({ version: '2.0.0', replicas: 1, readyReplicas: 1, pinnedActions: 0 }),
      expect.objectContaining({ version: '1.0.0', replicas: 1, drainingReplicas: 1, removedBy: end }),
    ]);
    expect(held[1]?.manifestDigest).toMatch(/^sha256:/);
    const { drain } = (await replica(old)).status;
    expect(drain).toMatchObject({ pinnedActions: 3, deadline: end });
    const grace = await fleet.kubectl(['get', 'pod', pod, '-o', 'jsonpath={.metadata.deletionGracePeriodSeconds}']);
    expect(Number(grace)).toBe(DRAIN_SECONDS + HOST_GRACE_SECONDS);
    expect((await eventsOf(fleet, 'shop')).join('\n')).toContain(`Draining ${pod} (3 in flight)`);
    const wide = await fleet.kubectl(['get', 'crep', pod, '-o', 'wide']);
    expect(wide).toMatch(/ HOLDS +REMOVED BY /);
    expect(wide).toMatch(new RegExp(` 3 +${end} `));

    const before = (await replica(old)).metadata.resourceVersion;
    const rounds = async (): Promise<number> => {
      const line = /aip_controller_reconcile_seconds_count\{[^}]*queue="instance"[^}]*\} (\d+)/g;
      const { text } = await controller.admin('/metrics');
      return [...text.matchAll(line)].reduce((sum, [, value]) => sum + Number(value), 0);
    };
    const done = await rounds();
    await until('it was counted again', async () => (await rounds()) > done + 1);
    expect((await replica(old)).metadata.resourceVersion).toBe(before);

    await settle(2);
    await until('the count follows', async () => (await versions())[1]?.pinnedActions === 1);
    expect((await replica(old)).status.drain).toMatchObject({ pinnedActions: 1, deadline: end });
    await settle(1);
    fleet.stubborn.delete(pod);
    expect(
      await until('the old version is removed', async () => {
        const found = await versions();
        return found.length === 1 && found[0]?.version === '2.0.0';
      }),
    ).toBe(true);
  });
});
