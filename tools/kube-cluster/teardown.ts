import { existsSync } from 'node:fs';
import { readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTAINERD_SOCKET } from './node/containerd.ts';
import { removeBridge, restoreSysctls } from './node/network.ts';
import { cleanPacketFilter } from './node/packet-filter.ts';
import { run } from './process/command.ts';
import { endProcess, isAlive, processesWith } from './process/processes.ts';
import { type ClusterRecord, RUN_FOLDER, removeRecord } from './process/record.ts';
import { removeFiles } from './remove-files.ts';

/** Programs that the end of a cluster needs. */
export interface TeardownTools {
  readonly kubectl: string;
  readonly ctr: string;
  readonly 'kube-proxy': string;
}

const GRACE_MS = 5_000;
const PODS_MS = 20_000;

/**
 * Ends the cluster of a record, however much of it is left, and leaves nothing: no process, mount, network namespace, interface, packet filter chain,
 * control group, kernel setting or file. Only processes of the record and what they started are touched.
 */
export async function tearDown(record: ClusterRecord, tools: TeardownTools): Promise<void> {
  const end = async (...names: string[]): Promise<void> => {
    await Promise.all(
      record.programs.filter(({ name }) => names.includes(name)).map((program) => endProcess(program, GRACE_MS)),
    );
  };
  await end('kube-scheduler', 'kube-controller-manager');
  await endPods(record, tools);
  await end('kubelet', 'kube-proxy');
  await endContainers();
  await end('containerd');
  await end('coredns', 'registry', 'kube-apiserver');
  await end('etcd');
  await run(tools['kube-proxy'], ['--cleanup']).catch(() => undefined);
  await unmountBelow([record.folder, RUN_FOLDER]);
  await removeBridge();
  await cleanPacketFilter();
  await removeControlGroups();
  await restoreSysctls(record.sysctls);
  await removeFiles(record);
  await removeRecord();
}

/** The orderly end of all Pods, while there is an API server and a kubelet; what it does not reach is ended by force afterwards. */
async function endPods({ folder, programs }: ClusterRecord, tools: TeardownTools): Promise<void> {
  const needed = programs.filter(({ name }) => ['etcd', 'kube-apiserver', 'kubelet', 'containerd'].includes(name));
  const alive = await Promise.all(needed.map(isAlive));
  if (needed.length < 4 || alive.includes(false)) return;
  const kubeconfig = join(folder, 'admin.kubeconfig');
  const signal = AbortSignal.timeout(PODS_MS);
  const all = ['delete', 'pods', '--all', '--all-namespaces', '--grace-period=1', '--ignore-not-found'];
  await run(tools.kubectl, ['--kubeconfig', kubeconfig, ...all], { signal }).catch(() => undefined);
}

/** Ends what still runs under the container runtime: every process that has our runtime's socket among its arguments, and all below it. */
async function endContainers(): Promise<void> {
  const shims = (await processesWith(CONTAINERD_SOCKET)).filter(({ pid }) => pid !== process.pid);
  await Promise.all(shims.map((shim) => endProcess(shim, 0)));
}

/** Unmounts everything below the folders, what was mounted last first. */
async function unmountBelow(folders: readonly string[]): Promise<void> {
  const mounts = mountPoints(await readFile('/proc/self/mountinfo', 'utf8'));
  const ours = mounts.filter((point) => folders.some((folder) => point.startsWith(`${folder}/`)));
  for (const point of ours.reverse()) await run('umount', ['--lazy', point]);
}

/** The mount points of a mountinfo text, in the order they were made. */
export function mountPoints(mountinfo: string): string[] {
  return mountinfo
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? [])
    .map((point) =>
      point.replaceAll(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    );
}

/** Removes the control groups of Pods, in each hierarchy, leaves first. */
async function removeControlGroups(): Promise<void> {
  const root = '/sys/fs/cgroup';
  const hierarchies = [root, ...(await readdir(root)).map((name) => join(root, name))];
  for (const hierarchy of hierarchies) {
    const group = join(hierarchy, 'kubepods');
    if (existsSync(group)) await removeGroup(group);
  }
}

async function removeGroup(group: string): Promise<void> {
  const entries = await readdir(group, { withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await removeGroup(join(group, entry.name));
  await rmdir(group);
}
