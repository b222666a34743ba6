import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../support/until.ts';
import { type ApiServer, describeKube, startApiServer } from '../support/api-server.ts';
import { CHART, helm, only, podSpecs, render, type Values, valueFlags } from './render.ts';

const ROOT = join(CHART, '..', '..');
const DIGEST = `sha256:${'a'.repeat(64)}`;
const FLEET: Values = {
  set: { 'postgres.urlSecret.name': 'db', 'images.runtime.digest': DIGEST },
};

describeKube('what a release means for others of the cluster', () => {
  let api: ApiServer;
  const kubectl = (...args: string[]): Promise<string> => api.kubectl(args);
  const install = (name: string, namespace: string, set: Record<string, unknown> = {}): Promise<string> =>
    helm(
      [
        'upgrade',
        '--install',
        name,
        CHART,
        '-n',
        namespace,
        ...valueFlags({ set: { ...FLEET.set, ...set } }),
        '--wait=hookOnly',
      ],
      { KUBECONFIG: api.kubeconfig },
    );
  const instance = (name: string, namespace: string, spec: object): string =>
    JSON.stringify({
      apiVersion: 'fleet.aip.dev/v1alpha1',
      kind: 'ConnectorInstance',
      metadata: { name, namespace },
      spec: { connector: { type: 'demo', version: '1.0.0' }, tenantId: 'acme', ...spec },
    });
  const create = (document: string, ...flags: string[]): Promise<string> =>
    api.kubectl(['create', '-f', '-', ...flags], document);

  beforeAll(async () => {
    api = await startApiServer();
    for (const namespace of ['aip-system', 'acme', 'globex', 'other']) await kubectl('create', 'namespace', namespace);
    await kubectl('annotate', 'namespace', 'acme', 'fleet.aip.dev/tenants=acme, umbrella');
    await kubectl('annotate', 'namespace', 'acme', 'fleet.aip.dev/connector-types=demo');
    await kubectl('annotate', 'namespace', 'acme', 'fleet.aip.dev/service-accounts=crm');
    await kubectl('annotate', 'namespace', 'acme', 'fleet.aip.dev/sidecar-images=proxy');
    await install('aip', 'aip-system', { 'controller.watchNamespaces': ['acme', 'globex'] });
  }, 120_000);
  afterAll(() => api?.stop());

  test("people with the cluster's own roles may use the resources of their namespace", async () => {
    const may = async (verb: string, what: string, user: string): Promise<boolean> => {
      const answer = await kubectl('auth', 'can-i', verb, what, '-n', 'acme', `--as=${user}`).catch(() => 'no');
      return answer.trim() === 'yes';
    };
    for (const role of ['view', 'edit', 'admin'])
      await kubectl('create', 'rolebinding', role, '-n', 'acme', `--clusterrole=${role}`, `--user=${role}`);
    await until('roles are aggregated', () => may('get', 'connectorinstances', 'view'), 60_000);
    for (const user of ['edit', 'admin']) {
      for (const verb of ['get', 'list', 'create', 'update', 'patch', 'delete'])
        expect(await may(verb, 'connectorinstances', user), `${user} ${verb}`).toBe(true);
      expect(await may('patch', 'connectorreplicas', user), user).toBe(true);
    }
    expect(await may('watch', 'connectorreplicas', 'view')).toBe(true);
    expect(await may('create', 'connectorinstances', 'view')).toBe(false);
  });

  test('a foreign tenant, type, tag or endpoint is refused when it is applied', async () => {
    const image = `registry.example/a@${DIGEST}`;
    const refusals: [string, RegExp][] = [
      [instance('a', 'acme', { tenantId: 'globex' }), /namespace acme may not claim tenant globex/],
      [instance('a', 'globex', {}), /namespace globex may not claim tenant acme/],
      [instance('a', 'acme', { connector: { type: 'own', version: '1', image } }), /may not run connector type own/],
      [instance('a', 'acme', { connector: { type: 'demo', version: '1', image: 'registry.example/a:1' } }), /digest/],
      [
        instance('a', 'acme', { pod: { serviceAccountName: 'admin' } }),
        /hosts of the namespace acme may not run as ServiceAccount admin/,
      ],
      [
        instance('a', 'acme', { pod: { sidecars: [{ name: 'p', image }] } }),
        /hosts of the namespace acme may have no sidecar of registry.example\/a@/,
      ],
      [
        instance('a', 'acme', { pod: { sidecars: [{ name: 'p', image: `proxy:5000/a@${DIGEST}` }] } }),
        /may have no sidecar of proxy:5000/,
      ],
      [
        instance('a', 'acme', { pod: { sidecars: [{ name: 'p', image: 'proxy:1' }] } }),
        /spec\.pod\.sidecars: name the images by their digests/,
      ],
      [
        JSON.stringify({
          apiVersion: 'fleet.aip.dev/v1alpha1',
          kind: 'ConnectorReplica',
          metadata: { name: 'r', namespace: 'acme' },
          spec: { instanceRef: { name: 'a' }, endpoint: 'http://127.0.0.1:1/aip/v1/messages', peerDid: 'did:key:z6Mk' },
        }),
        /must be an https URL/,
      ],
    ];
    // A new policy takes a moment to be in force.
    await until('the policy is in force', () =>
      create(instance('a', 'acme', { tenantId: 'globex' }), '--dry-run=server').then(
        () => false,
        () => true,
      ),
    );
    for (const [document, message] of refusals)
      await expect(create(document, '--dry-run=server')).rejects.toThrow(message);
    const pod = {
      serviceAccountName: 'crm',
      sidecars: [`proxy@${DIGEST}`, `proxy:1@${DIGEST}`].map((each, at) => ({ name: `p${at}`, image: each })),
    };
    await create(instance('with', 'acme', { pod }), '--dry-run=server');
    await create(instance('good', 'acme', { tenantId: 'umbrella' }));
    await kubectl('annotate', 'namespace', 'acme', '--overwrite', 'fleet.aip.dev/tenants=acme');
    // What lost its right keeps everything but a new spec, so that it can be removed.
    await kubectl('annotate', 'cinst', 'good', '-n', 'acme', 'note=kept');
    const capacity = JSON.stringify({ spec: { capacity: 7 } });
    const change = kubectl('patch', 'cinst', 'good', '-n', 'acme', '--type=merge', '-p', capacity);
    await expect(change).rejects.toThrow(/may not claim/);
    await kubectl('delete', 'cinst', 'good', '-n', 'acme');
    // Namespaces of other releases are their own matter.
    await create(instance('free', 'other', { tenantId: 'anybody' }), '--dry-run=server');
  });

  test('a second release that would run the same instances is refused by the chart, one with namespaces of its own is not', async () => {
    const second = (set: object): Promise<string> =>
      install('aip2', 'other', { 'crds.enabled': false, ...set } as Record<string, unknown>);
    await expect(second({})).rejects.toThrow(
      /the release aip in namespace aip-system runs instances of .*acme.*set controller\.watchNamespaces of both/,
    );
    await expect(second({ 'controller.watchNamespaces': ['other', 'globex'] })).rejects.toThrow(
      /the namespace globex belongs to the release aip in namespace aip-system/,
    );
    await expect(second({ 'controller.watchNamespaces': ['nowhere'] })).rejects.toThrow(
      /there is no namespace nowhere/,
    );
    await second({ 'controller.watchNamespaces': ['other'] });
    await install('aip', 'aip-system', { 'controller.watchNamespaces': ['acme', 'globex'] });
    expect(await kubectl('get', 'clusterrole', '-o', 'name')).toMatch(/aip2-controller/);
  });

  test('a release for all namespaces lets in the hosts of labelled ones, and is refused while one with instances has no label', async () => {
    await create(instance('unlabelled', 'acme', {}));
    await helm(['uninstall', 'aip2', '-n', 'other'], { KUBECONFIG: api.kubeconfig });
    const every = { 'controller.watchNamespaces': [] };
    const team = { matchLabels: { team: 'blue' } };
    const selector = (): Promise<string> =>
      kubectl(
        ...['get', 'networkpolicy', 'aip-controller', '-n', 'aip-system'],
        ...['-o', 'jsonpath={.spec.ingress[0].from[0].namespaceSelector}'],
      );
    await expect(install('aip', 'aip-system', every)).rejects.toThrow(
      /hosts of the namespace acme would reach neither .*kubectl label namespace acme fleet\.aip\.dev\/hosts=true/,
    );
    await install('aip', 'aip-system', { ...every, 'networkPolicy.hostNamespaces': team });
    expect(JSON.parse(await selector())).toEqual(team);
    await kubectl('label', 'namespace', 'acme', 'fleet.aip.dev/hosts=true');
    await install('aip', 'aip-system', every);
    expect(JSON.parse(await selector())).toEqual({ matchLabels: { 'fleet.aip.dev/hosts': 'true' } });
    await kubectl('delete', 'cinst', 'unlabelled', '-n', 'acme', '--wait=false');
    await install('aip', 'aip-system', { 'controller.watchNamespaces': ['acme', 'globex'] });
  });

  test("rbac.aggregateRoles: false leaves the cluster's own roles as they are", async () => {
    const watched = { 'controller.watchNamespaces': ['acme', 'globex'] };
    const roles = (): Promise<string> =>
      kubectl(
        'get',
        'clusterroles',
        '-l',
        'app.kubernetes.io/part-of=aip-fleet,app.kubernetes.io/component=access',
        '-o',
        'name',
      );
    const mayView = async (): Promise<boolean> => {
      const question = ['get', 'connectorinstances', '-n', 'acme', '--as=view'];
      return (await kubectl('auth', 'can-i', ...question).catch(() => 'no')).trim() === 'yes';
    };
    expect((await roles()).trim().split('\n')).toHaveLength(2);
    expect(await until('view reads them', mayView)).toBe(true);
    await install('aip', 'aip-system', { ...watched, 'rbac.aggregateRoles': false });
    expect(await roles()).toBe('');
    await until('view reads them no longer', async () => !(await mayView()));
    await install('aip', 'aip-system', watched);
    expect(await until('view reads them again', mayView)).toBe(true);
  });

  test('the commands of README and of the install guide are the same, and the cluster takes what they name', async () => {
    const blocks = ['README.md', 'docs/kubernetes/install.md'].map((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      return text.split('```').find((block) => block.includes('helm install aip')) as string;
    });
    expect(blocks[0]).toBe(blocks[1]);
    const commands = (blocks[0] as string)
      .replaceAll('\\\n', ' ')
      .replaceAll('$REGISTRY', 'registry.example/aip')
      .split('\n');
    const line = commands.find((command) => command.startsWith('helm install')) as string;
    const words = line.split(/\s+/).slice(1);
    const args = words.map((word) => (word.startsWith('charts/') ? join(ROOT, word) : word));
    expect(await helm([...args.filter((arg) => arg !== '--wait'), '--dry-run=client'])).toContain('STATUS');
    for (const command of commands.filter((each) => each.startsWith('kubectl apply'))) {
      const file = join(ROOT, command.split(' ').at(-1) as string);
      expect(await kubectl('apply', '--dry-run=client', '-f', file)).toContain('connectorinstance.fleet.aip.dev/demo');
    }
    const waits = commands.filter((command) => /--wait|kubectl .*wait/.test(command));
    expect(waits.every((command) => command.includes('--timeout'))).toBe(true);
    expect(waits).toHaveLength(2);
  });

  test('a Secret of CloudNativePG and an authority are mounted as they come', async () => {
    const set = {
      ...FLEET.set,
      'postgres.urlSecret': { name: 'fleet-db-app', key: 'uri' },
      'postgres.ca.secret': { name: 'fleet-db-ca', key: 'ca.crt' },
    };
    const objects = await render({ set });
    for (const [name, spec] of podSpecs(objects).filter(([pod]) => /-(gateway|controller)$/.test(pod))) {
      const volume = (of: string) => spec.volumes.find((each: { name: string }) => each.name === of);
      expect(volume('database').secret, name).toMatchObject({
        secretName: 'fleet-db-app',
        items: [{ key: 'uri', path: 'url' }],
      });
      expect(volume('database-ca').secret, name).toMatchObject({ secretName: 'fleet-db-ca' });
      expect(JSON.stringify(spec.containers[0].env), name).not.toContain('secretKeyRef');
    }
    const policy = only(
      await render({ ...FLEET, set: { ...set, 'controller.watchNamespaces': ['acme'] } }),
      'NetworkPolicy',
      '-controller',
    );
    expect(policy.spec.ingress[0].from[0].namespaceSelector).toEqual({
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['acme', 'aip-system'] }],
    });
  });

  test('a release moves to another namespace with its definitions by --take-ownership, and without it not', async () => {
    const owner = (): Promise<string> =>
      kubectl(
        'get',
        'crd',
        'connectorinstances.fleet.aip.dev',
        '-o',
        'jsonpath={.metadata.annotations.meta\\.helm\\.sh/release-namespace}',
      );
    await kubectl('create', 'namespace', 'moved');
    await create(instance('kept', 'acme', {}));
    for (const [name, namespace] of [
      ['aip2', 'other'],
      ['aip', 'aip-system'],
    ] as const)
      await helm(['uninstall', name, '-n', namespace, '--ignore-not-found'], { KUBECONFIG: api.kubeconfig });
    expect(await owner()).toBe('aip-system');
    const move = (...flags: string[]): Promise<string> =>
      helm(['install', 'aip', CHART, '-n', 'moved', ...valueFlags(FLEET), '--wait=hookOnly', ...flags], {
        KUBECONFIG: api.kubeconfig,
      });
    await expect(move()).rejects.toThrow(/cannot be imported into the current release/);
    await move('--take-ownership');
    expect(await owner()).toBe('moved');
    expect(await kubectl('get', 'cinst', 'kept', '-n', 'acme', '-o', 'name')).toContain('kept');
  });

  test('a budget takes a percentage, of Pods that may go or of those that must stay', async () => {
    const specs = async (set: Record<string, unknown>): Promise<unknown[]> => {
      const objects = await render({ set: { ...FLEET.set, ...set } });
      return ['-gateway', '-controller'].map((name) => {
        const { maxUnavailable, minAvailable } = only(objects, 'PodDisruptionBudget', name).spec;
        return { maxUnavailable, minAvailable };
      });
    };
    expect(await specs({})).toEqual([{ maxUnavailable: 1 }, { maxUnavailable: 1 }]);
    const set = {
      'gateway.podDisruptionBudget.minAvailable': '50%',
      'controller.podDisruptionBudget.maxUnavailable': '100%',
    };
    expect(await specs(set)).toEqual([{ minAvailable: '50%' }, { maxUnavailable: '100%' }]);
    expect(await specs({ 'controller.podDisruptionBudget.minAvailable': 0 })).toContainEqual({ minAvailable: 0 });
  });

  test.each([
    [{ 'gateway.resources': { request: { cpu: 1 } } }, /request/],
    [{ 'gateway.extraEnv': [{ nam: 'A' }] }, /nam/],
    [{ trustDomain: 'A B' }, /trustDomain/],
    [{ 'controller.podDisruptionBudget.maxUnavailable': '150%' }, /maxUnavailable/],
    [{ 'gateway.podDisruptionBudget.minAvailable': '101%' }, /minAvailable/],
    [{ 'postgres.ca.secret.name': 'a', 'postgres.ca.configMap.name': 'b' }, /choose one/],
  ] as const)('%j is refused', async (set, message) => {
    await expect(render({ set: { ...FLEET.set, ...set } })).rejects.toThrow(message);
  });
});
