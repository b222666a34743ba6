import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeFleet } from '../e2e/support/describe-fleet.ts';
import { installRelease, RELEASE } from '../e2e/support/release.ts';
import { webhookResources } from '../e2e/support/webhook-resources.ts';
import { type Address, listener, openFrom, type Place } from './support/pods.ts';

const PORT = 9443;
const FLEET_PORT = 8443;
const OTHERS = 'strangers';
const WEBHOOKS = 'support';
/** Pods of the test: three that nothing admits, what hosts may reach, and what may reach gateways and webhooks. */
const PLACES = {
  near: { name: 'near', namespace: RELEASE.namespace },
  beside: { name: 'beside', namespace: 'default' },
  far: { name: 'far', namespace: OTHERS },
  provider: { name: 'provider', namespace: OTHERS },
  edge: { name: 'edge', namespace: OTHERS },
};
const PODS = Object.keys(PLACES);

interface Endpoints {
  endpoints: { addresses: string[] }[];
  ports: { port: number }[];
}

/** Peers of a NetworkPolicy: Pods of that name anywhere. */
const peers = (app: string): object[] => [{ namespaceSelector: {}, podSelector: { matchLabels: { app } } }];

/** Flags that restrict everything: who reaches gateways and webhooks, and what gateways, controller and hosts reach. */
function restricted(api: Address): string[] {
  const policy = {
    restrictEgress: true,
    restrictHostEgress: true,
    apiServerPorts: [api.port],
    gatewayFrom: peers('edge'),
    hostExtraEgress: [{ to: peers('provider'), ports: [{ port: PORT, protocol: 'TCP' }] }],
  };
  const webhooks = { host: 'hooks.example', from: peers('edge') };
  return [
    ...['--set-json', `networkPolicy=${JSON.stringify(policy)}`],
    ...['--set-json', `webhooks=${JSON.stringify(webhooks)}`],
  ];
}

describeFleet('network policies, where the network enforces them', (release) => {
  const { kubectl } = release ?? {};
  const at = async ({ name, namespace }: Place, port: number): Promise<Address> => ({
    host: await kubectl('get', 'pod', name, '-n', namespace, '-o', 'jsonpath={.status.podIP}'),
    port,
  });
  const hostOf = async (instance: string): Promise<Place> => ({
    name: (await release.replicas(instance))[0] as string,
    namespace: 'default',
  });
  const podOf = async (component: 'controller' | 'gateway'): Promise<Place> => ({
    name: (await release.pods(component))[0] as string,
    namespace: RELEASE.namespace,
  });
  let addresses: Record<string, Address>;
  /** What a Pod reaches, but for itself. */
  const open = (from: Place, ...itself: string[]): Promise<string[]> =>
    openFrom(kubectl, from, Object.fromEntries(Object.entries(addresses).filter(([name]) => !itself.includes(name))));

  beforeAll(async () => {
    const { endpoints, ports } = await release.json<Endpoints>('get', 'endpointslice', 'kubernetes', '-n', 'default');
    const api = { host: endpoints[0]?.addresses[0] as string, port: ports[0]?.port as number };
    await kubectl('create', 'namespace', OTHERS);
    const places = Object.values(PLACES);
    await release.apply(...places.map((place) => listener(place, release.cluster.images.runtime, PORT)));
    for (const { name, namespace } of places)
      await kubectl('wait', '--for=condition=Ready', `pod/${name}`, '-n', namespace, '--timeout=120s');
    await installRelease(release.cluster, { flags: restricted(api) });
    await release.apply(...(await webhookResources(WEBHOOKS)));
    await release.ready('demo', 2);
    await release.ready(WEBHOOKS, 1);
    addresses = {
      host: await at(await hostOf('demo'), FLEET_PORT),
      webhooks: await at(await hostOf(WEBHOOKS), FLEET_PORT),
      gateway: await at(await podOf('gateway'), FLEET_PORT),
      control: await at(await podOf('controller'), 8090),
      metrics: await at(await podOf('controller'), 8091),
      database: await at({ name: 'aip-postgres-0', namespace: RELEASE.namespace }, 5432),
      api,
      ...Object.fromEntries(
        await Promise.all(Object.entries(PLACES).map(async ([name, place]) => [name, await at(place, PORT)] as const)),
      ),
    };
  });
  afterAll(async () => {
    await kubectl('delete', 'cinst', WEBHOOKS, '--ignore-not-found', '--timeout=180s');
    await kubectl('delete', 'secret', 'chatwoot', '--ignore-not-found');
    for (const { name, namespace } of [PLACES.near, PLACES.beside])
      await kubectl('delete', 'pod', name, '-n', namespace, '--ignore-not-found');
    await kubectl('delete', 'namespace', OTHERS, '--ignore-not-found', '--timeout=120s');
    await installRelease(release.cluster);
  });

  test.each([
    ['the namespace of the release', PLACES.near],
    ['the namespace of the hosts', PLACES.beside],
    ['another namespace', PLACES.far],
  ])('a Pod in %s reaches nothing of the fleet, and other Pods as before', async (_where, from) => {
    expect(await open(from)).toEqual(['api', ...PODS]);
  });

  test('the edge reaches gateways and hosts that take webhooks, and nothing else of the fleet', async () => {
    expect(await open(PLACES.edge)).toEqual(['webhooks', 'gateway', 'api', ...PODS]);
  });

  test('a host reaches control plane, gateways, database, names and its provider, and nothing else', async () => {
    const host = await hostOf('demo');
    expect(await open(host, 'host')).toEqual(['gateway', 'control', 'database', 'provider']);
    const named = { control: { host: `aip-control-plane.${RELEASE.namespace}.svc`, port: 8090 } };
    expect(await openFrom(kubectl, host, named)).toEqual(['control']);
  });

  test('a gateway reaches hosts and the database, and nothing else', async () => {
    expect(await open(await podOf('gateway'), 'gateway')).toEqual(['host', 'webhooks', 'database']);
  });

  test('the controller reaches the database and the API server, and nothing else', async () => {
    expect(await open(await podOf('controller'), 'control', 'metrics')).toEqual(['database', 'api']);
  });

  test('actions run, and helm test passes', async () => {
    const submitted = await release.aip(
      ...['actions', 'submit', 'cap:demo:count', '--input', '{"n":5}', '--follow', '--json'],
    );
    expect(submitted.lines().at(-1)).toMatchObject({ state: 'completed' });
    expect(await release.helm('test', RELEASE.name, '--timeout', '3m')).toMatch(/Phase: +Succeeded/);
  });
});
