import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PAUSE_IMAGE } from '../images/pause-image.ts';
import { REGISTRY } from '../images/registry.ts';
import { RUN_FOLDER } from '../process/record.ts';
import { networkConfig } from './network.ts';

/** The socket of the container runtime. */
export const CONTAINERD_SOCKET = `${RUN_FOLDER}/containerd.sock`;

/**
 * Configuration of containerd, all its files in our folders. restrict_oom_score_adj: without the right to lower it (CAP_SYS_RESOURCE) no container
 * would start.
 */
export function containerdConfig(folder: string): string {
  return `version = 4
root = '${folder}/containerd'
state = '${RUN_FOLDER}/containerd'
imports = []
[plugins.'io.containerd.server.v1.grpc']
address = '${CONTAINERD_SOCKET}'
[plugins.'io.containerd.server.v1.ttrpc']
address = '${CONTAINERD_SOCKET}.ttrpc'
[plugins.'io.containerd.internal.v1.opt']
path = '${folder}/containerd-opt'
[plugins.'io.containerd.nri.v1.nri']
disable = true
[plugins.'io.containerd.cri.v1.images']
snapshotter = 'overlayfs'
[plugins.'io.containerd.cri.v1.images'.registry]
config_path = '${folder}/registries'
[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = '${PAUSE_IMAGE}'
[plugins.'io.containerd.cri.v1.runtime']
restrict_oom_score_adj = true
netns_mounts_under_state_dir = true
[plugins.'io.containerd.cri.v1.runtime'.cni]
bin_dirs = ['/usr/lib/cni']
conf_dir = '${folder}/network'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
runtime_type = 'io.containerd.runc.v2'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
BinaryName = '/usr/sbin/runc'
Root = '${RUN_FOLDER}/runc'
SystemdCgroup = false
`;
}

/** Names of docker.io are pulled from the machine's own registry, as by a mirror: the node reaches no other. */
const MIRRORED = [REGISTRY, 'docker.io'];

/** Writes the runtime's configuration and the Pod network's. */
export async function writeContainerdConfig(folder: string): Promise<void> {
  await mkdir(join(folder, 'network'), { recursive: true });
  await writeFile(join(folder, 'network', '10-aip-fleet.conflist'), networkConfig(RUN_FOLDER));
  for (const name of MIRRORED) {
    await mkdir(join(folder, 'registries', name), { recursive: true });
    await writeFile(join(folder, 'registries', name, 'hosts.toml'), `server = "http://${REGISTRY}"\n`);
  }
  await writeFile(join(folder, 'containerd.toml'), containerdConfig(folder));
}
