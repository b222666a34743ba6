import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RESOURCE_DEFINITIONS } from '#controller/api/definition/crd.js';
import type { ResourceSchema } from '#controller/api/json-schema.js';
import { type ApiServer, describeKube, startApiServer } from '../support/api-server.ts';
import { established } from '../support/established.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
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

const CONDITION = {
  type: 'Ready',
  status: 'True',
  reason: 'ReplicasReady',
  message: 'all are',
  observedGeneration: 3,
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

interface Whole {
  spec: object[];
  status: object;
}

/** Documents that together have every field, with values that are no defaults. */
const WHOLE: Record<string, Whole> = {
  ConnectorInstance: {
    spec: [
      {
        hosting: 'Managed',
        connector: { type: 'demo', version: '1.0.0', image: `registry.example/a@${DIGEST}` },
        tenantId: 'acme',
        enabled: false,
        replicas: 3,
        capacity: 16,
        topology: { region: 'eu', zone: 'a', capacityClass: 'large' },
        config: { a: { b: [1, true, null, 'text', { c: {} }] }, 'odd key/': '' },
        secrets: [
          { file: 'key', secretKeyRef: { name: 'provider', key: 'k' } },
          { file: 'webhook-secret', secretKeyRef: { name: 'provider', key: 'w' } },
        ],
        events: { enabled: false },
        webhook: { host: 'chat.acme.test' },
        bindings: [{ capabilities: ['cap:demo:*'], priority: 2, quotaPolicy: 'standard', credentialRevision: 'c-1' }],
        revisionHistoryLimit: 5,
        rollout: {
          maxSurge: 2,
          maxUnavailable: 1,
          drainTimeoutSeconds: 60,
          progressDeadlineSeconds: 90,
          onDeadline: 'Rollback',
          paused: true,
          canary: { percent: 20, durationSeconds: 60, minActions: 3, maxFailurePercent: 1 },
        },
        pod: {
          resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '1Gi' } },
          nodeSelector: { disk: 'fast' },
          tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 30 }],
          affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'zone',
              whenUnsatisfiable: 'DoNotSchedule',
              minDomains: 2,
              nodeAffinityPolicy: 'Ignore',
              nodeTaintsPolicy: 'Honor',
              matchLabelKeys: ['a'],
              labelSelector: { matchLabels: { a: 'b' } },
            },
          ],
          priorityClassName: 'high',
          imagePullSecrets: [{ name: 'registry' }],
          labels: { team: 'a' },
          annotations: { note: 'b' },
          runtimeClassName: 'gvisor',
          runAs: 'Platform',
          serviceAccountName: 'crm',
          env: [
            { name: 'A', value: 'b' },
            { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
            { name: 'C', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } },
          ],
          volumes: [
            { name: 'a', configMap: { name: 'c', items: [{ key: 'k', path: 'p/q' }] } },
            { name: 'b', secret: { secretName: 's', items: [{ key: 'k', path: 'p' }] } },
            { name: 'c', emptyDir: { medium: 'Memory', sizeLimit: '8Mi' } },
            { name: 'd', persistentVolumeClaim: { claimName: 'p', readOnly: true } },
            {
              name: 'e',
              projected: { sources: [{ serviceAccountToken: { audience: 'a', expirationSeconds: 600, path: 't' } }] },
            },
          ],
          volumeMounts: [{ name: 'a', mountPath: '/mnt/a', subPath: 'p', readOnly: true }],
          sidecars: [
            {
              name: 'proxy',
              image: `registry.example/p@${DIGEST}`,
              command: ['/p'],
              args: ['-a'],
              env: [
                { name: 'NODE_ENV', value: 'b' },
                { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
                { name: 'C', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } },
              ],
              resources: { requests: { cpu: '1m' }, limits: { memory: '1Mi' } },
              volumeMounts: [{ name: 'c', mountPath: '/run/p', subPath: 'p', readOnly: false }],
            },
          ],
        },
        suspend: true,
        deletionPolicy: 'Delete',
      },
      {
        ...EXTERNAL,
        connector: {
          ...EXTERNAL.connector,
          manifest: { agent: { id: 'x', deep: { er: [{ and: 'deeper' }] } }, capabilities: [{ id: 'cap:clock:tick' }] },
        },
        tenantId: 'acme',
      },
      {
        connector: { type: 'demo', version: '1.0.0' },
        tenantId: 'acme',
        scaleToZero: { idleAfterSeconds: 90, wakeTimeoutSeconds: 30 },
      },
    ],
    status: {
      observedGeneration: 3,
      conditions: [CONDITION],
      replicas: 3,
      readyReplicas: 2,
      updatedReplicas: 1,
      drainingReplicas: 1,
      selector: 'a=b',
      instanceId: 'cinst_a',
      versionId: 'cver_a',
      manifestDigest: DIGEST,
      capabilities: 4,
      versions: [
        {
          versionId: 'cver_a',
          version: '1.0.0',
          manifestDigest: DIGEST,
          replicas: 3,
          readyReplicas: 2,
          drainingReplicas: 1,
          pinnedActions: 2,
          removedBy: '2026-01-01T00:05:30Z',
        },
      ],
      webhookUrl: 'https://chat.acme.test/webhooks/demo',
      configRevision: 2,
    },
  },
  ConnectorReplica: {
    spec: [
      {
        instanceRef: { name: 'clock' },
        versionId: 'cver_a',
        manifestDigest: DIGEST,
        endpoint: ENDPOINT,
        peerDid: DID,
        identitySecret: 'a-identity',
        capacity: 7,
        topology: { region: 'eu', zone: 'a', capacityClass: 'large' },
        desiredState: 'Drained',
      },
    ],
    status: {
      state: 'Draining',
      conditions: [CONDITION],
      podName: 'a-0',
      version: '1.0.0',
      circuit: 'Open',
      lastFailure: { reason: 'Unreached', message: 'no host took act_1', time: '2026-01-01T00:00:00Z' },
      drain: { pinnedActions: 2, observedTime: '2026-01-01T00:00:00Z', deadline: '2026-01-01T00:05:30Z' },
      observedGeneration: 3,
    },
  },
};

/** Paths of all fields of a schema, as `spec.rollout.maxSurge`; what is free below a field is not followed. */
function fieldsOf(schema: ResourceSchema, path: string): string[] {
  const below = schema.items ? fieldsOf(schema.items, path) : [];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    fieldsOf(member, `${path}.${name}`),
  );
  return [...new Set([path, ...below, ...members])];
}

/** Paths of all members of a value, in the same form. */
function pathsOf(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((item) => pathsOf(item, path))];
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, member]) => pathsOf(member, `${path}.${name}`))];
}

describeKube('the rules of the resources, at an API server', () => {
  let api: ApiServer;
  beforeAll(async () => {
    api = await startApiServer();
    await api.kubectl(['apply', '--server-side', '-f', join(root, 'crds')]);
    await established(api);
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
      rollout: {
        maxSurge: 1,
        maxUnavailable: 0,
        drainTimeoutSeconds: 300,
        progressDeadlineSeconds: 600,
        onDeadline: 'Keep',
        paused: false,
      },
      revisionHistoryLimit: 10,
      pod: {},
      suspend: false,
      deletionPolicy: 'Retain',
    });
  });

  describe('a resource with everything in it comes back as it was written', () => {
    test.each(RESOURCE_DEFINITIONS.map((definition) => [definition.kind, definition] as const))(
      '%s',
      async (kind, { schema }) => {
        const { spec, status } = WHOLE[kind] as Whole;
        const known = [
          ...fieldsOf(schema.properties.spec as ResourceSchema, 'spec'),
          ...fieldsOf(schema.properties.status as ResourceSchema, 'status'),
        ];
        const given = new Set([...spec.flatMap((each) => pathsOf(each, 'spec')), ...pathsOf(status, 'status')]);
        expect(known.filter((path) => !given.has(path))).toEqual([]);
        for (const [index, each] of spec.entries()) {
          const name = `whole-${index}`;
          await put(resource(kind, name, each));
          const flags = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
          await api.kubectl(['patch', kind, name, ...flags]);
          const back = JSON.parse(await api.kubectl(['get', kind, name, '-o', 'json']));
          expect(back).toMatchObject({ spec: each, status });
          await api.kubectl(['delete', kind, name]);
        }
      },
    );
  });

  describe('are refused, with the member named', () => {
    const secret = { file: 'a', secretKeyRef: { name: 's', key: 'k' } };
    const A = { name: 'A', value: 'b' };
    const EMPTY = { name: 'a', emptyDir: {} };
    const TOKEN = {
      name: 'a',
      projected: { sources: [{ serviceAccountToken: { audience: 'a', path: 't' } }] },
    };
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
        'a canary without a history to return to',
        instance('x', { rollout: { canary: {} }, revisionHistoryLimit: 0 }),
        /spec\.rollout\.canary: .*needs a history/,
      ],
      [
        'an External one that goes without hosts',
        instance('x', { ...EXTERNAL, scaleToZero: {} }),
        /spec\.scaleToZero: Forbidden.*External/,
      ],
      [
        'one that takes webhooks and goes without hosts',
        instance('x', { webhook: {}, secrets: [{ ...secret, file: 'webhook-secret' }], scaleToZero: {} }),
        /spec\.scaleToZero: Forbidden.*need a host/,
      ],
      [
        'a time without an action of less than a minute',
        instance('x', { scaleToZero: { idleAfterSeconds: 59 } }),
        /spec\.scaleToZero\.idleAfterSeconds: .*60/,
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
      ['a webhook route without its secret', instance('x', { webhook: {} }), /spec\.webhook: .*webhook-secret/],
      ['two secrets in one file', instance('x', { secrets: [secret, secret] }), /spec\.secrets.*(Duplicate|duplicate)/],
      ['a file with a path', instance('x', { secrets: [{ ...secret, file: '../a' }] }), /spec\.secrets\[0\]\.file/],
      ['a Pod setting that does not exist', instance('x', { pod: { hostNetwork: true } }), /hostNetwork/],
      ...['AIP_LOG_LEVEL', 'NODE_OPTIONS', 'LD_PRELOAD', 'OPENSSL_CONF', 'PGHOST', 'OTEL_SDK_DISABLED'].map(
        (name): [string, string, RegExp] => [
          `the reserved variable ${name}`,
          instance('x', { pod: { env: [{ name, value: 'x' }] } }),
          /spec\.pod\.env\[0\]\.name: .*reserved for the fleet/,
        ],
      ),
      ['a variable given twice', instance('x', { pod: { env: [A, A] } }), /spec\.pod\.env.*(Duplicate|duplicate)/],
      [
        'a variable with two values',
        instance('x', { pod: { env: [{ ...A, valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] } }),
        /spec\.pod\.env\[0\]: .*not both/,
      ],
      [
        'a variable from nowhere',
        instance('x', { pod: { env: [{ name: 'A', valueFrom: {} }] } }),
        /spec\.pod\.env\[0\]\.valueFrom: .*name one of/,
      ],
      [
        'a folder of the node',
        instance('x', { pod: { volumes: [{ name: 'a', hostPath: { path: '/' } }] } }),
        /hostPath/,
      ],
      [
        'a volume of two kinds',
        instance('x', { pod: { volumes: [{ name: 'a', emptyDir: {}, configMap: { name: 'c' } }] } }),
        /spec\.pod\.volumes\[0\]: .*name one of/,
      ],
      [
        'tokens without a ServiceAccount',
        instance('x', { pod: { volumes: [TOKEN] } }),
        /spec\.pod\.volumes: .*serviceAccountName/,
      ],
      ...['/etc/aip/trust', '/app', '/usr/local/bin/node', '/mnt/../app', '/run/aip', '/mnt/./a', '/mntx'].map(
        (mountPath): [string, string, RegExp] => [
          `a mount at ${mountPath}`,
          instance('x', { pod: { volumes: [EMPTY], volumeMounts: [{ name: 'a', mountPath }] } }),
          /spec\.pod\.volumeMounts\[0\]\.mountPath/,
        ],
      ),
      [
        'a mount of a volume of the fleet',
        instance('x', { pod: { volumes: [EMPTY], volumeMounts: [{ name: 'identity', mountPath: '/mnt/a' }] } }),
        /spec\.pod\.volumeMounts: .*names a volume/,
      ],
      [
        'a mount of a sidecar of a volume of the fleet',
        instance('x', {
          pod: {
            volumes: [EMPTY],
            sidecars: [{ name: 'p', image: 'p', volumeMounts: [{ name: 'identity', mountPath: '/a' }] }],
          },
        }),
        /spec\.pod\.sidecars: .*names a volume/,
      ],
      [
        'a sidecar with rights',
        instance('x', { pod: { sidecars: [{ name: 'p', image: 'p', securityContext: { privileged: true } }] } }),
        /securityContext/,
      ],
      [
        'a quantity that is none',
        instance('x', { pod: { resources: { limits: { cpu: 'fast' } } } }),
        /spec\.pod\.resources\.limits\.cpu/,
      ],
      ['a fraction', instance('x', { replicas: 1.5 }), /spec\.replicas/],
      [
        'a replica whose port is none',
        replica('r', { endpoint: 'https://host.example:99999/aip/v1/messages' }),
        /spec\.endpoint/,
      ],
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
      'NAME CONNECTOR VERSION DESIRED READY DRAINING STATUS STALLED AGE TENANT MANIFEST MESSAGE'.split(' '),
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
      'How long a host that is being removed',
    );
    expect(await api.kubectl(['get', 'aip', '--no-headers'])).toContain('connectorinstance.fleet.aip.dev/many');
  });
});
