import { describe, expect, test } from 'vitest';
import { loadResources, mergeResources } from '#controller/api/files/load.js';
import {
  configurationDigest,
  connectorReplicaId,
  connectorVersionId,
  replicaName,
  templateHash,
} from '#controller/api/names.js';
import { ResourcesInvalid } from '#controller/api/resources.js';
import { secretValue } from '#controller/api/secret.js';

const HEAD = 'apiVersion: fleet.aip.dev/v1alpha1\nkind: ConnectorInstance\n';
const GOOD = `${HEAD}metadata: {name: demo}\nspec: {connector: {type: demo, version: 1.0.0}, tenantId: acme}\n`;

/** The lines of what is wrong with a file called fleet.yaml. */
function problems(text: string): string[] {
  try {
    loadResources([{ name: 'fleet.yaml', text }]);
  } catch (error) {
    if (error instanceof ResourcesInvalid) return error.message.split('\n');
    throw error;
  }
  return [];
}

function instance(spec: string, metadata = '{name: demo}') {
  return loadResources([{ name: 'f', text: `${HEAD}metadata: ${metadata}\nspec: ${spec}\n` }])
    .instances[0] as NonNullable<ReturnType<typeof loadResources>['instances'][0]>;
}

describe('a document that says only what it must', () => {
  test('gets every default of the schema', () => {
    const [found] = loadResources([{ name: 'f', text: GOOD }]).instances;
    expect(found?.metadata.namespace).toBe('default');
    expect(found?.spec).toMatchObject({
      hosting: 'Managed',
      enabled: true,
      replicas: 1,
      capacity: 32,
      topology: { region: 'global', zone: 'default', capacityClass: 'standard' },
      config: {},
      secrets: [],
      events: { enabled: true },
      bindings: [{ capabilities: ['*'], priority: 0 }],
      rollout: { maxSurge: 1, maxUnavailable: 0, drainTimeoutSeconds: 300 },
      suspend: false,
      deletionPolicy: 'Retain',
    });
  });

  test('several documents of several files are one set, empty ones are passed over', () => {
    const second = GOOD.replace('name: demo}', 'name: other}');
    const found = loadResources([
      { name: 'a.yaml', text: `---\n${GOOD}---\n---\n${second}` },
      {
        name: 'b.yaml',
        text: 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {k: v}\ndata: {b: aGk=}\n',
      },
    ]);
    expect(found.instances.map(({ metadata }) => metadata.name)).toEqual(['demo', 'other']);
    expect(found.secrets).toHaveLength(1);
    expect(found.secrets[0] && secretValue(found.secrets[0], 'k')?.toString()).toBe('v');
    expect(found.secrets[0] && secretValue(found.secrets[0], 'b')?.toString()).toBe('hi');
  });
});

describe('what is wrong is said as file:line:column: path: message', () => {
  test('line and column are those of the member, in the second document and in a nested list too', () => {
    const second = [
      'apiVersion: fleet.aip.dev/v1alpha1',
      'kind: ConnectorInstance',
      'metadata: {name: other}',
      'spec:',
      '  connector: {type: demo, version: 1.0.0}',
      '  tenantId: acme',
      '  replicas: many',
      '  bindings:',
      '    - capabilities: ["*"]',
      '    - capabilities: ["*"]',
      '      prioritty: 1',
      '',
    ].join('\n');
    const places = problems(`${GOOD}---\n${second}`).map((line) => /^fleet\.yaml:\d+:\d+: [\w.[\]]+/.exec(line)?.[0]);
    expect(places).toEqual(['fleet.yaml:12:3: spec.replicas', 'fleet.yaml:16:7: spec.bindings[1]']);
    expect(problems('a: 1\nb: [\n')[0]).toMatch(/^fleet\.yaml:[23]:\d+: is not valid YAML/);
  });

  test('of broken YAML the first place of each document is named: the rest follows from it', () => {
    const broken = 'a: [1\nb: {\nc: ]\n  d: x: y\n';
    const found = problems(`${broken}---\n${broken}`);
    expect(found.map((line) => /^fleet\.yaml:\d+:\d+/.exec(line)?.[0])).toEqual(['fleet.yaml:2:1', 'fleet.yaml:7:1']);
  });

  test('twenty problems are listed, and how many more there are', () => {
    const bad = (count: number): string[] => problems('- no\n---\n'.repeat(count));
    expect(bad(20)).toHaveLength(20);
    expect(bad(20).at(-1)).toContain('is not a mapping');
    expect(bad(22)).toHaveLength(21);
    expect(bad(22).at(-1)).toBe('… and 2 more');
  });

  const cases: [string, string, RegExp][] = [
    [
      'a wrong type',
      GOOD.replace('tenantId: acme', 'tenantId: acme, replicas: two'),
      /^fleet\.yaml:\d+:\d+: spec\.replicas: .*integer/,
    ],
    [
      'a number below its bound',
      GOOD.replace('tenantId: acme', 'tenantId: acme, replicas: -1'),
      /^fleet\.yaml:\d+:\d+: spec\.replicas: .*0/,
    ],
    [
      'an unknown member',
      GOOD.replace('tenantId: acme', 'tenantId: acme, replicass: 2'),
      /^fleet\.yaml:\d+:\d+: spec.*: .*(replicass|additional)/,
    ],
    ['a missing member', GOOD.replace(', tenantId: acme', ''), /^fleet\.yaml:\d+:\d+: spec.*: .*tenantId/],
    [
      'no kind',
      'apiVersion: v1\n',
      /^fleet\.yaml:\d+:\d+: kind: is missing; use one of ConnectorInstance, ConnectorReplica, Secret$/,
    ],
    ['an unknown kind', 'kind: Pod\napiVersion: v1\n', /^fleet\.yaml:\d+:\d+: kind: "Pod" is not known here/],
    [
      'a wrong group version',
      GOOD.replace('v1alpha1', 'v1'),
      /^fleet\.yaml:\d+:\d+: apiVersion: .*write fleet\.aip\.dev\/v1alpha1$/,
    ],
    ['broken YAML', `${GOOD}---\nkind: [`, /^fleet\.yaml:\d+:\d+: is not valid YAML: /],
    ['a list for a document', '- a\n', /^fleet\.yaml:\d+:\d+: is not a mapping/],
    [
      'no room for a rollout',
      GOOD.replace('tenantId: acme', 'tenantId: acme, rollout: {maxSurge: 0}'),
      /^fleet\.yaml:\d+:\d+: spec\.rollout: .*both 0.*set one/,
    ],
    [
      'a name too long',
      GOOD.replace('name: demo', `name: ${'a'.repeat(49)}`),
      /^fleet\.yaml:\d+:\d+: metadata\.name: .*48/,
    ],
    [
      'an image without digest',
      GOOD.replace('version: 1.0.0', 'version: 1.0.0, image: "x:latest"'),
      /^fleet\.yaml:\d+:\d+: spec\.connector\.image: /,
    ],
    [
      'a manifest on a Managed instance',
      GOOD.replace('version: 1.0.0', 'version: 1.0.0, manifest: {}'),
      /^fleet\.yaml:\d+:\d+: spec\.connector\.manifest: .*hosting: External/,
    ],
    [
      'an External one without manifest',
      GOOD.replace('tenantId: acme', 'tenantId: acme, hosting: External'),
      /^fleet\.yaml:\d+:\d+: spec\.connector\.manifest: is missing/,
    ],
    [
      'a secret that is not there',
      GOOD.replace('tenantId: acme', 'tenantId: acme, secrets: [{file: a, secretKeyRef: {name: s, key: k}}]'),
      /^fleet\.yaml:\d+:\d+: spec\.secrets\[0\]\.secretKeyRef: Secret s not found/,
    ],
    [
      'a file with a path',
      GOOD.replace('tenantId: acme', 'tenantId: acme, secrets: [{file: ../a, secretKeyRef: {name: s, key: k}}]'),
      /^fleet\.yaml:\d+:\d+: spec\.secrets\[0\]\.file: /,
    ],
    [
      'the same name twice',
      `${GOOD}---\n${GOOD}`,
      /^fleet\.yaml:\d+:\d+: metadata\.name: ConnectorInstance default\/demo is already in fleet\.yaml:1/,
    ],
    [
      'a replica of a Managed instance',
      `${GOOD}---\napiVersion: fleet.aip.dev/v1alpha1\nkind: ConnectorReplica\nmetadata: {name: r}\nspec: {instanceRef: {name: demo}, endpoint: "http://127.0.0.1:1/aip/v1/messages", peerDid: "did:key:z6Mk"}\n`,
      /^fleet\.yaml:\d+:\d+: spec\.instanceRef\.name: demo is Managed/,
    ],
    [
      'a replica with another path',
      `apiVersion: fleet.aip.dev/v1alpha1\nkind: ConnectorReplica\nmetadata: {name: r}\nspec: {instanceRef: {name: x}, endpoint: "http://127.0.0.1:1/other", peerDid: "did:key:z6Mk"}\n`,
      /^fleet\.yaml:\d+:\d+: spec\.endpoint: /,
    ],
  ];
  for (const port of ['0', '08443', '65536', '99999', '123456'])
    cases.push([
      `a replica with port ${port}`,
      `apiVersion: fleet.aip.dev/v1alpha1\nkind: ConnectorReplica\nmetadata: {name: r}\nspec: {instanceRef: {name: x}, endpoint: "https://host.example:${port}/aip/v1/messages", peerDid: "did:key:z6Mk"}\n`,
      /^fleet\.yaml:\d+:\d+: spec\.endpoint: /,
    ]);
  test.each(['', ':1', ':8443', ':65535'])(
    'an endpoint with "%s" for its port is right, by name and by IPv6 address',
    (port) => {
      for (const host of ['host.example', '[2001:db8::1]'])
        expect(
          problems(
            `apiVersion: fleet.aip.dev/v1alpha1\nkind: ConnectorReplica\nmetadata: {name: r}\nspec: {instanceRef: {name: x}, endpoint: "https://${host}${port}/aip/v1/messages", peerDid: "did:key:z6Mk"}\n`,
          ).filter((line) => line.includes('spec.endpoint')),
        ).toEqual([]);
    },
  );
  test.each(cases)('%s', (_, text, expected) => {
    const found = problems(text);
    expect(
      found.some((line) => expected.test(line)),
      found.join('\n'),
    ).toBe(true);
  });

  test('everything wrong is listed, not only the first', () => {
    const text = GOOD.replace('tenantId: acme', 'replicas: two');
    expect(problems(`${text}---\nkind: Pod\n`).length).toBeGreaterThanOrEqual(3);
  });
});

describe('names and digests', () => {
  test('a replica is named after instance, template and ordinal', () => {
    const one = instance('{connector: {type: demo, version: 1.0.0}, tenantId: acme}');
    const hash = templateHash(one);
    expect(hash).toMatch(/^[0-9a-f]{6}$/);
    expect(replicaName('demo', hash, 2)).toBe(`demo-${hash}-2`);
    expect(templateHash(instance('{tenantId: acme, connector: {version: 1.0.0, type: demo}}'))).toBe(hash);
  });

  test('what a replica is made from changes the template; how many there are does not', () => {
    const base = '{connector: {type: demo, version: 1.0.0}, tenantId: acme';
    const hash = templateHash(instance(`${base}}`));
    expect(templateHash(instance(`${base}, replicas: 9, rollout: {maxSurge: 3}}`))).toBe(hash);
    for (const change of ['capacity: 5', 'config: {a: 1}', 'topology: {zone: b}', 'events: {enabled: false}'])
      expect(templateHash(instance(`${base}, ${change}}`)), change).not.toBe(hash);
  });

  test('configuration, secrets and bindings count as configuration', () => {
    const base = '{connector: {type: demo, version: 1.0.0}, tenantId: acme';
    const digest = configurationDigest(instance(`${base}}`));
    expect(configurationDigest(instance(`${base}, replicas: 3, capacity: 4}`))).toBe(digest);
    expect(configurationDigest(instance(`${base}, config: {a: 1}}`))).not.toBe(digest);
    expect(configurationDigest(instance(`${base}, bindings: [{capabilities: ["cap:demo:*"]}]}`))).not.toBe(digest);
  });

  test('registry ids carry the prefixes and the coordinates', () => {
    const resource = { metadata: { namespace: 'acme', name: 'demo-abcdef-0' } };
    expect(connectorReplicaId(resource, '01234567-89ab-cdef')).toBe('crepl_acme.demo-abcdef-0.01234567');
    const version = {
      type: 'demo',
      version: '1.0.0',
      manifestDigest: `sha256:${'a'.repeat(64)}`,
      artifactDigest: `sha256:${'b'.repeat(64)}`,
    };
    expect(connectorVersionId(version)).toMatch(/^cver_[0-9a-f]{32}$/);
    expect(connectorVersionId({ ...version, version: '1.0.1' })).not.toBe(connectorVersionId(version));
  });
});

test('documents applied later replace those of the same name and keep the others', () => {
  const base = loadResources([{ name: 'f', text: `${GOOD}---\n${GOOD.replace('name: demo}', 'name: other}')}` }]);
  const change = loadResources([{ name: 'f', text: GOOD.replace('tenantId: acme', 'tenantId: acme, replicas: 3') }]);
  const merged = mergeResources(base, change);
  expect(merged.instances.map(({ metadata, spec }) => [metadata.name, spec.replicas])).toEqual([
    ['demo', 3],
    ['other', 1],
  ]);
});
