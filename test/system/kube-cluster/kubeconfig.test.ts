import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { kubeconfig } from '../../../tools/kube-cluster/control-plane/kubeconfig.ts';

const text = (value: string): string => Buffer.from(value, 'base64').toString();

test('a kubeconfig for a client certificate holds all it needs', () => {
  const config = parse(kubeconfig('https://127.0.0.1:1', 'authority', { cert: 'certificate', key: 'key' }));
  expect(config['current-context']).toBe('aip-fleet');
  expect(config.contexts[0].context).toEqual({ cluster: 'aip-fleet', user: 'aip-fleet', namespace: 'default' });
  expect(config.clusters[0].cluster.server).toBe('https://127.0.0.1:1');
  expect(text(config.clusters[0].cluster['certificate-authority-data'])).toBe('authority');
  expect(text(config.users[0].user['client-certificate-data'])).toBe('certificate');
  expect(text(config.users[0].user['client-key-data'])).toBe('key');
});

test('a kubeconfig for a token speaks in the namespace of its service account', () => {
  const config = parse(kubeconfig('https://127.0.0.1:1', 'authority', { token: 'secret' }, 'fleet'));
  expect(config.users[0].user).toEqual({ token: 'secret' });
  expect(config.contexts[0].context.namespace).toBe('fleet');
});
