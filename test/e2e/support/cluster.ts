import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { findCluster, startCluster } from '../../../tools/kube-cluster/cluster.ts';
import { run } from '../../../tools/kube-cluster/command.ts';
import { buildGreeter, buildImages, type Images } from '../../../tools/kube-cluster/images.ts';
import { ensureTools } from '../../../tools/kube-cluster/tools.ts';
import { ClusterUnavailable, clusterRequired } from '../../../tools/kube-cluster/unavailable.ts';

const GIVEN_IMAGES = ['CONTROLLER', 'RUNTIME', 'GREETER', 'POSTGRES'].map((name) => `AIP_E2E_${name}_IMAGE`);
const ROOT = resolve(import.meta.dirname, '../../..');

/** A cluster to install into, the project's images where it can pull them, and a kubectl for it. */
export interface E2eCluster {
  readonly kubeconfig: string;
  readonly kubectlPath: string;
  /** `greeter` is the connector of docs/examples. */
  readonly images: Images & { readonly greeter: string };
  /** Whether its Pods and the Kubernetes programs are processes of this machine, so that a test can kill one. */
  readonly isLocal: boolean;
}

/** A cluster for the time of a run. */
interface TakenCluster {
  readonly cluster: E2eCluster;
  stop(): Promise<void>;
}

/**
 * The cluster named by AIP_E2E_KUBECONFIG with the images in AIP_E2E_CONTROLLER_IMAGE, AIP_E2E_RUNTIME_IMAGE, AIP_E2E_GREETER_IMAGE (of
 * docs/examples) and AIP_E2E_POSTGRES_IMAGE, by digest; else the one that `npm run cluster -- up` left running; else kind where Docker runs; else a cluster of one node for the time.
 * Undefined, with the reason printed, where none can be had; that is an error with CI=true or AIP_REQUIRE_CLUSTER=1.
 */
export async function e2eCluster(): Promise<TakenCluster | undefined> {
  try {
    return (await given()) ?? (hasDocker() ? await kind() : await oneNode());
  } catch (error) {
    if (!(error instanceof ClusterUnavailable) || clusterRequired()) throw error;
    process.stderr.write(`Skipping the end-to-end suite: ${error.message}\n`);
    return undefined;
  }
}

async function given(): Promise<TakenCluster | undefined> {
  const { AIP_E2E_KUBECONFIG: kubeconfig, AIP_E2E_CONTROLLER_IMAGE: controller } = process.env;
  const { AIP_E2E_RUNTIME_IMAGE: runtime, AIP_E2E_POSTGRES_IMAGE: postgres } = process.env;
  const { AIP_E2E_GREETER_IMAGE: greeter } = process.env;
  if (!kubeconfig) return undefined;
  if (!controller || !runtime || !greeter || !postgres)
    throw new Error(`AIP_E2E_KUBECONFIG needs ${GIVEN_IMAGES.join(', ')}`);
  const { kubectl } = await ensureTools(['kubectl'], { own: true });
  return {
    cluster: { kubeconfig, kubectlPath: kubectl, images: { controller, runtime, greeter, postgres }, isLocal: false },
    stop: async () => undefined,
  };
}

async function oneNode(): Promise<TakenCluster> {
  const running = await findCluster();
  const cluster = running ?? (await startCluster());
  const stop = running ? async () => undefined : () => cluster.stop();
  try {
    const images = { ...(await buildImages({ repoRoot: ROOT })), greeter: await buildGreeter({ repoRoot: ROOT }) };
    return {
      cluster: { kubeconfig: cluster.kubeconfig, kubectlPath: cluster.kubectlPath, images, isLocal: true },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function hasDocker(): boolean {
  return spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;
}

/** A kind cluster of its own, the images loaded into its nodes. */
async function kind(): Promise<TakenCluster> {
  const name = 'aip-e2e';
  const { kubectl } = await ensureTools(['kubectl']);
  await run('kind', ['create', 'cluster', '--name', name, '--config', resolve(ROOT, 'kind-config.yaml')]);
  const kubeconfig = resolve(ROOT, 'test-results', 'kind.kubeconfig');
  await run('kind', ['export', 'kubeconfig', '--name', name, '--kubeconfig', kubeconfig]);
  const load = async (name: string, how = ['--target', name], context = '.'): Promise<string> => {
    const image = `aip/${name}:e2e`;
    await run('docker', ['build', ...how, '--tag', image, resolve(ROOT, context)]);
    await run('kind', ['load', 'docker-image', '--name', name, image]);
    return image;
  };
  return {
    cluster: {
      kubeconfig,
      kubectlPath: kubectl,
      images: {
        controller: await load('controller'),
        runtime: await load('runtime'),
        greeter: await load('greeter', ['--build-arg', 'AIP_RUNTIME=aip/runtime:e2e'], 'docs/examples'),
        postgres: 'docker.io/library/postgres:18',
      },
      isLocal: false,
    },
    stop: async () => {
      await run('kind', ['delete', 'cluster', '--name', name]);
    },
  };
}
