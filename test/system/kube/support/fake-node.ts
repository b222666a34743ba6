import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { KINDS } from '#controller/api/kinds.js';
import type { Pod } from '#controller/cluster/objects/host-pod.js';
import { type Informer, startInformer } from '#controller/kube/cache/informer.js';
import type { Kube, KubeObject } from '#controller/kube/kube.js';
import { microTime } from '#controller/kube/micro-time.js';
import { createCa, issueLeaf } from '#controller/trust/certificates/ca.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../../support/until.ts';

const NODE = { apiVersion: 'v1', kind: 'Node', plural: 'nodes', namespaced: false } as const;
/** A node that is not heard of for 40 s counts as lost. */
const HEARTBEAT_MS = 10_000;
const AGAIN_MS = 300;
const RUNTIME = resolve(import.meta.dirname, '../../../../runtime/bin/aip-runtime.js');

/** What becomes of host Pods; a fake node runs no hosts, it only says that it does. */
export interface HostFate {
  /** Runs `describe` once for equal images, arguments and configurations, so that its processor time is not the controller's. */
  describesOnce?: boolean | undefined;
  /** The Pod "runs" now. */
  started(pod: Pod): Promise<void>;
  /** The Pod was asked to end; resolves when its host has ended. */
  stopped(pod: Pod): Promise<void>;
}

/** A node without containers: it binds every Pod to itself, really runs `describe`, serves its log as a kubelet does, and leaves hosts to `fate`. */
export interface FakeNode {
  /** What a container of an image "does" instead of being run; an image that cannot be pulled has none. */
  readonly unpullable: Set<string>;
  /** What it could not do at once; it tries again. */
  readonly problems: readonly string[];
  /** Host Pods that are started. */
  running(): string[];
  stop(): Promise<void>;
}

interface Container {
  name: string;
  image: string;
  args: string[];
}

interface Volume {
  projected?: { sources: { secret?: { name: string } }[] };
}

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

/** The work of a node, and what its parts share. */
interface NodeWork {
  readonly kube: Kube;
  readonly fate: HostFate;
  readonly unpullable: ReadonlySet<string>;
  readonly problems: string[];
  /** Output of containers, by namespace and Pod. */
  readonly logs: Map<string, string>;
  /** The files of containers. */
  readonly folder: string;
  stopped: boolean;
}

/** Starts the node and registers it. */
export async function startFakeNode(kube: Kube, fate: HostFate, name = 'fake'): Promise<FakeNode> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-fake-node-'));
  const unpullable = new Set<string>();
  const work: NodeWork = { kube, fate, unpullable, problems: [], logs: new Map(), folder, stopped: false };
  const kubelet = await serveLogs(name, work.logs);
  await registerNode(kube, name, kubelet.port);
  const stopBeating = await keepAlive(kube, name);
  const pods = followPods(work, name);
  await pods.synced;
  return {
    unpullable,
    problems: work.problems,
    running: () =>
      pods
        .list()
        .filter((pod) => pod.status?.phase === 'Running' && !pod.metadata.deletionTimestamp)
        .map(({ metadata }) => metadata.name)
        .sort(),
    stop: async () => {
      work.stopped = true;
      stopBeating();
      pods.stop();
      await kubelet.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Serves the logs of containers as a kubelet does. */
async function serveLogs(
  name: string,
  logs: ReadonlyMap<string, string>,
): Promise<{ port: number; stop(): Promise<void> }> {
  const ca = await createCa({ now: Date.now() });
  const leaf = await issueLeaf(ca, { dnsNames: [name], ipAddresses: ['127.0.0.1'], now: Date.now() });
  const server = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (request, response) => {
    const [, , namespace, pod] = new URL(request.url as string, 'https://node').pathname.split('/');
    response.end(logs.get(`${namespace}/${pod}`) ?? '');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  return { port, stop };
}

async function registerNode(kube: Kube, name: string, port: number): Promise<void> {
  await kube.create(NODE, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    conditions: [{ type: 'Ready', status: 'True', reason: 'Fake', message: 'always' }],
  };
  await kube.apply(NODE, { apiVersion: 'v1', kind: 'Node', metadata: { name }, status } as KubeObject, {
    status: true,
  });
}

/** Renews the lease of the node until the returned function is called. */
async function keepAlive(kube: Kube, name: string): Promise<() => void> {
  const lease = { namespace: 'kube-node-lease', name };
  const { apiVersion, kind } = KINDS.lease;
  const beat = async (): Promise<void> => {
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTime(Date.now()) };
    await kube.apply(KINDS.lease, { apiVersion, kind, metadata: lease, spec } as KubeObject).catch(() => undefined);
  };
  await beat();
  const beating = setInterval(() => void beat(), HEARTBEAT_MS);
  return () => clearInterval(beating);
}

const key = (pod: Pod): string => pod.metadata.uid as string;

function containerOf(pod: Pod): Container {
  const [first] = (pod.spec?.containers ?? []) as Container[];
  return first as Container;
}

/** Writes the phase of a Pod and the state of its container. */
async function writeStatus(
  kube: Kube,
  pod: Pod,
  { phase, state, ready = false }: { phase: string; state: object; ready?: boolean },
): Promise<void> {
  const { name, namespace } = pod.metadata;
  const { name: containerName, image } = containerOf(pod);
  const container = { name: containerName, ready, restartCount: 0, image, imageID: '', state };
  const conditions = ready ? { conditions: [{ type: 'Ready', status: 'True' }] } : {};
  const status = { phase, ...conditions, containerStatuses: [container as never] };
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } };
  await kube.apply(KINDS.pod, { ...object, status } as Pod, { status: true });
}

/** Waits for the user's Secrets that a Pod mounts, as a kubelet does; meanwhile its container is not made. */
async function mountSecrets(work: NodeWork, pod: Pod): Promise<void> {
  const { kube } = work;
  const { namespace, name: podName } = pod.metadata;
  const wanted = ((pod.spec?.volumes ?? []) as Volume[])
    .flatMap(({ projected }) => projected?.sources ?? [])
    .flatMap(({ secret }) => secret?.name ?? []);
  const missing = async (): Promise<boolean> => {
    const found = await Promise.all(wanted.map((secret) => kube.get(KINDS.secret, { namespace, name: secret })));
    return found.includes(undefined);
  };
  if (!(await missing())) return;
  await writeStatus(kube, pod, { phase: 'Pending', state: { waiting: { reason: 'ContainerCreating' } } });
  await until(`the Secrets of ${podName}`, async () => work.stopped || !(await missing()), 600_000);
}

interface Described {
  code: number;
  output: string;
}

function describe(given: readonly string[]): Promise<Described> {
  return new Promise((done) =>
    execFile(process.execPath, [RUNTIME, ...given], { maxBuffer: 16 << 20 }, (error, stdout, stderr) =>
      done({ code: error ? Number(error.code) || 1 : 0, output: stdout + stderr }),
    ),
  );
}

/** Runs containers that describe a connector; `fate.describesOnce` says which are run once. */
function openDescriptions({ kube, fate, folder, logs }: NodeWork): (pod: Pod) => Promise<void> {
  const described = new Map<string, Promise<Described>>();
  return async (pod) => {
    const { namespace, name: podName } = pod.metadata;
    const { image, args } = containerOf(pod);
    const config = await kube.get<ConfigMap>(KINDS.configMap, { namespace, name: podName });
    const file = join(folder, `${podName}.json`);
    const text = config?.data?.['config.json'] ?? '{}';
    await writeFile(file, text);
    const given = args.map((arg) => (arg === '/etc/aip/config/config.json' ? file : arg));
    const source = JSON.stringify([image, args, text]);
    const asked = (fate.describesOnce ? described.get(source) : undefined) ?? describe(given);
    described.set(source, asked);
    const { code, output } = await asked;
    logs.set(`${namespace}/${podName}`, output);
    const terminated = { exitCode: code, reason: code === 0 ? 'Completed' : 'Error' };
    await writeStatus(kube, pod, { phase: code === 0 ? 'Succeeded' : 'Failed', state: { terminated } });
  };
}

/** Begins the container of a Pod; `pulledAgain` is called for one whose image cannot be pulled yet. */
function openContainers(work: NodeWork, pulledAgain: (pod: Pod) => void): (pod: Pod) => Promise<void> {
  const { kube, fate, unpullable } = work;
  const describePod = openDescriptions(work);
  return async (pod) => {
    const { image, args } = containerOf(pod);
    if (unpullable.has(image)) {
      pulledAgain(pod);
      const waiting = { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` };
      return writeStatus(kube, pod, { phase: 'Pending', state: { waiting } });
    }
    if (args[0] === 'describe') return describePod(pod);
    await mountSecrets(work, pod);
    const running = { startedAt: new Date().toISOString() };
    await writeStatus(kube, pod, { phase: 'Running', state: { running }, ready: true });
    await fate.started(pod);
  };
}

async function endPod({ kube, fate }: NodeWork, pod: Pod): Promise<void> {
  if (containerOf(pod).args[0] === 'host') await fate.stopped(pod);
  await kube.delete(KINDS.pod, pod.metadata, { uid: pod.metadata.uid, graceSeconds: 0 });
}

async function bindPod(kube: Kube, pod: Pod, node: string): Promise<void> {
  const { name, namespace } = pod.metadata;
  const target = { kind: 'Node', name: node };
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace }, target };
  await kube.create({ ...KINDS.pod, kind: 'Binding', plural: `pods/${name}/binding` }, binding as never);
}

/** Binds, begins and ends Pods as they ask for it; what fails, while the API server is away perhaps, is checked again. */
function followPods(work: NodeWork, name: string): Informer<Pod> {
  const handled = new Map<string, 'bound' | 'started' | 'ended'>();
  const begin = openContainers(work, (pod) => handled.delete(key(pod)));
  const log = openLogger({ component: 'fake-node', level: 'silent' });
  const pods = startInformer<Pod>({ kube: work.kube, kind: KINDS.pod, namespaces: 'all', log });
  const see = (pod: Pod): void => {
    const id = key(pod);
    const once = (step: 'bound' | 'started' | 'ended', run: () => Promise<unknown>): void => {
      if (handled.get(id) === step) return;
      handled.set(id, step);
      const running = run();
      // A Pod whose image cannot be pulled is to be seen again by then.
      const left = handled.get(id);
      running.catch(async (error: unknown) => {
        work.problems.push(String(error));
        await pause(AGAIN_MS);
        if (handled.get(id) !== left) return;
        handled.delete(id);
        const now = pods.list().find((each) => key(each) === id);
        if (now && !work.stopped) see(now);
      });
    };
    if (pod.metadata.deletionTimestamp) once('ended', () => endPod(work, pod));
    else if (pod.spec?.nodeName === undefined) once('bound', () => bindPod(work.kube, pod, name));
    else once('started', () => begin(pod));
  };
  pods.onChange((_, __, pod) => {
    if (pod) see(pod);
  });
  return pods;
}
