import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { KINDS } from '#controller/api/kinds.js';
import type { Pod } from '#controller/cluster/objects/host-pod.js';
import { startInformer } from '#controller/kube/cache/informer.js';
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

/** Starts the node and registers it. */
export async function startFakeNode(kube: Kube, fate: HostFate, name = 'fake'): Promise<FakeNode> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-fake-node-'));
  const logs = new Map<string, string>();
  const unpullable = new Set<string>();
  const handled = new Map<string, 'bound' | 'started' | 'ended'>();
  const ca = await createCa({ now: Date.now() });
  const leaf = await issueLeaf(ca, { dnsNames: [name], ipAddresses: ['127.0.0.1'], now: Date.now() });
  const server = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (request, response) => {
    const [, , namespace, pod] = new URL(request.url as string, 'https://node').pathname.split('/');
    response.end(logs.get(`${namespace}/${pod}`) ?? '');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await kube.create(NODE, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    conditions: [{ type: 'Ready', status: 'True', reason: 'Fake', message: 'always' }],
  };
  await kube.apply(NODE, { apiVersion: 'v1', kind: 'Node', metadata: { name }, status } as KubeObject, {
    status: true,
  });

  const lease = { namespace: 'kube-node-lease', name };
  const { apiVersion, kind } = KINDS.lease;
  const beat = async (): Promise<void> => {
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTime(Date.now()) };
    await kube.apply(KINDS.lease, { apiVersion, kind, metadata: lease, spec } as KubeObject).catch(() => undefined);
  };
  await beat();
  const beating = setInterval(() => void beat(), HEARTBEAT_MS);

  const tell = async (pod: Pod, podStatus: Pod['status']): Promise<void> => {
    const { metadata } = pod;
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: metadata.name, namespace: metadata.namespace } };
    await kube.apply(KINDS.pod, { ...object, status: podStatus } as Pod, { status: true });
  };
  const container = (pod: Pod): Container => {
    const [first] = (pod.spec?.containers ?? []) as Container[];
    return first as Container;
  };

  const described = new Map<string, Promise<{ code: number; output: string }>>();
  const describe = (given: readonly string[]): Promise<{ code: number; output: string }> =>
    new Promise((done) =>
      execFile(process.execPath, [RUNTIME, ...given], { maxBuffer: 16 << 20 }, (error, stdout, stderr) =>
        done({ code: error ? Number(error.code) || 1 : 0, output: stdout + stderr }),
      ),
    );
  /** Waits for the user's Secrets that a Pod mounts, as a kubelet does; meanwhile its container is not made. */
  const volumes = async (pod: Pod): Promise<void> => {
    const { namespace, name: podName } = pod.metadata;
    const wanted = ((pod.spec?.volumes ?? []) as Volume[])
      .flatMap(({ projected }) => projected?.sources ?? [])
      .flatMap(({ secret }) => secret?.name ?? []);
    const missing = async (): Promise<boolean> => {
      const found = await Promise.all(wanted.map((secret) => kube.get(KINDS.secret, { namespace, name: secret })));
      return found.includes(undefined);
    };
    if (!(await missing())) return;
    const { name: containerName, image } = container(pod);
    const waiting = { reason: 'ContainerCreating' };
    const making = { name: containerName, ready: false, restartCount: 0, image, imageID: '', state: { waiting } };
    await tell(pod, { phase: 'Pending', containerStatuses: [making] });
    await until(`the Secrets of ${podName}`, async () => stopped || !(await missing()), 600_000);
  };
  const begin = async (pod: Pod): Promise<void> => {
    const { namespace, name: podName } = pod.metadata;
    const { name: containerName, image, args } = container(pod);
    if (unpullable.has(image)) {
      handled.delete(key(pod));
      const waiting = { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` };
      const stuck = { name: containerName, ready: false, restartCount: 0, image, imageID: '', state: { waiting } };
      return tell(pod, { phase: 'Pending', containerStatuses: [stuck] });
    }
    if (args[0] === 'describe') {
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
      const ended = { terminated: { exitCode: code, reason: code === 0 ? 'Completed' : 'Error' } };
      return tell(pod, {
        phase: code === 0 ? 'Succeeded' : 'Failed',
        containerStatuses: [
          { name: containerName, ready: false, restartCount: 0, image, imageID: '', state: ended } as never,
        ],
      });
    }
    await volumes(pod);
    const running = { running: { startedAt: new Date().toISOString() } };
    await tell(pod, {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [
        { name: containerName, ready: true, restartCount: 0, image, imageID: '', state: running } as never,
      ],
    });
    await fate.started(pod);
  };
  const end = async (pod: Pod): Promise<void> => {
    if (container(pod).args[0] === 'host') await fate.stopped(pod);
    await kube.delete(KINDS.pod, pod.metadata, { uid: pod.metadata.uid, graceSeconds: 0 });
  };
  const key = (pod: Pod): string => pod.metadata.uid as string;
  const log = openLogger({ component: 'fake-node', level: 'silent' });
  const problems: string[] = [];
  let stopped = false;
  const pods = startInformer<Pod>({ kube, kind: KINDS.pod, namespaces: 'all', log });
  /** Does what the Pod as it is now asks for; what fails, while the API server is away perhaps, is checked again. */
  const see = (pod: Pod): void => {
    const id = key(pod);
    const attempt = (work: Promise<unknown>): void => {
      const what = handled.get(id);
      work.catch(async (error: unknown) => {
        problems.push(String(error));
        await pause(AGAIN_MS);
        if (handled.get(id) !== what) return;
        handled.delete(id);
        const now = pods.list().find((each) => key(each) === id);
        if (now && !stopped) see(now);
      });
    };
    if (pod.metadata.deletionTimestamp) {
      if (handled.get(id) === 'ended') return;
      handled.set(id, 'ended');
      attempt(end(pod));
    } else if (pod.spec?.nodeName === undefined) {
      if (handled.get(id) === 'bound') return;
      handled.set(id, 'bound');
      const { name: podName, namespace } = pod.metadata;
      const binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: podName, namespace },
        target: { kind: 'Node', name },
      };
      const plural = `pods/${podName}/binding`;
      attempt(kube.create({ ...KINDS.pod, kind: 'Binding', plural }, binding as never));
    } else if (handled.get(id) !== 'started') {
      handled.set(id, 'started');
      attempt(begin(pod));
    }
  };
  pods.onChange((_, __, pod) => {
    if (pod) see(pod);
  });
  await pods.synced;
  return {
    unpullable,
    problems,
    running: () =>
      pods
        .list()
        .filter((pod) => pod.status?.phase === 'Running' && !pod.metadata.deletionTimestamp)
        .map(({ metadata }) => metadata.name)
        .sort(),
    stop: async () => {
      stopped = true;
      clearInterval(beating);
      pods.stop();
      await new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      });
      await rm(folder, { recursive: true, force: true });
    },
  };
}
