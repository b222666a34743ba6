import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CommandFailed } from '../../../../tools/kube-cluster/process/command.ts';
import { until } from '../../../support/until.ts';
import { type ApiServer, describeKube, startApiServer } from '../support/api-server.ts';
import { established } from '../support/established.ts';

const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.example.dev' },
  spec: {
    group: 'example.dev',
    names: { plural: 'boats', singular: 'boat', kind: 'Boat' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { oars: { type: 'integer', maximum: 8 } } } },
          },
        },
      },
    ],
  },
};

describeKube('a Kubernetes API of its own', () => {
  let api: ApiServer;

  beforeAll(async () => {
    api = await startApiServer();
    await apply(CRD);
    await established(api);
  });

  afterAll(() => api?.stop());

  const apply = (object: object): Promise<string> =>
    api.kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(object));
  const boat = (name: string, oars: number): object => ({
    apiVersion: 'example.dev/v1',
    kind: 'Boat',
    metadata: { name },
    spec: { oars },
  });
  const oars = (name: string): Promise<string> => api.kubectl(['get', 'boat', name, '-o', 'jsonpath={.spec.oars}']);

  test('the schema of a resource definition holds', async () => {
    const refused = await apply(boat('galley', 9)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(CommandFailed);
    expect((refused as CommandFailed).output).toContain('should be less than or equal to 8');
  });

  test('controllers run: a deleted owner takes what it owns with it', async () => {
    await api.kubectl(['create', 'configmap', 'owner']);
    const uid = await api.kubectl(['get', 'configmap', 'owner', '-o', 'jsonpath={.metadata.uid}']);
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    await apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned', ownerReferences } });
    await api.kubectl(['delete', 'configmap', 'owner']);
    await expect(api.kubectl(['wait', '--for=delete', '--timeout=30s', 'configmap/owned'])).resolves.not.toThrow();
  });

  test('what was stored is there after etcd and the API server were killed', async () => {
    await apply(boat('dinghy', 2));
    await api.restart(['etcd', 'kube-apiserver']);
    expect(await oars('dinghy')).toBe('2');
    await apply(boat('dinghy', 4));
    expect(await oars('dinghy')).toBe('4');
  });

  test('with etcd alone killed, requests fail; with etcd back, they are served', async () => {
    await apply(boat('punt', 1));
    await api.kill(['etcd']);
    await expect(api.kubectl(['create', 'namespace', 'nowhere', '--request-timeout=2s'])).rejects.toThrow(
      CommandFailed,
    );
    await api.restart(['etcd']);
    expect(await until('the API serves again', () => oars('punt'))).toBe('1');
  });

  test('another user may do what RBAC gives and nothing else', async () => {
    const alice = await api.kubeconfigForUser('alice', ['readers']);
    const asAlice = (...args: string[]): Promise<string> => api.kubectl([...args, '--kubeconfig', alice]);
    await expect(asAlice('get', 'boats')).rejects.toThrow('User "alice" cannot list resource "boats"');
    await api.kubectl(['create', 'role', 'reader', '--verb=list', '--resource=boats.example.dev']);
    await api.kubectl(['create', 'rolebinding', 'readers', '--role=reader', '--group=readers']);
    await until('the role is in force', () => asAlice('get', 'boats').then(() => true));
    await expect(asAlice('get', 'pods')).rejects.toThrow('User "alice" cannot list resource "pods"');
  });

  test('a service account speaks with a token of its own', async () => {
    await api.kubectl(['create', 'serviceaccount', 'sailor']);
    const kubeconfig = await api.kubeconfigForServiceAccount('default', 'sailor');
    const who = await api.kubectl([
      'auth',
      'whoami',
      '--kubeconfig',
      kubeconfig,
      '-o',
      'jsonpath={.status.userInfo.username}',
    ]);
    expect(who).toBe('system:serviceaccount:default:sailor');
  });

  test('several run at once and stop leaves nothing', async () => {
    const other = await startApiServer();
    expect(other.url).not.toBe(api.url);
    await expect(other.kubectl(['get', 'boats'])).rejects.toThrow("the server doesn't have a resource type");
    const pid = other.pid('etcd');
    await other.stop();
    expect(existsSync(other.folder)).toBe(false);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
