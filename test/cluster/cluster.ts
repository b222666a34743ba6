import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './command.ts';
import {
  apiServerArguments,
  apiServerReady,
  type ControlPlaneSettings,
  controllerManagerArguments,
  etcdArguments,
  etcdReady,
} from './control-plane.ts';
import { ensurePackages, NODE_PACKAGES } from './debian.ts';
import { cacheFolder } from './folders.ts';
import { type Credential, kubeconfig, writeKubeconfig } from './kubeconfig.ts';
import { withLock } from './lock.ts';
import { createBridge, NODE_ADDRESS, readSysctls, setSysctls } from './network.ts';
import { type NodeContext, startNode, startRuntime } from './node.ts';
import { createPki } from './pki.ts';
import { freePorts } from './ports.ts';
import { identify, isAlive, type ProcessIdentity } from './processes.ts';
import { type Running, startProgram } from './program.ts';
import { type ClusterRecord, readRecord, writeRecord } from './record.ts';
import { REGISTRY, startRegistry } from './registry.ts';
import { tearDown } from './teardown.ts';
import { ensureTools, type ToolOptions } from './tools.ts';
import { ClusterUnavailable } from './unavailable.ts';
import { NODE_PROGRAMS } from './versions.ts';
import { createVolumeFolders, storageObjects } from './volumes.ts';

export interface ClusterOptions extends ToolOptions {
  /** Folder of all that the cluster writes; its `log` is kept by `stop`. Default: one under the temporary folder, which `stop` removes. */
  readonly folder?: string;
  /** true: the cluster goes on when this process ends, until `stopCluster`. Default false: the next start takes it away. */
  readonly outlives?: boolean;
}

/** A Kubernetes cluster of one node on this machine, and an image registry for it. */
export interface Cluster {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly folder: string;
  /** Host and port that image names begin with. */
  readonly registry: string;
  readonly kubectlPath: string;
  /** Runs kubectl as the administrator, `input` on its standard input, and returns what it prints. Throws CommandFailed. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** Ends the cluster and leaves nothing of it. */
  stop(): Promise<void>;
}

/** A cluster runs on this machine already; there can be one at a time. */
export class ClusterBusy extends Error {
  constructor({ owner, folder }: ClusterRecord) {
    const whose = owner ? `it belongs to process ${owner.pid}` : 'end it with: npm run cluster -- down';
    super(`a cluster runs on this machine already, in ${folder}; ${whose}`);
    this.name = 'ClusterBusy';
  }
}

const LOCK = '/run/lock/aip-fleet-cluster';

/**
 * Starts a cluster of one node, without Docker: the real Kubernetes programs as processes of this machine, as root. Returns when its node is Ready.
 * What a dead process left behind is taken away first. Throws ClusterUnavailable, ClusterBusy, ProgramFailed.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  if (process.getuid?.() !== 0) throw new ClusterUnavailable('a node runs as root alone');
  const log = options.log ?? ((line: string) => process.stderr.write(`${line}\n`));
  await ensurePackages(NODE_PACKAGES, log);
  const tools = await ensureTools(NODE_PROGRAMS, options);
  return withLock(LOCK, async () => {
    const left = await readRecord();
    if (left && (await isOwned(left))) throw new ClusterBusy(left);
    if (left) await tearDown(left, tools);
    return start(options, tools);
  });
}

/** Ends the cluster of this machine, whoever started it; returns false when there is none. */
export async function stopCluster(options: ToolOptions = {}): Promise<boolean> {
  const tools = await ensureTools(NODE_PROGRAMS, options);
  return withLock(LOCK, async () => {
    const record = await readRecord();
    if (record) await tearDown(record, tools);
    return record !== undefined;
  });
}

/** The cluster that was left running on this machine, or undefined. */
export async function findCluster(options: ToolOptions = {}): Promise<Cluster | undefined> {
  const record = await readRecord();
  if (!record || record.owner || !(await isOwned(record))) return undefined;
  return clusterOf(record.folder, await ensureTools(NODE_PROGRAMS, options));
}

type Tools = Readonly<Record<(typeof NODE_PROGRAMS)[number], string>>;

/** Does a live process own it, or, if it is to stay, do all its programs live? */
async function isOwned({ owner, programs }: ClusterRecord): Promise<boolean> {
  if (owner) return isAlive(owner);
  return programs.length > 0 && (await Promise.all(programs.map(isAlive))).every(Boolean);
}

async function start(options: ClusterOptions, tools: Tools): Promise<Cluster> {
  const cache = options.cache ?? cacheFolder();
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'aip-cluster-')));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const [etcdPort, etcdPeer, api] = (await freePorts(3)) as [number, number, number];
  const programs: (ProcessIdentity & { name: string })[] = [];
  const record: ClusterRecord = {
    folder,
    removeFolder: !options.folder,
    owner: options.outlives ? null : ((await identify(process.pid)) as ProcessIdentity),
    programs,
    sysctls: await readSysctls(),
  };
  await writeRecord(record);
  const onRecord = async (running: Running): Promise<Running> => {
    const identity = await identify(running.pid);
    if (identity) programs.push({ name: running.name, ...identity });
    await writeRecord(record);
    return running;
  };
  const logFolder = join(folder, 'log');
  try {
    await rm(logFolder, { recursive: true, force: true });
    await setSysctls();
    await createBridge();
    const pki = await createPki(folder, [NODE_ADDRESS]);
    const cluster = clusterOf(folder, tools);
    const context: NodeContext = {
      folder,
      cache,
      tools,
      authority: pki.authority,
      start: async (name, command, args, env) =>
        onRecord(await startProgram({ name, command, args, logFolder, outlives: true, ...(env ? { env } : {}) })),
      writeKubeconfig: (name, credential) =>
        write(folder, name, `https://127.0.0.1:${api}`, pki.authority.cert, credential),
      kubectl: cluster.kubectl,
    };
    const settings: ControlPlaneSettings = {
      folder,
      ports: { etcd: etcdPort, etcdPeer, api },
      bindAddress: '0.0.0.0',
      advertiseAddress: NODE_ADDRESS,
    };
    await context.writeKubeconfig('admin', pki.admin);
    await etcdReady(await context.start('etcd', tools.etcd, etcdArguments(settings)), settings.ports);
    const server = await context.start('kube-apiserver', tools['kube-apiserver'], apiServerArguments(settings));
    await startRuntime(context);
    await onRecord(await startRegistry(cache, logFolder, true));
    await apiServerReady(server, settings.ports, pki.authority, pki.admin);
    await context.writeKubeconfig(
      'kube-controller-manager',
      await pki.authority.client('system:kube-controller-manager'),
    );
    await context.start(
      'kube-controller-manager',
      tools['kube-controller-manager'],
      controllerManagerArguments(settings),
    );
    await startNode(context);
    await createVolumeFolders(folder);
    await cluster.kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(storageObjects(folder)));
    return cluster;
  } catch (error) {
    await tearDown(record, tools);
    throw error;
  }
}

function write(folder: string, name: string, url: string, authority: string, credential: Credential): Promise<string> {
  return writeKubeconfig(join(folder, `${name}.kubeconfig`), kubeconfig(url, authority, credential));
}

function clusterOf(folder: string, tools: Tools): Cluster {
  const file = join(folder, 'admin.kubeconfig');
  return {
    kubeconfig: file,
    folder,
    registry: REGISTRY,
    kubectlPath: tools.kubectl,
    kubectl: (args, input) => run(tools.kubectl, ['--kubeconfig', file, ...args], input === undefined ? {} : { input }),
    stop: async () => {
      await stopCluster();
    },
  };
}
