import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { findCluster, startCluster } from '../../../../tools/kube-cluster/cluster.ts';
import { buildGreeter, buildImages, buildPostgres, type Images } from '../../../../tools/kube-cluster/images/images.ts';
import { run } from '../../../../tools/kube-cluster/process/command.ts';
import { ensureTools } from '../../../../tools/kube-cluster/programs/tools.ts';
import { ClusterUnavailable, clusterRequired } from '../../../../tools/kube-cluster/unavailable.ts';
import { POSTGRES_RELEASES, postgresPrograms } from '../../../support/postgres/postgres-releases.ts';

const GIVEN_IMAGES = ['CONTROLLER', 'RUNTIME', 'GREETER', 'POSTGRES'].map((name) => `AIP_E2E_${name}_IMAGE`);
const ROOT = resolve(import.meta.dirname, '../../../..');

/** A release of PostgreSQL that the fleet supports. */
export type PostgresRelease = keyof typeof POSTGRES_RELEASES;

/** A cluster to install into, the project's images where it can pull them, and a kubectl for it. */
export interface E2eCluster {
  readonly kubeconfig: string;
  readonly kubectlPath: string;
  /** `greeter` is the connector of docs/examples. */
  readonly images: Images & { readonly greeter: string };
  /** Images of PostgreSQL by release; one that is not named cannot be pulled. */
  readonly databases: Readonly<Partial<Record<PostgresRelease, string>>>;
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
 * docs/examples) and AIP_E2E_POSTGRES_IMAGE, by digest (of releases 16 and 17 in AIP_E2E_POSTGRES_16_IMAGE and AIP_E2E_POSTGRES_17_IMAGE); else the one that `npm run cluster -- up` left running; else kind where Docker runs; else a cluster of one node for the time.
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
  const { AIP_E2E_POSTGRES_16_IMAGE: postgres16, AIP_E2E_POSTGRES_17_IMAGE: postgres17 } = process.env;
  if (!kubeconfig) return undefined;
  if (!controller || !runtime || !greeter || !postgres)
    throw new Error(`AIP_E2E_KUBECONFIG needs ${GIVEN_IMAGES.join(', ')}`);
  const { kubectl } = await ensureTools(['kubectl'], { own: true });
  return {
    cluster: {
      kubeconfig,
      kubectlPath: kubectl,
      images: { controller, runtime, greeter, postgres },
      databases: { ...(postgres16 && { 16: postgres16 }), ...(postgres17 && { 17: postgres17 }), 18: postgres },
      isLocal: false,
    },
    stop: async () => undefined,
  };
}

async function oneNode(): Promise<TakenCluster> {
  const running = await findCluster();
  const cluster = running ?? (await startCluster());
  const stop = running ? async () => undefined : () => cluster.stop();
  try {
    const images = { ...(await buildImages({ repoRoot: ROOT })), greeter: await buildGreeter({ repoRoot: ROOT }) };
    const { kubeconfig, kubectlPath } = cluster;
    const databases = await postgresImages(images.postgres);
    return { cluster: { kubeconfig, kubectlPath, images, databases, isLocal: true }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The project's own image of PostgreSQL, and one of each other release. */
async function postgresImages(own: string): Promise<E2eCluster['databases']> {
  const images: Partial<Record<PostgresRelease, string>> = {};
  for (const release of Object.keys(POSTGRES_RELEASES).map(Number) as PostgresRelease[]) {
    const programs = await postgresPrograms(release);
    images[release] = programs === undefined ? own : await buildPostgres({ repoRoot: ROOT }, programs);
  }
  return images;
}

function hasDocker(): boolean {
  return spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;
}

/** A kind cluster of its own, the images loaded into its nodes. */
async function kind(): Promise<TakenCluster> {
  const name = 'aip-e2e';
  const { kubectl } = await ensureTools(['kubectl'], { own: true });
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
      databases: {
        16: 'docker.io/library/postgres:16',
        17: 'docker.io/library/postgres:17',
        18: 'docker.io/library/postgres:18',
      },
      isLocal: false,
    },
    stop: async () => {
      await run('kind', ['delete', 'cluster', '--name', name]);
    },
  };
}
