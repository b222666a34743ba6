import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { findCluster, startCluster } from '../../cluster/cluster.ts';
import { run } from '../../cluster/command.ts';
import { buildImages, type Images } from '../../cluster/images.ts';
import { ensureTools } from '../../cluster/tools.ts';
import { ClusterUnavailable, clusterRequired } from '../../cluster/unavailable.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** A cluster to install into, the project's images where it can pull them, and kubectl for it. */
export interface E2eCluster {
  readonly kubeconfig: string;
  readonly images: Images;
  /** Whether its Pods are processes of this machine, so that a test can kill one. */
  readonly isLocal: boolean;
  kubectl(args: readonly string[], input?: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * The cluster named by AIP_E2E_KUBECONFIG with the images in AIP_E2E_CONTROLLER_IMAGE, AIP_E2E_RUNTIME_IMAGE and AIP_E2E_POSTGRES_IMAGE (by
 * digest); else the one that `npm run cluster -- up` left running; else kind where Docker runs; else a cluster of one node for the time.
 * Undefined, with the reason printed, where none can be had; that is an error with CI=true or AIP_REQUIRE_CLUSTER=1.
 */
export async function e2eCluster(): Promise<E2eCluster | undefined> {
  try {
    return (await given()) ?? (hasDocker() ? await kind() : await oneNode());
  } catch (error) {
    if (!(error instanceof ClusterUnavailable) || clusterRequired()) throw error;
    process.stderr.write(`Skipping the end-to-end suite: ${error.message}\n`);
    return undefined;
  }
}

async function given(): Promise<E2eCluster | undefined> {
  const { AIP_E2E_KUBECONFIG: kubeconfig, AIP_E2E_CONTROLLER_IMAGE: controller } = process.env;
  const { AIP_E2E_RUNTIME_IMAGE: runtime, AIP_E2E_POSTGRES_IMAGE: postgres } = process.env;
  if (!kubeconfig) return undefined;
  if (!controller || !runtime || !postgres)
    throw new Error(
      'AIP_E2E_KUBECONFIG needs AIP_E2E_CONTROLLER_IMAGE, AIP_E2E_RUNTIME_IMAGE and AIP_E2E_POSTGRES_IMAGE',
    );
  return {
    kubeconfig,
    images: { controller, runtime, postgres },
    isLocal: false,
    kubectl: (args, input) =>
      run('kubectl', ['--kubeconfig', kubeconfig, ...args], input === undefined ? {} : { input }),
    stop: async () => undefined,
  };
}

async function oneNode(): Promise<E2eCluster> {
  const running = await findCluster();
  const cluster = running ?? (await startCluster());
  const images = await buildImages({ repoRoot: ROOT });
  return {
    kubeconfig: cluster.kubeconfig,
    images,
    isLocal: true,
    kubectl: (args, input) => cluster.kubectl(args, input),
    stop: running ? async () => undefined : () => cluster.stop(),
  };
}

function hasDocker(): boolean {
  return spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;
}

/** A kind cluster of its own with a registry beside it, so that images have digests. */
async function kind(): Promise<E2eCluster> {
  const name = 'aip-e2e';
  const { kubectl } = await ensureTools(['kubectl']);
  await run('kind', ['create', 'cluster', '--name', name, '--config', resolve(ROOT, 'kind-config.yaml')]);
  const kubeconfig = resolve(ROOT, 'test-results', 'kind.kubeconfig');
  await run('kind', ['export', 'kubeconfig', '--name', name, '--kubeconfig', kubeconfig]);
  const load = async (target: string): Promise<string> => {
    const image = `aip/${target}:e2e`;
    await run('docker', ['build', '--target', target, '--tag', image, ROOT]);
    await run('kind', ['load', 'docker-image', '--name', name, image]);
    return image;
  };
  return {
    kubeconfig,
    images: {
      controller: await load('controller'),
      runtime: await load('runtime'),
      postgres: 'docker.io/library/postgres:18',
    },
    isLocal: false,
    kubectl: (args, input) => run(kubectl, ['--kubeconfig', kubeconfig, ...args], input === undefined ? {} : { input }),
    stop: async () => {
      await run('kind', ['delete', 'cluster', '--name', name]);
    },
  };
}
