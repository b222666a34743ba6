import { expect, test } from 'vitest';
import { corefile } from '../../../tools/kube-cluster/node/coredns.ts';
import { cleanupRules } from '../../../tools/kube-cluster/node/packet-filter.ts';
import { storageObjects, VOLUMES } from '../../../tools/kube-cluster/node/volumes.ts';
import { mountPoints } from '../../../tools/kube-cluster/teardown.ts';

test('only chains of the cluster, and rules that jump to them, are taken out of the packet filter', () => {
  const saved = [
    '*nat',
    ':PREROUTING ACCEPT [0:0]',
    ':KUBE-SERVICES - [0:0]',
    ':CNI-HOSTPORT-DNAT - [0:0]',
    ':MINE - [0:0]',
    '-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
    '-A PREROUTING -j MINE',
    '-A KUBE-SERVICES -j MINE',
    'COMMIT',
  ].join('\n');
  expect(cleanupRules('nat', saved)?.split('\n')).toEqual([
    '*nat',
    ':KUBE-SERVICES - [0:0]',
    ':CNI-HOSTPORT-DNAT - [0:0]',
    '-D PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
    '-X KUBE-SERVICES',
    '-X CNI-HOSTPORT-DNAT',
    'COMMIT',
    '',
  ]);
});

test('a packet filter without the cluster is left alone', () => {
  expect(cleanupRules('nat', '*nat\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -j MINE\nCOMMIT\n')).toBeUndefined();
});

test('mount points are read in order, with their spaces', () => {
  const text = '21 1 0:20 / /proc rw - proc proc rw\n22 1 0:21 / /mnt/a\\040b rw - tmpfs tmpfs rw\n';
  expect(mountPoints(text)).toEqual(['/proc', '/mnt/a b']);
});

test('names outside the cluster are answered apart from those inside', () => {
  const [inside, outside] = corefile('/folder', 1).split('.:53 {');
  expect(inside).toContain('kubernetes {');
  expect(outside).toContain('rcode NXDOMAIN');
});

test('the default class has volumes, each in a folder of its own', () => {
  const { items } = storageObjects('/folder') as { items: { kind: string; spec?: { local: { path: string } } }[] };
  const paths = items.flatMap((item) => item.spec?.local.path ?? []);
  expect(new Set(paths).size).toBe(VOLUMES);
  expect(paths[0]).toBe('/folder/volumes/volume-1');
});
