import { expect, test } from 'vitest';
import { describeKube } from '../support/api-server.ts';
import { only, type Rendered, render } from './render.ts';

/** Routes that carry no credential of their own : nothing outside may reach them. */
const OPEN_ROUTES = [
  '/',
  '/health',
  '/ready',
  '/metrics',
  '/aip/v1/health',
  '/aip/v1/manifest',
  '/aip/v1/connector-control',
];

const EDGE = {
  example: 'production.yaml',
  set: { 'httpRoute.enabled': true, 'httpRoute.parentRefs': [{ name: 'edge' }], 'ingress.connectorIngress': true },
};

interface Path {
  type: string;
  value: string;
}

/** Does a rule of an edge let a request path through? A prefix ends at a slash. */
const matches = (path: Path, request: string): boolean =>
  request === path.value || (path.type !== 'Exact' && request.startsWith(`${path.value}/`));

function edgePaths(objects: readonly Rendered[]): Record<string, Path[]> {
  const ingress = only(objects, 'Ingress').spec.rules.flatMap((rule: Rendered) => rule.http.paths);
  const route = only(objects, 'HTTPRoute').spec.rules.flatMap((rule: Rendered) => rule.matches);
  return {
    ingress: ingress.map((entry: Rendered) => ({ type: entry.pathType, value: entry.path })),
    route: route.map((entry: Rendered) => ({ type: entry.path.type, value: entry.path.value })),
  };
}

describeKube('the edge of the deployment', () => {
  test('F-131 the ingress and the route let through the native API alone, and only to the gateways', async () => {
    const objects = await render(EDGE);
    for (const [edge, list] of Object.entries(edgePaths(objects))) {
      for (const open of OPEN_ROUTES)
        expect(
          list.filter((path) => matches(path, open)),
          `${edge} ${open}`,
        ).toEqual([]);
      for (const api of [
        '/aip/v1/messages',
        '/aip/v1/actions',
        '/aip/v1/actions/act_1/events',
        '/aip/v1/receipts/x',
        '/aip/v1/ws',
      ])
        expect(
          list.filter((path) => matches(path, api)),
          `${edge} ${api}`,
        ).toHaveLength(1);
    }
    const ingress = only(objects, 'Ingress').spec.rules.flatMap((rule: Rendered) => rule.http.paths);
    expect(new Set(ingress.map((entry: Rendered) => entry.backend.service.name))).toEqual(new Set(['aip-gateway']));
    const route = only(objects, 'HTTPRoute').spec.rules.flatMap((rule: Rendered) => rule.backendRefs);
    expect(new Set(route.map((entry: Rendered) => entry.name))).toEqual(new Set(['aip-gateway']));
  });

  test('F-131 no Service of host or control plane is reachable from outside, and no port of a node is taken', async () => {
    for (const example of ['trial.yaml', 'production.yaml']) {
      const objects = await render({ ...EDGE, example, ...(example === 'trial.yaml' ? { set: {} } : {}) });
      for (const { metadata, spec } of objects.filter(({ kind }) => kind === 'Service'))
        expect([spec.type, spec.externalIPs, spec.ports.map((port: Rendered) => port.nodePort)], metadata.name).toEqual(
          ['ClusterIP', undefined, [undefined]],
        );
      const controlPlane = only(objects, 'Service', '-control-plane');
      expect(controlPlane.spec.ports.map((port: Rendered) => port.targetPort)).toEqual(['https']);
      const containers = objects.flatMap(({ spec }) => spec?.template?.spec.containers ?? []);
      for (const { ports } of containers) for (const port of ports) expect(port).not.toHaveProperty('hostPort');
    }
  });

  test('F-131 hosts alone reach the control plane, and monitoring alone its metrics', async () => {
    const policy = only(await render({ example: 'trial.yaml' }), 'NetworkPolicy', '-controller').spec;
    expect(policy.podSelector.matchLabels).toMatchObject({ 'app.kubernetes.io/component': 'controller' });
    expect(policy.policyTypes).toEqual(['Ingress']);
    const byPort = Object.fromEntries(policy.ingress.map((rule: Rendered) => [rule.ports[0].port, rule.from]));
    expect(Object.keys(byPort).sort()).toEqual(['admin', 'https']);
    expect(byPort.https).toEqual([
      {
        namespaceSelector: {},
        podSelector: {
          matchLabels: { 'app.kubernetes.io/component': 'host' },
          matchExpressions: [{ key: 'fleet.aip.dev/instance', operator: 'Exists' }],
        },
      },
    ]);
    expect(byPort.admin).toEqual([
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } },
    ]);
    const closed = await render({ example: 'trial.yaml', set: { 'networkPolicy.monitoringFrom': [] } });
    const ports = only(closed, 'NetworkPolicy', '-controller').spec.ingress.flatMap((rule: Rendered) => rule.ports);
    expect(ports.map((port: Rendered) => port.port)).toEqual(['https']);
  });

  test('whose hosts are let in: those of the namespaces that the values name, else of labelled ones; of all in a trial alone', async () => {
    const peers = async (set: Record<string, unknown>): Promise<object[]> => {
      const found = await render({ example: 'production.yaml', set });
      const peersOf = (name: string): object[] =>
        only(found, 'NetworkPolicy', name).spec.ingress.flatMap((rule: Rendered) =>
          rule.from.filter((peer: Rendered) => peer.podSelector?.matchLabels['app.kubernetes.io/component'] === 'host'),
        );
      expect(peersOf('-gateway')).toEqual(peersOf('-controller'));
      return peersOf('-controller').map((peer) => (peer as Rendered).namespaceSelector ?? 'own');
    };
    expect(await peers({})).toEqual([{ matchLabels: { 'fleet.aip.dev/hosts': 'true' } }, 'own']);
    const team = { matchExpressions: [{ key: 'team', operator: 'In', values: ['blue'] }] };
    expect(await peers({ 'networkPolicy.hostNamespaces': team })).toEqual([team, 'own']);
    const watched = {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['acme', 'aip-system'] }],
    };
    expect(await peers({ 'controller.watchNamespaces': ['acme'] })).toEqual([watched]);
    expect(await peers({ 'controller.watchNamespaces': ['acme'], 'networkPolicy.hostNamespaces': team })).toEqual([
      team,
      'own',
    ]);
    expect(await peers({ tenancy: 'open' })).toEqual([{}]);
  });

  test('what gateways and the controller may reach takes the further rules of the values', async () => {
    const collector = { ports: [{ port: 4318, protocol: 'TCP' }] };
    const egress = async (name: string, set: Record<string, unknown>): Promise<object[]> =>
      only(await render({ example: 'production.yaml', set }), 'NetworkPolicy', name).spec.egress;
    for (const [name, value] of [
      ['-gateway', 'networkPolicy.gatewayExtraEgress'],
      ['-controller', 'networkPolicy.controllerExtraEgress'],
    ] as const)
      expect(await egress(name, { [value]: [collector] })).toEqual([...(await egress(name, {})), collector]);
  });

  test('with an edge named, gateways admit it, hosts, the test and monitoring, and nobody else', async () => {
    const policy = only(await render({ example: 'production.yaml' }), 'NetworkPolicy', '-gateway').spec;
    expect(policy.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(policy.ingress).toHaveLength(1);
    expect(policy.ingress[0].from).toHaveLength(5);
    expect(policy.ingress[0].from[0].namespaceSelector.matchLabels['kubernetes.io/metadata.name']).toBe(
      'ingress-nginx',
    );
  });
});
