import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiServer, describeKube, startApiServer } from '../support/api-server.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const DIGEST = `sha256:${'a'.repeat(64)}`;
const ENDPOINT = 'https://host.example/aip/v1/messages';
const DID = 'did:key:z6MkmghdggH9iwAwmMypZmN9EsfPGwsbvmum2HkFWXVzrAeE';

const EXTERNAL = {
  hosting: 'External',
  connector: { type: 'clock', version: '1', manifest: { agent: {} }, artifactDigest: DIGEST },
};

const resource = (kind: string, name: string, spec: object): string =>
  JSON.stringify({ apiVersion: 'fleet.aip.dev/v1alpha1', kind, metadata: { name }, spec });
const instance = (name: string, spec: object = {}): string =>
  resource('ConnectorInstance', name, { connector: { type: 'demo', version: '1.0.0' }, tenantId: 'acme', ...spec });
const replica = (name: string, spec: object = {}): string =>
  resource('ConnectorReplica', name, { instanceRef: { name: 'clock' }, endpoint: ENDPOINT, peerDid: DID, ...spec });

describeKube('the rules of the resources, at an API server', () => {
  let api: ApiServer;
  beforeAll(async () => {
    api = await startApiServer();
    await api.kubectl(['apply', '--server-side', '-f', join(root, 'crds')]);
    await api.kubectl(['wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all']);
  });
  afterAll(() => api?.stop());

  const put = (document: string): Promise<string> => api.kubectl(['apply', '--server-side', '-f', '-'], document);
  const patch = (name: string, change: object): Promise<string> =>
    api.kubectl(['patch', name, '--type=merge', '-p', JSON.stringify(change)]);

  test('every example of the repository is taken', async () => {
    await api.kubectl(['create', 'namespace', 'acme']);
    await api.kubectl(['create', 'namespace', 'demo']);
    const files = ['demo.yaml', 'external.yaml', 'two-tenants.yaml', 'kubernetes/demo.yaml', 'kubernetes/full.yaml'];
    const flags = files.flatMap((name) => ['-f', join(root, 'examples', name)]);
    const answer = await api.kubectl(['apply', '--server-side', '--dry-run=server', ...flags]);
    expect(answer.trim().split('\n')).toHaveLength(8);
  });

  test('an instance that says only what it must gets the defaults', async () => {
    await put(instance('plain'));
    const { spec } = JSON.parse(await api.kubectl(['get', 'cinst', 'plain', '-o', 'json'])) as { spec: unknown };
    expect(spec).toEqual({
      connector: { type: 'demo', version: '1.0.0' },
      tenantId: 'acme',
      hosting: 'Managed',
      enabled: true,
      replicas: 1,
      capacity: 32,
      topology: { region: 'global', zone: 'default', capacityClass: 'standard' },
      config: {},
      secrets: [],
      events: { enabled: true },
      bindings: [{ capabilities: ['*'], priority: 0 }],
      rollout: { maxSurge: 1, maxUnavailable: 0, drainTimeoutSeconds: 300, progressDeadlineSeconds: 600 },
      pod: {},
      suspend: false,
      deletionPolicy: 'Retain',
    });
  });

  describe('are refused, with the member named', () => {
    const secret = { file: 'a', secretKeyRef: { name: 's', key: 'k' } };
    const cases: [string, string, RegExp][] = [
      ['a name that leaves no room for replicas', instance('a'.repeat(49)), /more than 48 characters/],
      ['a name that no Service can have', instance('1a'), /begins with a letter/],
      ['a name with a dot', instance('a.b'), /begins with a letter/],
      [
        'a rollout that can replace nothing',
        instance('x', { rollout: { maxSurge: 0 } }),
        /spec\.rollout: .*may not both be 0/,
      ],
      [
        'an External one without manifest',
        instance('x', { ...EXTERNAL, connector: { type: 'clock', version: '1', artifactDigest: DIGEST } }),
        /spec\.connector\.manifest: Required/,
      ],
      [
        'an External one without digest',
        instance('x', { ...EXTERNAL, connector: { type: 'clock', version: '1', manifest: {} } }),
        /spec\.connector\.artifactDigest: Required/,
      ],
      [
        'an External one with an image',
        instance('x', { ...EXTERNAL, connector: { ...EXTERNAL.connector, image: 'a' } }),
        /spec\.connector\.image: Forbidden/,
      ],
      ['an External one with secrets', instance('x', { ...EXTERNAL, secrets: [secret] }), /spec\.secrets: Forbidden/],
      [
        'a Managed one with a manifest',
        instance('x', { connector: { type: 'demo', version: '1', manifest: {} } }),
        /spec\.connector\.manifest: Forbidden/,
      ],
      [
        'a Managed one with a digest',
        instance('x', { connector: { type: 'demo', version: '1', artifactDigest: DIGEST } }),
        /spec\.connector\.artifactDigest: Forbidden/,
      ],
      ['two secrets in one file', instance('x', { secrets: [secret, secret] }), /spec\.secrets.*(Duplicate|duplicate)/],
      ['a file with a path', instance('x', { secrets: [{ ...secret, file: '../a' }] }), /spec\.secrets\[0\]\.file/],
      [
        'a Pod setting that does not exist',
        instance('x', { pod: { serviceAccountName: 'admin' } }),
        /serviceAccountName/,
      ],
      [
        'a quantity that is none',
        instance('x', { pod: { resources: { limits: { cpu: 'fast' } } } }),
        /spec\.pod\.resources\.limits\.cpu/,
      ],
      ['a fraction', instance('x', { replicas: 1.5 }), /spec\.replicas/],
      ['a replica without endpoint', replica('r', { endpoint: undefined }), /spec\.endpoint: Required/],
      ['a replica without DID', replica('r', { peerDid: undefined }), /spec\.peerDid: Required/],
      ['a replica whose name is no host name', replica('a.b'), /becomes a host name/],
    ];
    test.each(cases)('%s', async (_, document, message) => {
      await expect(put(document)).rejects.toThrow(message);
    });
  });

  test('a replica that the fleet makes gets its DID later', async () => {
    await put(replica('made', { endpoint: undefined, peerDid: undefined, identitySecret: 'made-identity' }));
    await patch('crep/made', { spec: { endpoint: ENDPOINT } });
    await patch('crep/made', { spec: { peerDid: DID } });
    await patch('crep/made', { spec: { desiredState: 'Drained', versionId: 'cver_2' } });
    expect(await api.kubectl(['get', 'crep', 'made', '-o', 'jsonpath={.spec.peerDid} {.spec.desiredState}'])).toBe(
      `${DID} Drained`,
    );
  });

  describe('what may not change cannot be changed, taken away or brought in', () => {
    beforeAll(async () => {
      await put(instance('fixed'));
      await put(instance('clock', EXTERNAL));
      await put(replica('fixed'));
      await put(replica('fixed-made', { identitySecret: 'a' }));
    });
    const cases: [string, object, RegExp][] = [
      ['cinst/fixed', { tenantId: 'globex' }, /spec\.tenantId: .*immutable/],
      ['cinst/fixed', { tenantId: null }, /spec\.tenantId: Required/],
      ['cinst/fixed', { connector: { type: 'other' } }, /spec\.connector\.type: .*immutable/],
      ['cinst/fixed', EXTERNAL, /spec\.hosting: .*immutable/],
      ['cinst/clock', { hosting: null }, /spec\.hosting: .*immutable/],
      ['crep/fixed', { instanceRef: { name: 'fixed' } }, /spec\.instanceRef\.name: .*one instance for ever/],
      ['crep/fixed', { endpoint: 'https://other.example/aip/v1/messages' }, /spec\.endpoint: .*never changes/],
      ['crep/fixed', { peerDid: DID.replace('z6Mk', 'z6Mm') }, /spec\.peerDid: .*never changes/],
      ['crep/fixed-made', { endpoint: null }, /spec\.endpoint: .*never changes/],
      ['crep/fixed-made', { peerDid: null }, /spec\.peerDid: .*never changes/],
      ['crep/fixed-made', { identitySecret: null }, /spec\.identitySecret: .*never changes/],
    ];
    test.each(cases)('%s %j', async (name, spec, message) => {
      await expect(patch(name, { spec })).rejects.toThrow(message);
    });
  });

  test('scale, columns, field selectors and explanations are there', async () => {
    await put(instance('many', { tenantId: 'selected' }));
    await api.kubectl(['scale', 'cinst/many', '--replicas=7']);
    expect(
      await api.kubectl([
        'get',
        'cinst',
        '--field-selector=spec.tenantId=selected',
        '-o',
        'jsonpath={.items[*].spec.replicas}',
      ]),
    ).toBe('7');
    const wide = await api.kubectl(['get', 'cinst', 'many', '-o', 'wide']);
    expect(wide.split('\n')[0]?.trim().split(/\s+/)).toEqual(
      'NAME CONNECTOR VERSION DESIRED READY DRAINING STATUS AGE TENANT MANIFEST MESSAGE'.split(' '),
    );
    await patch('cinst/many', { spec: { suspend: true } });
    await api.kubectl([
      'patch',
      'cinst/many',
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status: { readyReplicas: 3, selector: 'a=b', replicas: 7 } }),
    ]);
    expect(await api.kubectl(['get', 'cinst', 'many', '--no-headers'])).toMatch(/demo +1\.0\.0 +7 +3/);
    expect(await api.kubectl(['explain', 'connectorinstance.spec.rollout.drainTimeoutSeconds'])).toContain(
      'How long a host that goes',
    );
    expect(await api.kubectl(['get', 'aip', '--no-headers'])).toContain('connectorinstance.fleet.aip.dev/many');
  });
});
