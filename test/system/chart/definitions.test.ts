import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ConnectorInstance, connectorInstanceProblems } from '#controller/api/connector-instance.js';
import { customResourceDefinition, RESOURCE_DEFINITIONS } from '#controller/api/definition/crd.js';
import { checkResource } from '#controller/api/files/parse.js';
import type { ResourceSchema } from '#controller/api/json-schema.js';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');

/** Every schema below `spec` and `status`, with its path. */
function members(schema: ResourceSchema, path: string): [string, ResourceSchema][] {
  const children = Object.entries(schema.properties ?? {}).map(([name, member]) => members(member, `${path}.${name}`));
  const items = schema.items ? members(schema.items, `${path}[]`) : [];
  const values = schema.additionalProperties ? members(schema.additionalProperties, `${path}{}`) : [];
  return [[path, schema], ...children.flat(), ...items, ...values];
}

describe.each(RESOURCE_DEFINITIONS.map((definition) => [definition.kind, definition] as const))(
  '%s',
  (_, definition) => {
    const { spec, status } = definition.schema.properties;
    const all = [...members(spec as ResourceSchema, 'spec'), ...members(status as ResourceSchema, 'status')];

    test('every field says what it means', () => {
      const silent = all.filter(([path, schema]) => !/[\]}]$/.test(path) && !schema.description?.match(/[.?]$/));
      expect(silent.map(([path]) => path)).toEqual([]);
    });

    test('everything is bounded, so that rules have a known cost', () => {
      const unbounded = all.filter(([, schema]) => {
        if (schema.enum || schema['x-kubernetes-preserve-unknown-fields']) return false;
        if (schema.type === 'string' || schema['x-kubernetes-int-or-string']) return schema.maxLength === undefined;
        if (schema.type === 'array') return schema.maxItems === undefined;
        if (schema.additionalProperties) return schema.maxProperties === undefined;
        return schema.type === 'integer' && schema.minimum === undefined;
      });
      expect(unbounded.map(([path]) => path)).toEqual([]);
    });

    test('columns, selectors and the scale subresource name fields that exist', () => {
      const known = new Set(all.map(([path]) => path));
      const paths = [...definition.columns.map(({ jsonPath }) => jsonPath), ...definition.selectable].map((path) =>
        path.slice(1).replace(/\[\?.*?\]/, '[]'),
      );
      expect(paths.filter((path) => !known.has(path) && !path.startsWith('metadata.'))).toEqual([]);
      for (const { fieldPath } of (spec as ResourceSchema)['x-kubernetes-validations'] ?? [])
        expect(known).toContain(`spec${fieldPath}`);
    });

    test('the file and the copy in the chart are what the schema gives', () => {
      const made = customResourceDefinition(definition) as { metadata: { name: string }; spec: object };
      expect(parse(read('crds', `${made.metadata.name}.yaml`))).toEqual(made);
      const chart = read('charts', 'aip-fleet', 'templates', 'crds.yaml').replace(/^\s*\{\{.*\}\}$/gm, '');
      const copies = chart.split(/^---$/m).map((text) => parse(text) as { spec?: unknown } | null);
      expect(copies.map((copy) => copy?.spec)).toContainEqual(made.spec);
    });
  },
);

test('there is a file for each resource and no other', () => {
  const names = RESOURCE_DEFINITIONS.map(({ plural }) => `${plural}.fleet.aip.dev.yaml`);
  expect(readdirSync(join(root, 'crds')).sort()).toEqual(names.sort());
});

describe('rules of an instance', () => {
  const instance = (spec: object): { instance?: ConnectorInstance; problems: string[] } => {
    const document = {
      apiVersion: 'fleet.aip.dev/v1alpha1',
      kind: 'ConnectorInstance',
      metadata: { name: 'demo' },
      spec: { connector: { type: 'demo', version: '1.0.0' }, tenantId: 'acme', ...spec },
    };
    const { resource, problems } = checkResource(document);
    return { instance: resource as ConnectorInstance, problems: problems.map(({ path }) => path) };
  };
  const image = (name: string): object => ({ connector: { type: 'demo', version: '1.0.0', image: name } });

  test('an image is named by digest unless tags are allowed', () => {
    const pinned = instance(image(`registry.example/aip/runtime@sha256:${'a'.repeat(64)}`));
    expect(pinned.problems).toEqual([]);
    expect(instance(image('registry.example:5000/aip/runtime:1.4')).problems).toEqual(['spec.connector.image']);
    const tagged = { ...(pinned.instance as ConnectorInstance) };
    tagged.spec = { ...tagged.spec, connector: { ...tagged.spec.connector, image: 'runtime:1.4' } };
    expect(connectorInstanceProblems(tagged).map(({ path }) => path)).toEqual(['spec.connector.image']);
    expect(connectorInstanceProblems(tagged, { allowImageTags: true })).toEqual([]);
    for (const wrong of ['-x', 'a b', 'a@sha256:12', 'a:']) expect(instance(image(wrong)).problems).not.toEqual([]);
  });

  test('Pod settings are typed, and what a Pod does not have is refused', () => {
    const pod = {
      resources: { requests: { cpu: 1, memory: '64Mi' }, limits: { memory: '1Gi' } },
      nodeSelector: { 'kubernetes.io/arch': 'amd64' },
      tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'aip', effect: 'NoSchedule' }],
      affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule' },
      ],
      priorityClassName: 'high',
      imagePullSecrets: [{ name: 'registry' }],
      labels: { team: 'a' },
      annotations: { note: 'b' },
      runtimeClassName: 'gvisor',
    };
    expect(instance({ pod }).problems).toEqual([]);
    expect(instance({ pod: { resources: { limits: { memory: 'much' } } } }).problems).toEqual([
      'spec.pod.resources.limits.memory',
    ]);
    expect(instance({ pod: { hostNetwork: true } }).problems.join()).toMatch(/^spec\.pod/);
  });

  test.each([
    ['a reserved variable', { env: [{ name: 'NODE_OPTIONS', value: 'x' }] }, 'spec.pod.env'],
    [
      'a variable with two values',
      { env: [{ name: 'A', value: 'x', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] },
      'spec.pod.env',
    ],
    ['a variable from nowhere', { env: [{ name: 'A', valueFrom: {} }] }, 'spec.pod.env'],
    ['a volume without a kind', { volumes: [{ name: 'a' }] }, 'spec.pod.volumes'],
    [
      'tokens without a ServiceAccount',
      { volumes: [{ name: 'a', projected: { sources: [{ serviceAccountToken: { audience: 'a', path: 't' } }] } }] },
      'spec.pod.volumes',
    ],
    ['a mount without its volume', { volumeMounts: [{ name: 'a', mountPath: '/mnt/a' }] }, 'spec.pod.volumeMounts'],
    [
      'a mount of a sidecar without its volume',
      { sidecars: [{ name: 'p', image: 'p', volumeMounts: [{ name: 'a', mountPath: '/a' }] }] },
      'spec.pod.sidecars p',
    ],
  ])('%s is a problem of a file too', (_, pod, path) => {
    expect(instance({ pod }).problems).toEqual([path]);
  });

  test('a canary without a history to return to is a problem of a file too', () => {
    expect(instance({ rollout: { canary: {} }, revisionHistoryLimit: 0 }).problems).toEqual(['spec.rollout.canary']);
  });
});
