import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REGISTRY } from './images/registry.ts';
import { readSysctls } from './node/network.ts';
import { run } from './process/command.ts';
import { takeLock, withLock } from './process/lock.ts';
import { identify, isAlive, type ProcessIdentity } from './process/processes.ts';
import type { Running } from './process/program.ts';
import { type ClusterRecord, readRecord, writeRecord } from './process/record.ts';
import { ensurePackages, NODE_PACKAGES } from './programs/debian.ts';
import { cacheFolder } from './programs/folders.ts';
import { ensureTools, type ToolOptions } from './programs/tools.ts';
import { NODE_PROGRAMS } from './programs/versions.ts';
import { startPrograms } from './start-programs.ts';
import { tearDown } from './teardown.ts';
import { ClusterUnavailable } from './unavailable.ts';

export interface ClusterOptions extends ToolOptions {
  /** Folder of all that the cluster writes; its `log` is kept by `stop`. Default: one under the temporary folder, which `stop` removes. */
  readonly folder?: string;
  /** true: the cluster continues when this process ends, until `stopCluster`. Default false: the next start takes it away. */
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
  /** Ends the cluster and leaves nothing of it; `inspect` is called then, before another process may start one. */
  stop(inspect?: () => Promise<void>): Promise<void>;
}

/** A cluster runs on this machine already, and it is not for us to end; there can be one at a time. */
export class ClusterBusy extends Error {
  /** It ends with this process; undefined when it is to stay until somebody ends it. */
  readonly owner: number | undefined;

  constructor({ owner, folder }: ClusterRecord) {
    const whose = owner ? `it belongs to process ${owner.pid}` : 'end it with: npm run cluster -- down';
    super(`a cluster runs on this machine already, in ${folder}; ${whose}`);
    this.name = 'ClusterBusy';
    this.owner = owner?.pid;
  }
}

/** Held while a cluster is started or ended, and for as long as it belongs to a process. */
const LOCK = '/run/lock/aip-fleet-cluster';

/**
 * Starts a cluster of one node, without Docker: the real Kubernetes programs as processes of this machine, as root. Returns when its node is Ready
 * (about 7 s). Waits for the end of a cluster that belongs to another process; what a dead process left behind is taken away first.
 * Throws ClusterUnavailable, ClusterBusy (a cluster was left running), ProgramFailed.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  if (process.getuid?.() !== 0) throw new ClusterUnavailable('a node runs as root alone');
  const log = options.log ?? ((line: string) => process.stderr.write(`${line}\n`));
  await ensurePackages(NODE_PACKAGES, log);
  const tools = await ensureTools(NODE_PROGRAMS, options);
  const release = await takeLock(LOCK);
  try {
    const left = await readRecord();
    if (left && !left.owner && (await isWhole(left))) throw new ClusterBusy(left);
    if (left) await tearDown(left, tools);
    const record = await start(options, tools);
    if (options.outlives) await release();
    let stopped: Promise<void> | undefined;
    const stop = async (inspect: () => Promise<void>): Promise<void> => {
      if (options.outlives) {
        await stopCluster(options);
        return inspect();
      }
      try {
        // A program that was killed and started again is in the written record.
        await tearDown((await readRecord()) ?? record, tools);
        await inspect();
      } finally {
        await release();
      }
    };
    return { ...clusterOf(record.folder, tools), stop: (inspect = async () => {}) => (stopped ??= stop(inspect)) };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Ends the cluster that was left running on this machine; false when there is none. Throws ClusterBusy when it belongs to a live process. */
export async function stopCluster(options: ToolOptions = {}): Promise<boolean> {
  const busy = await readRecord();
  if (busy?.owner && (await isAlive(busy.owner))) throw new ClusterBusy(busy);
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
  if (!record || record.owner || !(await isWhole(record))) return undefined;
  const tools = await ensureTools(NODE_PROGRAMS, options);
  return { ...clusterOf(record.folder, tools), stop: () => stopCluster(options).then(() => undefined) };
}

type Tools = Readonly<Record<(typeof NODE_PROGRAMS)[number], string>>;

/** Was it started to the end, and do all its programs live? */
async function isWhole({ starting, programs }: ClusterRecord): Promise<boolean> {
  return !starting && (await Promise.all(programs.map(isAlive))).every(Boolean);
}

async function start(options: ClusterOptions, tools: Tools): Promise<ClusterRecord> {
  const record: ClusterRecord = {
    folder: options.folder ?? (await mkdtemp(join(tmpdir(), 'aip-cluster-'))),
    removeFolder: !options.folder,
    owner: options.outlives ? null : ((await identify(process.pid)) as ProcessIdentity),
    programs: [],
    sysctls: await readSysctls(),
  };
  await writeRecord({ ...record, starting: true });
  const programs: ClusterRecord['programs'][number][] = [];
  const onRecord = async (running: Running): Promise<void> => {
    const identity = await identify(running.pid);
    if (identity) programs.push({ name: running.name, ...identity });
    await writeRecord({ ...record, programs, starting: true });
  };
  try {
    await startPrograms(record.folder, options.cache ?? cacheFolder(), tools, onRecord);
  } catch (error) {
    await tearDown({ ...record, programs }, tools);
    throw error;
  }
  const complete = { ...record, programs };
  await writeRecord(complete);
  return complete;
}

function clusterOf(folder: string, tools: Tools): Omit<Cluster, 'stop'> {
  const file = join(folder, 'admin.kubeconfig');
  return {
    kubeconfig: file,
    folder,
    registry: REGISTRY,
    kubectlPath: tools.kubectl,
    kubectl: (args, input) => run(tools.kubectl, ['--kubeconfig', file, ...args], input === undefined ? {} : { input }),
  };
}
