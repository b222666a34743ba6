import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';
import type { ConnectorInstance } from '#controller/api/connector-instance.js';
import type { ConnectorReplica } from '#controller/api/connector-replica.js';
import { LABELS } from '#controller/api/group.js';
import { KINDS } from '#controller/api/kinds.js';
import type { Pod } from '#controller/cluster/objects/host-pod.js';
import { startInformer } from '#controller/kube/cache/informer.js';
import { startEmbedded } from '#runtime/postgres/embedded/embedded.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../support/until.ts';
import {
  type Controller,
  demoInstance,
  type KubeFleet,
  projectFile,
  startKubeFleet,
} from '../../system/kube/controller/support/fleet.ts';
import { type PodCredentials, podCredentials } from '../../system/kube/support/service-account.ts';
import { percentile } from '../measure/percentile.ts';
import { apiRequests, isRead, type Requests, since, sum } from './api-requests.ts';

const INSTANCES = Number(process.env.AIP_BENCH_INSTANCES ?? 50);
const REPLICAS = 10;
const WANTED = INSTANCES * REPLICAS;
const CHANGES = Math.min(20, INSTANCES);
const REST_MS = Number(process.env.AIP_BENCH_SECONDS ?? 60) * 1000;
const LIMIT_MS = 600_000;
/** Further options of the controller's Node.js, such as `--cpu-prof`. */
const NODE_OPTIONS = (process.env.AIP_BENCH_NODE_OPTIONS ?? '').split(' ').filter(Boolean);

/**
 * A controller process against a real API server and PostgreSQL, with a node that pretends hosts: 50 instances of 10 replicas from nothing, then
 * one change at a time on the fleet at rest, then nothing at all. The controller finds the API server as in a Pod and has the heap that it has in
 * a container of the chart's memory limit. The API server shares the machine, so figures are upper bounds.
 */
export async function reconcileBench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-bench-'));
  const server = await startEmbedded({ dataDir: join(folder, 'data') });
  const fleet = await startKubeFleet({
    database: { url: server.url, drop: async () => undefined },
    describesOnce: true,
  });
  const sight = follow(fleet);
  try {
    const controller = await fleet.controller(
      'controller-1',
      {},
      { pod: await administrator(fleet), nodeOptions: [...(await containerOptions()), ...NODE_OPTIONS] },
    );
    const pid = controller.process.pid as number;
    await until('it leads', () => controller.log().includes('"became leader"'), LIMIT_MS);
    const requests = (): Promise<Requests> => requestsOf(controller);
    const idle = await residentMiB(pid);
    row('controller memory with nothing to do', `${idle.now} MiB`, '');
    const before = await requests();
    const cpuBefore = await cpuSeconds(pid);
    const begun = performance.now();
    await Promise.all(names().map((name) => fleet.kube.create(KINDS.connectorInstance, instance(name))));
    await until(`${WANTED} Pods`, () => sight.hosts() >= WANTED, LIMIT_MS);
    const podsMs = performance.now() - begun;
    await until(`${WANTED} replicas are ready`, () => sight.ready() >= WANTED, LIMIT_MS);
    const readyMs = performance.now() - begun;
    await until('every instance is ready', () => sight.done() >= INSTANCES, LIMIT_MS);
    const allMs = performance.now() - begun;
    const firsts = sight.podTimes().map((at) => at - begun);
    row(`${INSTANCES} instances x ${REPLICAS}, all Pods made`, seconds(podsMs), '30 s');
    row('  all ConnectorReplicas Ready', seconds(readyMs), '');
    row('  all ConnectorInstances Ready', seconds(allMs), '');
    row('  instances applied to Pod made', ms(firsts), '');
    row('  processor time of the controller', seconds(((await cpuSeconds(pid)) - cpuBefore) * 1000), '');
    const cold = since(before, await requests());
    row('  writes at the API server, a replica', perReplica(cold, 'writes'), '');
    row('  reads at the API server, a replica', perReplica(cold, 'reads'), '');
    for (const [key, count] of [...cold].sort((a, b) => b[1] - a[1])) row(`    ${key}`, String(count), '');
    const memory = await residentMiB(pid);
    row('  controller memory, now and at most', `${memory.now} MiB, ${memory.peak} MiB`, '300 MiB');

    const scaled = await oneByOne(fleet, sight, () => ({ spec: { replicas: REPLICAS + 1 } }));
    row(`scale of one instance to Pod made, ${CHANGES} times`, ms(scaled), '');
    const rolled = await oneByOne(fleet, sight, () => ({ spec: { pod: { labels: { bench: 'rollout' } } } }));
    row(`rollout of one instance to its first Pod, ${CHANGES} times`, ms(rolled), '');
    const wanted = WANTED + CHANGES;
    await until(
      'the rollouts have ended',
      () => sight.done() >= INSTANCES && sight.hosts() === wanted && sight.ready() === wanted,
      LIMIT_MS,
    );
    await quiet(requests);
    const restBefore = await requests();
    // That nothing happens can only be waited for.
    await pause(REST_MS);
    const rest = since(restBefore, await requests());
    row('at rest, writes a minute but for the lease', perMinute(rest, 'writes'), '0');
    row('at rest, reads a minute', perMinute(rest, 'reads'), '');
    const end = await residentMiB(pid);
    row('controller memory at the end, and at most', `${end.now} MiB, ${end.peak} MiB`, '300 MiB');
    await fleet.stopController('controller-1');
  } finally {
    sight.stop();
    await fleet.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const names = (): string[] => Array.from({ length: INSTANCES }, (_, index) => `bench-${index}`);

function instance(name: string): ConnectorInstance {
  return demoInstance(name, {
    replicas: REPLICAS,
    rollout: { maxSurge: 1, maxUnavailable: 0, drainTimeoutSeconds: 1 },
  }) as ConnectorInstance;
}

/** What is seen of hosts, replicas and instances, as it comes. */
interface Sight {
  hosts(): number;
  ready(): number;
  done(): number;
  podTimes(): number[];
  /** When the first Pod that is not among `known` was seen, by instance. */
  firstPod(name: string, known: ReadonlySet<string>): number | undefined;
  podsOf(name: string): Set<string>;
  stop(): void;
}

function follow({ kube }: KubeFleet): Sight {
  const log = openLogger({ component: 'bench', level: 'silent' });
  const times = new Map<string, { at: number; of: string }>();
  const isHost = ({ metadata }: Pod): boolean => metadata.labels?.['app.kubernetes.io/component'] === 'host';
  const pods = startInformer<Pod>({ kube, kind: KINDS.pod, namespaces: 'all', log });
  pods.onChange((_, __, pod) => {
    if (!pod || !isHost(pod) || times.has(pod.metadata.name)) return;
    times.set(pod.metadata.name, { at: performance.now(), of: pod.metadata.labels?.[LABELS.instance] ?? '' });
  });
  const replicas = startInformer<ConnectorReplica>({ kube, kind: KINDS.connectorReplica, namespaces: 'all', log });
  const instances = startInformer<ConnectorInstance>({ kube, kind: KINDS.connectorInstance, namespaces: 'all', log });
  const podsOf = (name: string): Set<string> =>
    new Set([...times].filter(([, { of }]) => of === name).map(([pod]) => pod));
  return {
    hosts: () => pods.list().filter(isHost).length,
    ready: () => replicas.list().filter(({ status }) => status?.state === 'Ready').length,
    done: () =>
      instances
        .list()
        .filter(
          ({ metadata, spec, status }) =>
            status?.observedGeneration === metadata.generation &&
            status?.readyReplicas === spec.replicas &&
            status?.updatedReplicas === spec.replicas &&
            status?.replicas === spec.replicas,
        ).length,
    podTimes: () => [...times.values()].map(({ at }) => at),
    firstPod: (name, known) => {
      const fresh = [...times].filter(([pod, { of }]) => of === name && !known.has(pod));
      return fresh.length === 0 ? undefined : Math.min(...fresh.map(([, { at }]) => at));
    },
    podsOf,
    stop: () => {
      for (const informer of [pods, replicas, instances]) informer.stop();
    },
  };
}

/** Changes one instance after the other; ms from each change to the first Pod that it brings. */
async function oneByOne(fleet: KubeFleet, sight: Sight, patch: () => object): Promise<number[]> {
  const times: number[] = [];
  for (const name of names().slice(0, CHANGES)) {
    const known = sight.podsOf(name);
    const start = performance.now();
    await fleet.kube.merge(KINDS.connectorInstance, { namespace: 'default', name }, patch());
    await until(`${name} gets a Pod`, () => sight.firstPod(name, known) !== undefined, LIMIT_MS);
    times.push((sight.firstPod(name, known) as number) - start);
  }
  return times;
}

/** A service account that may do everything. */
async function administrator({ api }: KubeFleet): Promise<PodCredentials> {
  await api.kubectl(['create', 'serviceaccount', 'controller']);
  const role = ['--clusterrole=cluster-admin', '--serviceaccount=default:controller'];
  await api.kubectl(['create', 'clusterrolebinding', 'controller', ...role]);
  return podCredentials(api, 'controller');
}

/** What Node.js is started with in the image, and what it makes of the chart's memory limit: half of it is for the heap. */
async function containerOptions(): Promise<string[]> {
  const entrypoint = /^ENTRYPOINT (\[.*aip-controller\.js"\])$/m.exec(await projectFile('Dockerfile'))?.[1] as string;
  const values = parse(await projectFile('charts/aip-fleet/values.yaml')) as {
    controller: { resources: { limits: { memory: string } } };
  };
  const limitMiB = Number(/^(\d+)Mi$/.exec(values.controller.resources.limits.memory)?.[1]);
  return [...(JSON.parse(entrypoint) as string[]).slice(1, -1), `--max-old-space-size=${limitMiB / 2}`];
}

async function requestsOf(controller: Controller): Promise<Requests> {
  return apiRequests((await controller.admin('/metrics')).text);
}

/** Waits until nothing was written for ten seconds: Events and the garbage collector are a little late. */
async function quiet(requests: () => Promise<Requests>): Promise<void> {
  let before = await requests();
  for (const end = performance.now() + LIMIT_MS; performance.now() < end; ) {
    await pause(10_000);
    const now = await requests();
    if (sum(since(before, now), 'writes') === 0) return;
    before = now;
  }
}

async function residentMiB(pid: number): Promise<{ now: number; peak: number }> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): number => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1]) / 1024);
  return { now: of('VmRSS'), peak: of('VmHWM') };
}

/** Processor time of a process so far, in s; Linux counts in hundredths. */
async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const seconds = (value: number): string => `${(value / 1000).toFixed(1)} s`;
const ms = (times: number[]): string =>
  `p50 ${percentile(times, 50).toFixed(0)} ms, p99 ${percentile(times, 99).toFixed(0)} ms`;
const perReplica = (found: Requests, what: 'writes' | 'reads'): string =>
  `${(sum(found, what) / WANTED).toFixed(1)} (${sum(found, what)} in all)`;
const perMinute = (found: Requests, what: 'writes' | 'reads'): string => {
  const kinds = [...found.keys()].filter((key) => isRead(key) === (what === 'reads')).join(', ');
  return `${((sum(found, what) * 60_000) / REST_MS).toFixed(1)}${kinds && ` (${kinds})`}`;
};

function row(what: string, found: string, aim: string): void {
  process.stdout.write(`${what.padEnd(58)} | ${found.padEnd(34)} | ${aim && `aim ${aim}`}\n`);
}
