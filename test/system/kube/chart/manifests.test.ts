import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkResource } from '#controller/api/files/parse.js';
import { describeKube } from '../support/api-server.ts';
import { KUBERNETES_VERSIONS, openApiCheck } from './openapi.ts';
import { CHART, EXAMPLES, helm, podSpecs, type Rendered, render, valueFlags } from './render.ts';

/** Kinds of other projects, which no Kubernetes release describes. */
const FOREIGN = /^(monitoring\.coreos\.com|gateway\.networking\.k8s\.io|fleet\.aip\.dev|cert-manager\.io)\//;

/** Every switch that renders something of its own. */
const EVERYTHING = {
  example: 'production.yaml',
  set: {
    'httpRoute.enabled': true,
    'httpRoute.parentRefs': [{ name: 'edge' }],
    'serviceMonitor.hosts': true,
    'backup.enabled': true,
    'ingress.connectorIngress': true,
    'ingress.extraPaths': ['/aip/v1/extra'],
    'gateway.topology': { region: 'eu', zone: 'a', capacityClass: 'large', disableCrossRegionFailover: true },
    imagePullSecrets: [{ name: 'registry' }],
    commonLabels: { team: 'platform' },
    extraObjects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'extra-{{ .Release.Name }}' } }],
  },
};
const NAMESPACED = { example: 'trial.yaml', set: { 'controller.watchNamespaces': ['acme', 'globex'] } };
const SETS = [...EXAMPLES.map((example) => ({ example })), EVERYTHING, NAMESPACED];

describeKube('the chart', () => {
  test.each(EXAMPLES)('passes helm lint with examples/%s', async (example) => {
    expect(await helm(['lint', CHART, '--strict', ...valueFlags({ example })])).toContain('0 chart(s) failed');
  });

  describe.each(KUBERNETES_VERSIONS)('under Kubernetes %s', (version) => {
    test('gives objects without an unknown or a wrong member', async () => {
      const check = await openApiCheck(version);
      for (const values of SETS) {
        const objects = await render(values);
        expect(objects.length).toBeGreaterThan(15);
        for (const object of objects) {
          const problems = check(object);
          if (problems === undefined) expect(object.apiVersion, object.kind).toMatch(FOREIGN);
          else expect(problems, `${object.kind} ${object.metadata.name}`).toEqual([]);
        }
      }
    }, 180_000);

    test('would report an unknown member', async () => {
      const check = await openApiCheck(version);
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'x' },
        spec: { containers: [{ name: 'a', img: 'b' }] },
      };
      expect(check(pod)?.join()).toMatch(/containers\/0 .*img/);
    }, 180_000);
  });

  test('refuses a value that it does not know, at any depth, and a value of the wrong form', async () => {
    const wrong: [Record<string, unknown>, RegExp][] = [
      [{ gatewayy: {} }, /gatewayy/],
      [{ 'gateway.replica': 2 }, /replica/],
      [{ 'postgres.embedded.storage.sise': '1Gi' }, /sise/],
      [{ 'quotaPolicies.standard': { revision: 1, limits: { maxTenants: 1 } } }, /maxTenants/],
      [{ 'gateway.replicas': 0 }, /replicas/],
      [{ tenancy: 'closed' }, /tenancy/],
      [{ 'images.runtime.digest': 'sha256:12' }, /digest/],
      [{ 'ingress.extraPaths': ['/metrics'] }, /extraPaths/],
    ];
    for (const [set, message] of wrong) await expect(render({ example: 'trial.yaml', set })).rejects.toThrow(message);
  });

  test('says what is missing before anything is made', async () => {
    const wrong: [Record<string, unknown>, RegExp][] = [
      [{ 'postgres.embedded.enabled': false }, /a database is needed: set postgres\.urlSecret\.name/],
      [{ 'postgres.urlSecret.name': 'db' }, /both set; choose one/],
      [{ 'controller.allowImageTags': false }, /set images\.runtime\.digest/],
      [{ 'certManager.enabled': true }, /needs certManager\.issuerRef\.name/],
      [{ 'ingress.enabled': true }, /needs ingress\.host/],
      [{ 'httpRoute.enabled': true }, /needs httpRoute\.parentRefs/],
    ];
    for (const [set, message] of wrong) await expect(render({ example: 'trial.yaml', set })).rejects.toThrow(message);
  });

  test('prints after an install what comes next, by the names of the release', async () => {
    const notes = async (example: string, set: Record<string, unknown> = {}): Promise<string> => {
      const flags = ['--namespace', 'aip-system', '--dry-run=client', '--skip-schema-validation=false'];
      const text = await helm(['install', 'aip', CHART, ...flags, ...valueFlags({ example, set })]);
      return text.slice(text.indexOf('\nNOTES:'));
    };
    const trial = await notes('trial.yaml');
    for (const line of [
      'THE DATABASE IS FOR TRIALS',
      '1. See that it is ready:',
      'kubectl -n aip-system rollout status deployment/aip-controller deployment/aip-gateway',
      '2. Run a connector and wait for its hosts:',
      'helm -n aip-system test aip --logs',
    ])
      expect(trial).toContain(line);
    expect(trial).not.toContain('fleet.aip.dev/tenants');
    const production = await notes('production.yaml', { fullnameOverride: 'fleet' });
    expect(production).not.toContain('FOR TRIALS');
    expect(production).toContain('kubectl annotate namespace NAMESPACE fleet.aip.dev/tenants=TENANT');
    expect(production).toContain('deployment/fleet-controller deployment/fleet-gateway');
    // The example of the notes is a whole resource.
    const example = parse(/<<EOF\n([\s\S]*?)\n *EOF/.exec(production)?.[1] as string);
    expect(checkResource({ ...example, spec: { ...example.spec, tenantId: 'acme' } }).problems).toEqual([]);
  });

  test('refuses a Kubernetes that is too old', async () => {
    const flags = [...valueFlags({ example: 'trial.yaml' }), '--kube-version'];
    await expect(helm(['template', 'aip', CHART, ...flags, '1.29.9'])).rejects.toThrow(/>=1\.30/);
    expect(await helm(['template', 'aip', CHART, ...flags, '1.30.0'])).toContain('kind: Deployment');
  });

  test('leaves the definitions out, or lets them go with the release, where asked to', async () => {
    const definitions = async (set: Record<string, unknown>): Promise<Rendered[]> =>
      (await render({ example: 'trial.yaml', set })).filter(({ kind }) => kind === 'CustomResourceDefinition');
    const kept = await definitions({});
    expect(kept.map(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'])).toEqual(['keep', 'keep']);
    const going = await definitions({ 'crds.keep': false });
    expect(going.map(({ metadata }) => metadata.annotations)).toEqual([undefined, undefined]);
    expect(await definitions({ 'crds.enabled': false })).toEqual([]);
  });

  test('puts the recommended labels on every object', async () => {
    for (const { kind, metadata } of await render(EVERYTHING)) {
      if (metadata.name.startsWith('extra-')) continue;
      expect(metadata.labels, `${kind} ${metadata.name}`).toMatchObject({
        'app.kubernetes.io/name': 'aip-fleet',
        'app.kubernetes.io/instance': 'aip',
        'app.kubernetes.io/managed-by': 'Helm',
        team: 'platform',
      });
    }
  });

  test('runs every Pod without root, without rights, on a read-only file system and with requests', async () => {
    for (const values of SETS)
      for (const [name, spec] of podSpecs(await render(values))) {
        expect(spec.securityContext, name).toMatchObject({
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        for (const container of spec.containers) {
          expect(container.securityContext, name).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          expect(container.resources.requests, name).toMatchObject({
            cpu: expect.anything(),
            memory: expect.anything(),
          });
        }
        expect(spec.automountServiceAccountToken, name).toBe(name.endsWith('-controller'));
      }
  });
});

describeKube('a chart for a cluster that chooses users', () => {
  test('runAs: Platform leaves user and groups of controllers and gateways to the cluster', async () => {
    const pods = podSpecs(await render({ example: 'production.yaml', set: { runAs: 'Platform' } }));
    expect(pods.length).toBeGreaterThan(1);
    for (const [name, spec] of pods)
      expect(spec.securityContext, name).toEqual({
        runAsNonRoot: true,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      });
  });
});

/** Paths of all members of a mapping; what a user fills in freely ends a path. */
function paths(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [at];
  const entries = Object.entries(value);
  return entries.length === 0 ? [at] : entries.flatMap(([key, member]) => paths(member, `${at}.${key}`));
}

test('every value has a default and a description', () => {
  const read = (name: string): string => readFileSync(join(CHART, name), 'utf8');
  const schema = JSON.parse(read('values.schema.json'));
  const described = (node: Rendered, at: string): string[] =>
    node.properties && node.additionalProperties === false
      ? Object.entries(node.properties as Record<string, Rendered>).flatMap(([key, member]) =>
          described(member, `${at}.${key}`),
        )
      : [at];
  const silent = (node: Rendered, at: string): string[] => [
    ...(at === '' || /\.$/.test(node.description ?? '') ? [] : [at]),
    ...Object.entries((node.properties ?? {}) as Record<string, Rendered>).flatMap(([key, member]) =>
      silent(member, `${at}.${key}`),
    ),
  ];
  expect(silent(schema, '')).toEqual([]);
  const leaves = described(schema, '').filter((path) => path !== '.global');
  const defaults = paths(parse(read('values.yaml')));
  expect(leaves.filter((leaf) => !defaults.some((path) => path === leaf || path.startsWith(`${leaf}.`)))).toEqual([]);
});
