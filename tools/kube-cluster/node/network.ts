import { readFile, writeFile } from 'node:fs/promises';
import { NODE_ADDRESS, POD_RANGE } from '../control-plane/addresses.ts';
import { run } from '../process/command.ts';

/** The bridge that all Pods hang on; it has the node's address. */
const BRIDGE = 'cni0';

/** Name that the network plugins keep their records under. */
export const NETWORK_NAME = 'aip-fleet';

/** Kernel settings of a node. kubelet and kube-proxy change the others listed: all are put back when the cluster ends. */
const SYSCTLS: Readonly<Record<string, string | undefined>> = {
  '/proc/sys/net/ipv4/ip_forward': '1',
  '/proc/sys/net/bridge/bridge-nf-call-iptables': '1',
  '/proc/sys/net/ipv4/conf/all/route_localnet': undefined,
  '/proc/sys/net/netfilter/nf_conntrack_max': undefined,
  '/proc/sys/vm/overcommit_memory': undefined,
  '/proc/sys/vm/panic_on_oom': undefined,
  '/proc/sys/kernel/panic': undefined,
  '/proc/sys/kernel/panic_on_oops': undefined,
  '/proc/sys/kernel/keys/root_maxkeys': undefined,
  '/proc/sys/kernel/keys/root_maxbytes': undefined,
};

/** The settings as they are, by file; those this kernel doesn't have are left out. */
export async function readSysctls(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const file of Object.keys(SYSCTLS)) {
    const value = await readFile(file, 'utf8').catch(() => undefined);
    if (value !== undefined) found[file] = value.trim();
  }
  return found;
}

/** Sets what a node needs. */
export async function setSysctls(): Promise<void> {
  for (const [file, value] of Object.entries(SYSCTLS)) if (value) await writeFile(file, value);
}

/** Puts settings back that have changed. */
export async function restoreSysctls(before: Readonly<Record<string, string>>): Promise<void> {
  const now = await readSysctls();
  for (const [file, value] of Object.entries(before)) if (now[file] !== value) await writeFile(file, value);
}

/** Makes the bridge. */
export async function createBridge(): Promise<void> {
  await run('ip', ['link', 'add', BRIDGE, 'type', 'bridge']);
  await run('ip', ['address', 'add', `${NODE_ADDRESS}/16`, 'dev', BRIDGE]);
  await run('ip', ['link', 'set', BRIDGE, 'up']);
}

/** Removes the Pods' ends of the bridge that are left, and the bridge; the ends of a Pod that is just ending disappear on their own meanwhile. */
export async function removeBridge(): Promise<void> {
  for (let links = await bridgeLinks(); links.length > 0; links = await bridgeLinks()) {
    const [first] = links as [string];
    await run('ip', ['link', 'delete', first]).catch(async (error: unknown) => {
      if ((await bridgeLinks()).includes(first)) throw error;
    });
  }
}

/** The bridge comes last: without it nothing distinguishes its ends from other links. */
async function bridgeLinks(): Promise<string[]> {
  const links = JSON.parse(await run('ip', ['-json', 'link', 'show'])) as { ifname: string; master?: string }[];
  const names = (is: (link: (typeof links)[number]) => boolean): string[] =>
    links.filter(is).map(({ ifname }) => ifname);
  return [...names(({ master }) => master === BRIDGE), ...names(({ ifname }) => ifname === BRIDGE)];
}

/** How a Pod gets its network: an address of the range on the bridge, and host ports where it requests them. No way out of the machine. */
export function networkConfig(runFolder: string): string {
  return JSON.stringify({
    cniVersion: '1.0.0',
    name: NETWORK_NAME,
    plugins: [
      {
        type: 'bridge',
        bridge: BRIDGE,
        isGateway: true,
        hairpinMode: true,
        ipMasq: false,
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet: POD_RANGE, gateway: NODE_ADDRESS }]],
          routes: [{ dst: '0.0.0.0/0' }],
          dataDir: `${runFolder}/addresses`,
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  });
}
