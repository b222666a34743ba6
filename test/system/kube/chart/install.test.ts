import { afterAll, beforeAll, expect, test } from 'vitest';
import { CommandFailed } from '../../../../tools/kube-cluster/process/command.ts';
import { type ApiServer, describeKube, startApiServer } from '../support/api-server.ts';
import { CHART, helm, podSpecs, RELEASE, render, type Values, valueFlags } from './render.ts';

const TRIAL: Values = { example: 'trial.yaml' };
const SERVICE_ACCOUNT = `system:serviceaccount:${RELEASE.namespace}:${RELEASE.prefix}-controller`;

describeKube('a release at an API server', () => {
  let api: ApiServer;
  const kubectl = (...args: string[]): Promise<string> => api.kubectl(args);
  const release = (command: string, ...args: string[]): Promise<string> =>
    helm([command, RELEASE.name, '--namespace', RELEASE.namespace, ...args], { KUBECONFIG: api.kubeconfig });
  const apply = (command: 'install' | 'upgrade', values: Values): Promise<string> =>
    release(command, CHART, ...valueFlags(values), '--wait=hookOnly');
  const databaseUrl = (): Promise<string> =>
    kubectl('-n', RELEASE.namespace, 'get', 'secret', `${RELEASE.prefix}-postgres`, '-o', 'jsonpath={.data.url}');

  beforeAll(async () => {
    api = await startApiServer();
    for (const namespace of [RELEASE.namespace, 'acme', 'globex']) await kubectl('create', 'namespace', namespace);
    await kubectl('label', 'namespace', RELEASE.namespace, 'pod-security.kubernetes.io/enforce=restricted');
    await apply('install', TRIAL);
  });
  afterAll(() => api?.stop());

  test('brings the definitions and prints the next three commands', async () => {
    expect(await kubectl('get', 'crd', '-o', 'name')).toMatch(/connectorinstances.*\n.*connectorreplicas/);
    const notes = await helm(['get', 'notes', RELEASE.name, '-n', RELEASE.namespace], { KUBECONFIG: api.kubeconfig });
    expect(notes).toContain('THE DATABASE IS FOR TRIALS');
    expect(notes.match(/^ {5}(kubectl|helm) /gm)?.length).toBeGreaterThanOrEqual(3);
  });

  test('its Pods are let in by Pod Security "restricted"', async () => {
    for (const [name, spec] of podSpecs(await render(TRIAL))) {
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: RELEASE.namespace },
        spec: { ...spec, serviceAccountName: `${RELEASE.prefix}-gateway` },
      };
      // A Pod of its own claims its volumes itself.
      if (name.endsWith('-postgres')) pod.spec.volumes = [...spec.volumes, { name: 'data', emptyDir: {} }];
      expect(await api.kubectl(['create', '--dry-run=server', '-f', '-'], JSON.stringify(pod))).toContain('created');
    }
  });

  /** May the controller do this? */
  async function may(verb: string, kind: string, namespace: string): Promise<boolean> {
    const [type = '', subresource] = kind.split('/');
    const what = subresource ? [type, '--subresource', subresource] : [type];
    try {
      return (await kubectl('auth', 'can-i', verb, ...what, '--as', SERVICE_ACCOUNT, '-n', namespace)).trim() === 'yes';
    } catch (error) {
      if (error instanceof CommandFailed) return false;
      throw error;
    }
  }

  test('the controller may do its work everywhere, and read no Secret that it cannot name', async () => {
    for (const [verb, kind] of [
      ['watch', 'connectorinstances.fleet.aip.dev'],
      ['patch', 'connectorinstances.fleet.aip.dev/status'],
      ['create', 'connectorreplicas.fleet.aip.dev'],
      ['create', 'pods'],
      ['get', 'pods/log'],
      ['get', 'secrets'],
      ['create', 'networkpolicies.networking.k8s.io'],
      ['watch', 'services'],
      ['watch', 'poddisruptionbudgets.policy'],
      ['watch', 'namespaces'],
    ] as const)
      expect(await may(verb, kind, 'acme'), `${verb} ${kind}`).toBe(true);
    for (const [verb, kind] of [
      ['list', 'secrets'],
      ['watch', 'secrets'],
      ['list', 'configmaps'],
      ['create', 'pods/exec'],
      ['create', 'serviceaccounts/token'],
      ['create', 'connectorinstances.fleet.aip.dev'],
      ['delete', 'connectorinstances.fleet.aip.dev'],
      ['create', 'roles.rbac.authorization.k8s.io'],
      ['patch', 'namespaces'],
      ['get', 'leases.coordination.k8s.io'],
    ] as const)
      expect(await may(verb, kind, 'acme'), `${verb} ${kind}`).toBe(false);
    expect(await may('update', 'leases.coordination.k8s.io', RELEASE.namespace)).toBe(true);
  }, 120_000);

  test('an upgrade keeps the password of the trial database', async () => {
    const before = await databaseUrl();
    expect(Buffer.from(before, 'base64').toString()).toMatch(
      /^postgres:\/\/aip:\w{40}@aip-postgres\.aip-system\.svc:5432\/aip\?sslmode=disable$/,
    );
    await apply('upgrade', { ...TRIAL, set: { 'gateway.replicas': 2 } });
    expect(await databaseUrl()).toBe(before);
  });

  test('with namespaces named it works in those alone, and reads nothing else of the cluster', async () => {
    await apply('upgrade', { ...TRIAL, set: { 'controller.watchNamespaces': ['acme'] } });
    expect(await may('create', 'pods', 'acme')).toBe(true);
    expect(await may('get', 'secrets', RELEASE.namespace)).toBe(true);
    expect(await may('create', 'pods', 'globex')).toBe(false);
    expect(await may('list', 'connectorinstances.fleet.aip.dev', 'globex')).toBe(false);
    const asController = ['--as', SERVICE_ACCOUNT];
    const named = '--field-selector=metadata.name=';
    expect(await kubectl('get', 'namespaces', `${named}acme`, '-o', 'name', ...asController)).toBe('namespace/acme\n');
    await expect(kubectl('get', 'namespaces', `${named}globex`, ...asController)).rejects.toThrow(/[Ff]orbidden/);
    await expect(kubectl('get', 'namespaces', ...asController)).rejects.toThrow(/[Ff]orbidden/);
    await expect(kubectl('get', 'namespace', 'globex', ...asController)).rejects.toThrow(/[Ff]orbidden/);
  }, 120_000);

  test('an uninstall leaves definitions, instances, keys and the database password', async () => {
    const document = {
      apiVersion: 'fleet.aip.dev/v1alpha1',
      kind: 'ConnectorInstance',
      metadata: { name: 'demo', namespace: 'acme' },
      spec: { connector: { type: 'demo', version: '1.0.0' }, tenantId: 'acme' },
    };
    await api.kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(document));
    // The controller makes its keys itself, so they are none of the release's objects.
    await kubectl(
      '-n',
      RELEASE.namespace,
      'create',
      'secret',
      'generic',
      `${RELEASE.prefix}-ca`,
      '--from-literal=ca.key=x',
    );
    const before = await databaseUrl();
    await release('uninstall', '--wait=hookOnly');
    expect(await kubectl('-n', 'acme', 'get', 'cinst', '-o', 'name')).toBe('connectorinstance.fleet.aip.dev/demo\n');
    expect(await databaseUrl()).toBe(before);
    expect(await kubectl('-n', RELEASE.namespace, 'get', 'secrets', '-o', 'name')).toContain(
      `secret/${RELEASE.prefix}-ca`,
    );
    expect(await kubectl('-n', RELEASE.namespace, 'get', 'services,roles,networkpolicies', '-o', 'name')).toBe('');
    await apply('install', TRIAL);
    expect(await databaseUrl()).toBe(before);
  });
});
