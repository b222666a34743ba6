import { readdir, readFile, readlink, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NETWORK_NAME } from './node/network.ts';
import { type ClusterRecord, RUN_FOLDER } from './process/record.ts';

const LOG_LINKS = '/var/log/containers';
const KUBELET_PLUGINS = '/var/lib/kubelet/device-plugins';
const NETWORK_RESULTS = '/var/lib/cni/results';
const SHIM_RECORDS = `${RUN_FOLDER}/containerd/io.containerd.runtime.v2.task/k8s.io`;

/** Folders that the programs make whatever their settings are; they go when nothing is in them. */
const FIXED_PLACES = [
  KUBELET_PLUGINS,
  '/var/lib/kubelet',
  LOG_LINKS,
  NETWORK_RESULTS,
  '/var/lib/cni/cache',
  '/var/lib/cni',
  '/run/containerd/s',
  '/run/containerd',
];

/** Removes the cluster's folder (or all of it but the logs) and what its programs wrote elsewhere. Everything must have ended. */
export async function removeFiles({ folder, removeFolder }: ClusterRecord): Promise<void> {
  await removeShimSockets();
  await removeNetworkResults();
  await removeLogLinks(folder);
  await rm(`${KUBELET_PLUGINS}/kubelet.sock`, { force: true });
  for (const place of FIXED_PLACES) await rmdir(place).catch(() => undefined);
  if (removeFolder) await rm(folder, { recursive: true, force: true });
  else for (const name of await namesIn(folder)) if (name !== 'log') await remove(folder, name);
}

/** The sockets of containers that were ended by force; where each lies is in its record. */
async function removeShimSockets(): Promise<void> {
  for (const id of await namesIn(SHIM_RECORDS)) {
    const text = await readFile(join(SHIM_RECORDS, id, 'bootstrap.json'), 'utf8').catch(() => '{}');
    const { address } = JSON.parse(text) as { address?: string };
    if (address?.startsWith('unix:///run/containerd/s/')) await rm(address.slice('unix://'.length), { force: true });
  }
}

/** What network plugins remember of Pods whose end was not reported to them. */
async function removeNetworkResults(): Promise<void> {
  const names = await namesIn(NETWORK_RESULTS);
  const idOf = (name: string): string => /-([0-9a-f]{64})-/.exec(name)?.[1] ?? '';
  const ours = new Set(names.filter((name) => name.startsWith(`${NETWORK_NAME}-`)).map(idOf));
  for (const name of names) if (ours.has(idOf(name))) await remove(NETWORK_RESULTS, name);
}

/** kubelet links every container's log into a folder of the machine. */
async function removeLogLinks(folder: string): Promise<void> {
  for (const name of await namesIn(LOG_LINKS)) {
    const target = await readlink(join(LOG_LINKS, name)).catch(() => '');
    if (target.startsWith(`${folder}/`)) await remove(LOG_LINKS, name);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function remove(folder: string, name: string): Promise<void> {
  await rm(join(folder, name), { recursive: true, force: true });
}
