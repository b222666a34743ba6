import { afterAll, beforeAll, expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { type OpenKube, openKube } from '#controller/kube/client/client.js';
import { readBundle, type TrustBundle } from '#controller/trust/bundle.js';
import { readKey } from '#controller/trust/material.js';
import { trustNames } from '#controller/trust/names.js';
import type { ConfigMapObject, SecretObject } from '#controller/trust/objects.js';
import { reconcileTrust, removeCopy, type TrustResult, type TrustWanted } from '#controller/trust/reconcile-trust.js';
import { until } from '../../../support/until.ts';
import { type ApiServer, describeKube, startApiServer } from '../support/api-server.ts';

const NAMESPACE = 'aip-system';
const NAMES = trustNames('aip');
const OVERLAP = 300_000;
const SETTINGS = {
  namespace: NAMESPACE,
  release: 'aip',
  leafNames: {
    'control-plane': { dnsNames: [`aip-control-plane.${NAMESPACE}.svc`] },
    gateway: { dnsNames: [`aip-gateway.${NAMESPACE}.svc`] },
  },
};
const WANTED: TrustWanted = { namespaces: ['acme'], tenants: ['acme', 'globex'], replicaIssuers: [] };

describeKube('the trust of a fleet at a real API server', () => {
  let api: ApiServer;
  let kube: OpenKube;
  let now = Date.now();

  const reconcile = (change: Partial<TrustWanted> = {}): Promise<TrustResult> =>
    reconcileTrust({ kube, clock: () => now }, SETTINGS, { ...WANTED, ...change });
  const bundle = async (namespace: string): Promise<TrustBundle> => {
    const found = await kube.get<ConfigMapObject>(KINDS.configMap, { namespace, name: 'aip-trust' });
    if (!found) throw new Error(`there is no bundle in ${namespace}`);
    return readBundle(found);
  };
  const gatewayDid = async (): Promise<string | undefined> => {
    const ref = { namespace: NAMESPACE, name: NAMES.key.gateway };
    const key = readKey(await kube.get<SecretObject>(KINDS.secret, ref));
    return key.state === 'read' ? key.value.did : undefined;
  };
  const versions = (): Promise<string> =>
    api.kubectl([
      ...['get', 'secrets,configmaps', '-A', '-l', 'app.kubernetes.io/managed-by=aip-controller', '-o'],
      'jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name}={.metadata.resourceVersion}{"\\n"}{end}',
    ]);

  beforeAll(async () => {
    api = await startApiServer();
    for (const namespace of [NAMESPACE, 'acme']) await api.kubectl(['create', 'namespace', namespace]);
    // What the documentation says the controller needs, and nothing else: no list, no watch.
    const rights = ['--verb=get,create,update,delete', '--resource=secrets,configmaps'];
    await api.kubectl(['create', 'clusterrole', 'trust', ...rights]);
    await api.kubectl(['create', 'serviceaccount', 'controller', '-n', NAMESPACE]);
    const account = `--serviceaccount=${NAMESPACE}:controller`;
    await api.kubectl(['create', 'clusterrolebinding', 'trust', '--clusterrole=trust', account]);
    kube = await openKube({ kubeconfig: await api.kubeconfigForServiceAccount(NAMESPACE, 'controller') });
  }, 120_000);
  afterAll(async () => {
    await kube?.close();
    await api?.stop();
  });

  test('controllers that start at once agree, with the rights that are documented', async () => {
    await Promise.all([reconcile(), reconcile(), reconcile()]);
    expect((await bundle('acme')).dids.gateway).toEqual([await gatewayDid()]);
    expect((await bundle('acme')).authorities).toHaveLength(1);
    expect((await versions()).trim().split('\n')).toHaveLength(8);
  });

  test('a second pass writes nothing', async () => {
    const before = await versions();
    expect((await reconcile()).steps).toEqual([]);
    expect(await versions()).toBe(before);
  });

  test('an annotation rotates the key of the gateways, with both DIDs published in between', async () => {
    const old = await gatewayDid();
    await api.kubectl(['annotate', 'secret', 'aip-gateway', '-n', NAMESPACE, '--overwrite', 'fleet.aip.dev/rotate=1']);
    await Promise.all([reconcile(), reconcile()]);
    const [first, next] = (await bundle('acme')).dids.gateway;
    expect([first, await gatewayDid()]).toEqual([old, old]);
    now += OVERLAP;
    await Promise.all([reconcile(), reconcile()]);
    expect(await gatewayDid()).toBe(next);
    expect((await bundle('acme')).dids.gateway).toEqual([next, old]);
    now += OVERLAP;
    await reconcile();
    expect((await bundle('acme')).dids.gateway).toEqual([next]);
  });

  test('a namespace that is being deleted is reported and delays nothing else', async () => {
    await api.kubectl(['create', 'namespace', 'going']);
    const held = { name: 'held', namespace: 'going', finalizers: ['example.com/held'] };
    await api.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: held }));
    await api.kubectl(['delete', 'namespace', 'going', '--wait=false']);
    await until('the namespace is terminating', async () =>
      (await api.kubectl(['get', 'namespace', 'going', '-o', 'jsonpath={.status.phase}'])).includes('Terminating'),
    );
    await api.kubectl(['create', 'namespace', 'later']);
    const { observations } = await reconcile({ namespaces: ['going', 'nowhere', 'acme', 'later'] });
    const refused = observations.filter(({ reason }) => reason === 'CopyRefused').map(({ message }) => message);
    expect(refused).toEqual([
      expect.stringContaining('namespace going cannot'),
      expect.stringContaining('namespace nowhere cannot'),
    ]);
    expect((await bundle('later')).dids.gateway).toEqual([await gatewayDid()]);
    await api.kubectl([
      'patch',
      'configmap',
      'held',
      '-n',
      'going',
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":null}}',
    ]);
  });

  test('removes a copy of the settings', async () => {
    await removeCopy(kube, SETTINGS, 'later');
    expect(await kube.get(KINDS.configMap, { namespace: 'later', name: 'aip-trust' })).toBeUndefined();
  });
});
