import { CommandMissing, run } from '../process/command.ts';
import { withLock } from '../process/lock.ts';
import { ClusterUnavailable } from '../unavailable.ts';

/** Debian packages that a node is made of: container runtime, network plugins, packet filter, connection tracking, image registry. */
export const NODE_PACKAGES = [
  'runc',
  'containernetworking-plugins',
  'iptables',
  'conntrack',
  'docker-registry',
] as const;

/** Debian packages that images are made with. */
export const IMAGE_PACKAGES = ['buildah', 'mmdebstrap', 'docker-registry'] as const;

/**
 * Installs Debian packages that are missing. Throws ClusterUnavailable, with the command to run, when this is not root, and when they can't be had.
 */
export async function ensurePackages(names: readonly string[], log: (line: string) => void): Promise<void> {
  if ((await missingPackages(names)).length === 0) return;
  await withLock('/run/lock/aip-fleet-packages', async () => {
    const missing = await missingPackages(names);
    if (missing.length === 0) return;
    const command = `apt-get install ${missing.join(' ')}`;
    if (process.getuid?.() !== 0) throw new ClusterUnavailable(`Debian packages are missing; run: sudo ${command}`);
    log(`installing ${missing.join(' ')}`);
    try {
      const env = { DEBIAN_FRONTEND: 'noninteractive' };
      const options = ['--quiet', '--yes', '--option=DPkg::Lock::Timeout=300'];
      await run('apt-get', ['update', ...options], { env });
      await run('apt-get', ['install', '--no-install-recommends', ...options, ...missing], { env });
    } catch (error) {
      throw new ClusterUnavailable(`can't install Debian packages: ${(error as Error).message}`, { cause: error });
    }
  });
}

async function missingPackages(names: readonly string[]): Promise<string[]> {
  try {
    const format = `--showformat=\${Package} \${db:Status-Status}\n`;
    const known = (await run('dpkg-query', ['--show', format])).split('\n');
    return names.filter((name) => !known.includes(`${name} installed`));
  } catch (error) {
    throw error instanceof CommandMissing ? new ClusterUnavailable('a node needs Debian or its like') : error;
  }
}
