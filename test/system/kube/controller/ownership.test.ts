import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { KINDS } from '#controller/api/kinds.js';
import { until } from '../../../support/until.ts';
import { describeKube } from '../support/api-server.ts';
import {
  type Controller,
  condition,
  demoInstance,
  type KubeFleet,
  message,
  namesOf,
  projectFile,
  type Seen,
  seen,
  startKubeFleet,
} from './support/fleet.ts';
import { counter, during, versions } from './support/quiet.ts';

/** Nothing is checked again on its own while a test runs: what is put back was reported. */
const NO_RESYNC = { RESYNC_SECONDS: '86400' };
const TOKEN = { file: 'api-token', secretKeyRef: { name: 'chatwoot', key: 'token' } };

interface Labelled {
  metadata: { labels: Record<string, string>; annotations: Record<string, string> };
}

describeKube('what others write beside the fleet', () => {
  let fleet: KubeFleet;
  let controller: Controller;
  let replica: string;
  let second: Controller | undefined;
  const leading = (): Controller => second ?? controller;
  /** What is written at rest; Secrets of replicas that went before are collected when the cluster gets to it. */
  const written = async (): Promise<string[]> =>
    (await during(2000, fleet, leading())).written.filter((key) => !key.startsWith('Secret/'));
  const labels = async (object: string): Promise<Record<string, string>> =>
    (await fleet.json<Labelled>(['get', object])).metadata.labels ?? {};
  const isSettled = (instance: Seen): boolean =>
    condition(instance, 'Ready') === 'True ReplicasReady' && condition(instance, 'Reconciling') === undefined;
  const settled = (count: number): Promise<Seen> =>
    seen(fleet, 'own', `${count} settled`, (each) => each.status?.readyReplicas === count && isSettled(each));

  beforeAll(async () => {
    fleet = await startKubeFleet();
    controller = await fleet.controller('controller-1', NO_RESYNC);
    await fleet.apply(demoInstance('own', { replicas: 1 }));
    await settled(1);
    [replica] = (await namesOf(fleet, 'crep', { instance: 'own' })) as [string];
  }, 120_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(() => fleet?.stop());

  test('labels and annotations of others survive reconciles that write', async () => {
    const objects = ['cinst/own', replica, 'service/own', 'pdb/own', 'secret/own-database'];
    for (const object of objects) {
      await fleet.kubectl(['label', object, 'example.com/team=blue']);
      await fleet.kubectl(['annotate', object, 'example.com/cost=7']);
    }
    await fleet.kubectl(['scale', 'cinst', 'own', '--replicas=2']);
    await settled(2);
    for (const object of objects) {
      const { metadata } = await fleet.json<Labelled>(['get', object]);
      expect(metadata.labels['example.com/team'], object).toBe('blue');
      expect(metadata.annotations['example.com/cost'], object).toBe('7');
    }
  });

  test("another controller's conditions survive, and do not make this one write", async () => {
    const conditions = [
      {
        type: 'example.com/Audited',
        status: 'True',
        reason: 'Looked',
        message: 'well done',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ];
    for (const [kind, name] of [
      ['ConnectorInstance', 'own'],
      ['ConnectorReplica', replica.split('/')[1]],
    ]) {
      const object = {
        apiVersion: 'fleet.aip.dev/v1alpha1',
        kind,
        metadata: { name, namespace: 'default' },
        status: { conditions },
      };
      const flags = ['--server-side', '--subresource=status', '--field-manager=auditor', '-f', '-'];
      await fleet.kubectl(['apply', ...flags], JSON.stringify(object));
    }
    await fleet.kubectl(['scale', 'cinst', 'own', '--replicas=3']);
    const instance = await settled(3);
    expect(condition(instance, 'example.com/Audited')).toBe('True Looked');
    expect((await during(2000, fleet, controller)).written).toEqual([]);
    const types = await fleet.kubectl(['get', replica, '-o', 'jsonpath={.status.conditions[*].type}']);
    expect(types.split(' ')).toContain('example.com/Audited');
  });

  test('a number of replicas that somebody sets by hand is not set back', async () => {
    await fleet.kubectl(['scale', 'cinst', 'own', '--replicas=1']);
    await settled(1);
    expect(await fleet.kubectl(['get', 'cinst', 'own', '-o', 'jsonpath={.spec.replicas}'])).toBe('1');
    const managers = await fleet.kubectl(['get', 'cinst', 'own', '--show-managed-fields', '-o', 'json']);
    const { metadata } = JSON.parse(managers) as {
      metadata: { managedFields: { manager: string; fieldsV1: object }[] };
    };
    const ours = metadata.managedFields.filter(({ manager }) => manager === 'aip-controller');
    expect(ours.length).toBeGreaterThan(0);
    expect(ours.filter(({ fieldsV1 }) => 'f:spec' in fieldsV1)).toEqual([]);
  });

  test('a Service that somebody bends is bent back only in the fields that are the fleet’s', async () => {
    const patch = { spec: { publishNotReadyAddresses: false, sessionAffinity: 'ClientIP' } };
    await fleet.kubectl(['patch', 'service', 'own', '--type=merge', '-p', JSON.stringify(patch)]);
    await fleet.kubectl(['delete', 'pdb', 'own']);
    // A new leader remembers nothing and checks everything.
    const next = await fleet.controller('controller-2', NO_RESYNC);
    second = next;
    await fleet.stopController('controller-1');
    await until('the other one leads', async () => next.log().includes('"became leader"'));
    const spec = () => fleet.json<{ spec: Record<string, unknown> }>(['get', 'service', 'own']);
    await until('it is bent back', async () => (await spec()).spec.publishNotReadyAddresses === true);
    expect((await spec()).spec.sessionAffinity).toBe('ClientIP');
    await until(
      'the budget is there again',
      async () => (await namesOf(fleet, 'pdb', { instance: 'own' })).length === 1,
    );
  });

  test('what stands beside the hosts is put back when its change is reported, labels too, and nothing is written afterwards', async () => {
    await settled(1);
    const made = async (): Promise<string[]> => namesOf(fleet, 'service,pdb', { instance: 'own' });
    const before = await made();
    expect(before).toHaveLength(2);
    await fleet.kubectl(['delete', 'service', 'own']);
    await fleet.kubectl(['delete', 'pdb', 'own']);
    await until('both are there again', async () => (await made()).length === 2);
    for (const label of ['app.kubernetes.io/managed-by', 'fleet.aip.dev/instance']) {
      await fleet.kubectl(['label', 'service', 'own', `${label}-`]);
      await until(`${label} is put back`, async () => label in (await labels('service/own')));
    }
    expect(await written()).toEqual([]);
  });

  test.each(['app.kubernetes.io/managed-by', 'fleet.aip.dev/instance', 'app.kubernetes.io/component'])(
    'the label %s that somebody takes off a Pod is put back',
    async (label) => {
      await settled(1);
      const [pod] = (await namesOf(fleet, 'pods', { instance: 'own' })) as [string];
      await fleet.kubectl(['label', pod, `${label}-`]);
      await until('it is put back', async () => label in (await labels(pod)));
      await settled(1);
      expect(await written()).toEqual([]);
    },
  );

  test('template and finalizer of a replica that somebody changes are put back, and the replica stays', async () => {
    await settled(1);
    const [own] = (await namesOf(fleet, 'crep', { instance: 'own' })) as [string];
    const template = (await labels(own))['fleet.aip.dev/template'];
    await fleet.kubectl(['label', '--overwrite', own, 'fleet.aip.dev/template=ffffff']);
    await until('the label is put back', async () => (await labels(own))['fleet.aip.dev/template'] === template);
    const finalizers = () => fleet.kubectl(['get', own, '-o', 'jsonpath={.metadata.finalizers}']);
    await fleet.kubectl(['patch', own, '--type=merge', '-p', '{"metadata":{"finalizers":[]}}']);
    await until('the finalizer is put back', async () => (await finalizers()).includes('fleet.aip.dev/fleet'));
    expect(await namesOf(fleet, 'crep', { instance: 'own' })).toEqual([own]);
    expect(await written()).toEqual([]);
  });

  test('the record of a replica that was deleted without its finalizer goes once no host holds its lease', async () => {
    await settled(1);
    const [own] = (await namesOf(fleet, 'crep', { instance: 'own' })) as [string];
    const uid = await fleet.kubectl(['get', own, '-o', 'jsonpath={.metadata.uid}']);
    const id = `%.${uid.slice(0, 8)}`;
    // No round comes between: the deletion waits for the finalizer that goes with it.
    await fleet.kubectl(['delete', own, '--wait=false']);
    await fleet.kubectl(['patch', own, '--type=merge', '-p', '{"metadata":{"finalizers":[]}}']).catch(() => undefined);
    expect(
      await until(
        'its record is gone',
        async () => (await fleet.query('SELECT id FROM registry.replicas WHERE id LIKE $1', [id])).length === 0,
      ),
    ).toBeTruthy();
    await settled(1);
  });

  test('a template that is replaced from outside decides nothing: the image stays the requested one', async () => {
    await settled(1);
    const [own] = (await namesOf(fleet, 'crep', { instance: 'own' })) as [string];
    const name = `own-${(await labels(own))['fleet.aip.dev/template']}`;
    interface Kept {
      metadata: { resourceVersion?: string; uid?: string };
      data: Record<string, string>;
    }
    const kept = await fleet.json<Kept>(['get', 'configmap', name]);
    const foreign = `registry.test/foreign@sha256:${'f'.repeat(64)}`;
    const template = JSON.stringify({ ...JSON.parse(kept.data['template.json'] as string), image: foreign });
    const { resourceVersion: _, uid: __, ...metadata } = kept.metadata;
    await fleet.kubectl(['delete', 'configmap', name]);
    await fleet.apply({ ...kept, metadata, data: { ...kept.data, 'template.json': template } });
    const [pod] = (await namesOf(fleet, 'pods', { instance: 'own' })) as [string];
    const uid = () => fleet.kubectl(['get', pod, '-o', 'jsonpath={.metadata.uid}']).catch(() => '');
    const before = await uid();
    await fleet.kubectl(['delete', pod, '--wait=false']);
    await until('another Pod is there', async () => !['', before].includes(await uid()));
    await settled(1);
    const images = await fleet.kubectl(['get', 'pods', '-o', 'jsonpath={.items[*].spec.containers[*].image}']);
    expect(images).not.toContain('foreign');
    expect((await fleet.json<Kept>(['get', 'configmap', name])).data).toEqual(kept.data);
  });

  test('configuration, secrets and pod settings that are taken back keep the hosts', async () => {
    await settled(1);
    const before = await namesOf(fleet, 'crep', { instance: 'own' });
    const patch = (spec: object): Promise<string> =>
      fleet.kubectl(['patch', 'cinst', 'own', '--type=merge', '-p', JSON.stringify({ spec })]);
    const isStalled = (instance: Seen): boolean => condition(instance, 'Stalled') !== undefined;
    await patch({ config: { nonsense: true } });
    await seen(fleet, 'own', 'refused', isStalled);
    await patch({ config: { nonsense: null } });
    await settled(1);
    await patch({ secrets: [{ file: 'key', secretKeyRef: { name: 'nowhere', key: 'k' } }] });
    await seen(fleet, 'own', 'another template', (instance) => (instance.status?.replicas ?? 0) > 1);
    await patch({ secrets: null });
    await settled(1);
    expect(
      await until('only the first is left', async () => {
        const now = await namesOf(fleet, 'crep', { instance: 'own' });
        return now.length === 1 && now[0] === before[0];
      }),
    ).toBeTruthy();
  });

  test('a member of spec.pod that Kubernetes does not know is refused by its name', async () => {
    await fleet.apply(demoInstance('typo', { replicas: 1, pod: { affinity: { nodeAffinityy: {} } } }));
    const instance = await seen(fleet, 'typo', 'refused', (each) => condition(each, 'Stalled') === 'True Invalid');
    expect(message(instance, 'Stalled')).toContain('nodeAffinityy');
    const shown = (await fleet.kubectl(['get', 'cinst', 'typo'])).split('\n').map((line) => line.split(/ {2,}/));
    expect(shown[1]?.[shown[0]?.indexOf('STALLED') as number]).toBe('Invalid');
    const lines = (): string[] =>
      leading()
        .log()
        .split('\n')
        .filter((line) => line.includes('"reconcile failed"') && line.includes('"default/typo"'));
    // The stack is said once, however often it fails.
    await until('it was tried again', () => lines().length >= 3);
    expect(lines().filter((line) => line.includes('"stack"'))).toHaveLength(1);
    await fleet.kubectl(['delete', 'cinst', 'typo', '--timeout=30s']);
  });

  test('an instance whose hosts gateways cannot reach is not ready', async () => {
    await settled(1);
    const circuit = (until: number): Promise<unknown> =>
      fleet.query(`UPDATE registry.replicas SET circuit_open_until = $1 WHERE id LIKE 'crepl_default.own-%'`, [until]);
    await circuit(Date.now() + 3_600_000);
    const instance = await seen(
      fleet,
      'own',
      'unreachable',
      (each) => condition(each, 'Ready') === 'False HostsUnreachable',
    );
    expect(message(instance, 'Ready')).toContain('0 of 1 replicas are ready; gateways cannot reach own-');
    await circuit(0);
    await settled(1);
  });

  test('definitions with another field, applied over objects that are there, lose nothing of them', async () => {
    await settled(1);
    const before = await versions(fleet);
    const specs = () => fleet.kubectl(['get', 'cinst,crep', '-A', '-o', 'jsonpath={.items[*].spec}']);
    const specsBefore = await specs();
    for (const file of ['connectorinstances', 'connectorreplicas']) {
      const definition = parse(await projectFile(`crds/${file}.fleet.aip.dev.yaml`));
      for (const { schema } of definition.spec.versions)
        schema.openAPIV3Schema.properties.spec.properties.futureField = {
          type: 'string',
          description: 'of a later release',
        };
      await fleet.kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(definition));
    }
    await until('the new field is served', async () =>
      (await fleet.kubectl(['explain', 'cinst.spec.futureField'])).includes('of a later release'),
    );
    const set = JSON.stringify({ spec: { futureField: 'kept' } });
    await fleet.kubectl(['patch', 'cinst', 'own', '--type=merge', '-p', set]);
    const [present] = (await namesOf(fleet, 'crep', { instance: 'own' })) as [string];
    await fleet.kubectl(['patch', present, '--type=merge', '-p', set]);
    await fleet.kubectl(['scale', 'cinst', 'own', '--replicas=2']);
    await settled(2);
    for (const object of ['cinst/own', present])
      expect(await fleet.kubectl(['get', object, '-o', 'jsonpath={.spec.futureField}'])).toBe('kept');
    const after = await versions(fleet);
    expect(Object.keys(after)).toEqual(
      expect.arrayContaining(Object.keys(before).filter((key) => !key.startsWith('Event/'))),
    );
    expect((await specs()).length).toBeGreaterThan(specsBefore.length);
  });

  test('somebody who writes the same objects without a pause does not keep a rollout from its end', async () => {
    let writes = 0;
    let isStorm = true;
    const storm = async (): Promise<void> => {
      while (isStorm) {
        const patch = { metadata: { annotations: { 'example.com/storm': String(writes) } } };
        const { items } = await fleet.kube.list(KINDS.connectorReplica, { namespace: 'default' });
        const all = [
          fleet.kube.merge(KINDS.connectorInstance, { namespace: 'default', name: 'own' }, patch),
          ...items.map(({ metadata }) => fleet.kube.merge(KINDS.connectorReplica, metadata, patch)),
        ];
        // One that went meanwhile is no matter.
        writes += (await Promise.allSettled(all)).length;
      }
    };
    const storming = storm();
    const before = await namesOf(fleet, 'crep', { instance: 'own' });
    await fleet.kubectl(['patch', 'cinst', 'own', '--type=merge', '-p', '{"spec":{"capacity":7}}']);
    await until(
      'all are replaced',
      async () => !(await namesOf(fleet, 'crep', { instance: 'own' })).some((name) => before.includes(name)),
      60_000,
    );
    isStorm = false;
    await storming;
    expect(writes).toBeGreaterThan(20);
    await settled(2);
  });

  test('a NetworkPolicy that somebody deletes is put back when that is reported', async () => {
    await leading().stop();
    second = await fleet.controller('controller-policies', { ...NO_RESYNC, NETWORK_POLICY: 'true' });
    const uid = (): Promise<string> =>
      fleet.kubectl(['get', 'networkpolicy', 'own', '--ignore-not-found', '-o', 'jsonpath={.metadata.uid}']);
    const before = await until('the policy is there', uid);
    await fleet.kubectl(['delete', 'networkpolicy', 'own']);
    const after = await until('it is put back', uid);
    expect(after).not.toBe(before);
  });

  test('RESYNC_SECONDS: every instance is checked again although nothing was reported', async () => {
    await leading().stop();
    const resyncing = await fleet.controller('controller-resync', { RESYNC_SECONDS: '10' });
    second = resyncing;
    await until('it leads', () => resyncing.log().includes('"became leader"'));
    const checks = () => counter(resyncing, 'aip_controller_reconcile_seconds_count', 'queue="instance"');
    const before = await checks();
    expect(await until('it was checked twice', async () => (await checks()) >= before + 2)).toBe(true);
  });

  test('the Service for webhooks is removed with its secret, also by a controller that has not made it', async () => {
    await fleet.apply(
      demoInstance('hooks', {
        connector: { type: 'chatwoot', version: '1.0.0' },
        replicas: 1,
        config: { base_url: 'https://chat.test', account_id: 1, operations: ['message:create'] },
        secrets: [TOKEN, { file: 'webhook-secret', secretKeyRef: { name: 'chatwoot', key: 'webhook' } }],
      }),
    );
    const name = (): Promise<string> =>
      fleet.kubectl(['get', 'service', 'hooks-webhooks', '--ignore-not-found', '-o', 'name']);
    await until('it is made', name, 60_000);
    await leading().stop();
    await fleet.kubectl([
      'patch',
      'cinst',
      'hooks',
      '--type=merge',
      '-p',
      JSON.stringify({ spec: { secrets: [TOKEN] } }),
    ]);
    second = await fleet.controller('controller-later');
    expect(await until('it is removed', async () => (await name()) === '', 60_000)).toBe(true);
  });
});
