import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { probeCapability } from '../../../support/external-host.ts';
import { until } from '../../../support/until.ts';
import { describeKube } from '../support/api-server.ts';
import { externalInstance } from './support/external.ts';
import {
  condition,
  demoInstance,
  eventsOf,
  type KubeFleet,
  message,
  namesOf,
  RELEASE_NAMESPACE,
  type Seen,
  seen,
  startKubeFleet,
} from './support/fleet.ts';

const IMAGE = `registry.test/other@sha256:${'b'.repeat(64)}`;

describeKube('what a namespace may claim', () => {
  let fleet: KubeFleet;
  const refused = (name: string, reason: string, namespace: string): Promise<Seen> =>
    seen(fleet, name, reason, (instance) => condition(instance, 'Admitted') === `False ${reason}`, namespace);
  const namespace = async (name: string, annotations: Record<string, string> = {}): Promise<void> => {
    await fleet.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } });
  };
  const operators = async (): Promise<string[]> => {
    const all = await namesOf(fleet, 'secrets', { namespace: RELEASE_NAMESPACE });
    return all.filter((name) => name.includes('-operator-'));
  };

  beforeAll(async () => {
    fleet = await startKubeFleet();
    await fleet.controller('controller-1', { TENANCY: 'annotated' });
  }, 120_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(() => fleet?.stop());

  test('a tenant that the namespace does not name gets nothing until an administrator names it', async () => {
    await namespace('acme', { 'fleet.aip.dev/tenants': 'other, another' });
    await fleet.apply(demoInstance('shop', { replicas: 1 }, 'acme'));
    const instance = await refused('shop', 'TenantNotAllowed', 'acme');
    expect(message(instance, 'Admitted')).toContain('fleet.aip.dev/tenants');
    expect(message(instance, 'Admitted')).toContain('tenant shop');
    expect(condition(instance, 'Stalled')).toBe('True TenantNotAllowed');
    expect(condition(instance, 'Ready')).toBe('False TenantNotAllowed');
    await until('the refusal is told', async () =>
      (await eventsOf(fleet, 'shop', 'acme')).some((text) => text.startsWith('Warning TenantNotAllowed: ')),
    );
    expect(await namesOf(fleet, 'pods,crep,services', { namespace: 'acme' })).toEqual([]);
    expect(await operators()).toEqual([]);

    await fleet.kubectl(['annotate', 'namespace', 'acme', '--overwrite', 'fleet.aip.dev/tenants=other,shop']);
    const ready = await seen(fleet, 'shop', 'ready', (each) => each.status?.readyReplicas === 1, 'acme');
    expect(condition(ready, 'Admitted')).toBe('True VersionAdmitted');
    expect(condition(ready, 'Stalled')).toBeUndefined();
    await until('the tenant has an operator', async () => (await operators()).length === 1);
  });

  test('a right that is withdrawn is reported and leaves what serves alone', async () => {
    await fleet.kubectl(['annotate', 'namespace', 'acme', 'fleet.aip.dev/tenants-']);
    const instance = await refused('shop', 'TenantNotAllowed', 'acme');
    expect(instance.status?.readyReplicas).toBe(1);
    await fleet.kubectl(['annotate', 'namespace', 'acme', 'fleet.aip.dev/tenants=*']);
    await seen(fleet, 'shop', 'admitted', (each) => condition(each, 'Admitted') === 'True VersionAdmitted', 'acme');
  });

  test('an image of the user, and a host that runs elsewhere, need the connector type to be allowed', async () => {
    await namespace('globex', { 'fleet.aip.dev/tenants': '*' });
    await fleet.apply(
      demoInstance('own', { connector: { type: 'demo', version: '1.0.0', image: IMAGE }, replicas: 1 }, 'globex'),
      externalInstance('elsewhere', { namespace: 'globex' }),
    );
    const own = await refused('own', 'TypeNotAllowed', 'globex');
    expect(message(own, 'Admitted')).toContain('fleet.aip.dev/connector-types');
    await refused('elsewhere', 'TypeNotAllowed', 'globex');
    await fleet.kubectl(['annotate', 'namespace', 'globex', 'fleet.aip.dev/connector-types=probe,demo']);
    await seen(fleet, 'own', 'ready', (each) => each.status?.readyReplicas === 1, 'globex');
    await seen(fleet, 'elsewhere', 'admitted', (each) => condition(each, 'Bound') === 'True Bound', 'globex');
  });

  test('a ServiceAccount, sidecars and volumes need a namespace that names them, and Pod Security restricted takes the Pod', async () => {
    await namespace('initech', { 'fleet.aip.dev/tenants': '*', 'fleet.aip.dev/sidecar-images': 'registry.test/proxy' });
    await fleet.kubectl(['label', 'namespace', 'initech', 'pod-security.kubernetes.io/enforce=restricted']);
    await fleet.kubectl(['create', 'serviceaccount', 'crm', '-n', 'initech']);
    const pod = {
      serviceAccountName: 'crm',
      env: [{ name: 'HTTPS_PROXY', value: 'http://127.0.0.1:3128' }],
      volumes: [
        { name: 'scratch', emptyDir: { sizeLimit: '8Mi' } },
        { name: 'cloud', projected: { sources: [{ serviceAccountToken: { audience: 'sts.test', path: 'token' } }] } },
      ],
      volumeMounts: [{ name: 'cloud', mountPath: '/mnt/cloud', readOnly: true }],
      sidecars: [
        {
          name: 'proxy',
          image: `registry.test/proxy@sha256:${'c'.repeat(64)}`,
          volumeMounts: [{ name: 'scratch', mountPath: '/tmp' }],
        },
      ],
    };
    await fleet.apply(demoInstance('extended', { replicas: 1, pod }, 'initech'));
    const instance = await refused('extended', 'ServiceAccountNotAllowed', 'initech');
    expect(message(instance, 'Admitted')).toContain('fleet.aip.dev/service-accounts');
    await fleet.kubectl(['annotate', 'namespace', 'initech', 'fleet.aip.dev/service-accounts=crm']);
    await seen(fleet, 'extended', 'ready', (each) => each.status?.readyReplicas === 1, 'initech');
    const { items } = await fleet.json<{ items: { spec: Record<string, unknown> }[] }>([
      'get',
      'pods',
      '-n',
      'initech',
      '-l',
      'app.kubernetes.io/component=host',
    ]);
    expect(items.map(({ spec }) => spec)).toMatchObject([
      {
        serviceAccountName: 'crm',
        automountServiceAccountToken: false,
        initContainers: [{ name: 'user-proxy', restartPolicy: 'Always' }],
        containers: [{ name: 'host', lifecycle: { preStop: { sleep: { seconds: 5 } } } }],
      },
    ]);
    await fleet.kubectl(['annotate', 'namespace', 'initech', 'fleet.aip.dev/sidecar-images-']);
    const withdrawn = await refused('extended', 'SidecarNotAllowed', 'initech');
    expect(message(withdrawn, 'Admitted')).toContain('registry.test/proxy@sha256:');
    expect(withdrawn.status?.readyReplicas).toBe(1);
  });

  test('an image without digest and a built-in type that there is not are refused before anything is started', async () => {
    await fleet.apply(
      demoInstance('tagged', { connector: { type: 'demo', version: '1.0.0', image: 'registry.test/own:1' } }, 'globex'),
      demoInstance('unknown', { connector: { type: 'nope', version: '1.0.0' } }, 'globex'),
    );
    const tagged = await refused('tagged', 'ImageWithoutDigest', 'globex');
    expect(message(tagged, 'Admitted')).toContain('@sha256:');
    const unknown = await refused('unknown', 'UnknownConnectorType', 'globex');
    expect(message(unknown, 'Admitted')).toContain('built in: chatwoot, demo, openapi, twenty');
    expect(await namesOf(fleet, 'pods,crep', { instance: 'tagged', namespace: 'globex' })).toEqual([]);
    expect(await namesOf(fleet, 'pods,crep', { instance: 'unknown', namespace: 'globex' })).toEqual([]);
  });

  test("a connector cannot have another type's capabilities", async () => {
    const foreign = { ...probeCapability('echo'), id: 'cap:demo:echo' };
    await fleet.apply(externalInstance('greedy', { namespace: 'globex', capabilities: [foreign] }));
    const greedy = await refused('greedy', 'CapabilityNotOwned', 'globex');
    expect(message(greedy, 'Admitted')).toContain('cap:demo:echo');
    expect(message(greedy, 'Admitted')).toContain('cap:probe:');
    const bound = await fleet.query(`SELECT 1 FROM registry.bindings WHERE instance_id LIKE 'cinst_globex.greedy.%'`);
    expect(bound).toEqual([]);
  });

  test('tenant, connector type and hosting of an instance never change', async () => {
    const patch = (spec: object) =>
      fleet.kubectl(['patch', 'cinst', 'shop', '-n', 'acme', '--type=merge', '-p', JSON.stringify({ spec })]);
    await expect(patch({ tenantId: 'other' })).rejects.toThrow('the tenant is immutable');
    await expect(patch({ connector: { type: 'other' } })).rejects.toThrow('the connector type is immutable');
    await expect(patch({ hosting: 'External' })).rejects.toThrow('hosting is immutable');
  });

  test('what was refused goes at once when it is deleted', async () => {
    await fleet.kubectl(['delete', 'cinst', 'tagged', 'unknown', 'greedy', '-n', 'globex', '--timeout=30s']);
    expect(await namesOf(fleet, 'cinst', { namespace: 'globex' })).toEqual([
      'connectorinstance.fleet.aip.dev/elsewhere',
      'connectorinstance.fleet.aip.dev/own',
    ]);
  });
});
