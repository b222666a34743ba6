import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Authority, createAuthority } from '../../../../tools/kube-cluster/control-plane/certificates.ts';
import { describeKube } from '../support/api-server.ts';

describeKube('certificates of a cluster', () => {
  let folder: string;
  let authority: Authority;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aip-certificates-'));
    authority = await createAuthority(folder, 'test authority');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('an authority may sign, and its key is for its owner alone', async () => {
    const own = new X509Certificate(authority.cert);
    expect(own.ca).toBe(true);
    expect(own.subject).toBe('CN=test authority');
    expect((await stat(join(folder, 'ca.key'))).mode & 0o777).toBe(0o600);
  });

  test('a server leaf holds its names and addresses and is signed by the authority', async () => {
    const { cert } = await authority.server('server', ['a.test'], ['127.0.0.1', '10.0.0.1']);
    const leaf = new X509Certificate(cert);
    expect(leaf.verify(new X509Certificate(authority.cert).publicKey)).toBe(true);
    expect(leaf.ca).toBe(false);
    expect(leaf.checkHost('a.test')).toBe('a.test');
    expect(leaf.checkIP('10.0.0.1')).toBe('10.0.0.1');
    expect(leaf.checkHost('b.test')).toBeUndefined();
  });

  test('a client leaf holds user and groups as they were given', async () => {
    const { cert } = await authority.client('system:serviceaccount:a=b/c', ['one+two', 'three']);
    const { subject } = new X509Certificate(cert);
    expect(subject.split('\n')).toEqual(['O=one\\+two', 'O=three', 'CN=system:serviceaccount:a=b/c']);
  });
});
