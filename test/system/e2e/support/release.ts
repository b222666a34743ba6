import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connect } from '#cli/contexts/connection.js';
import type { Gateway } from '#runtime/client/gateway.js';
import { run } from '../../../../tools/kube-cluster/process/command.ts';
import { ensureTools } from '../../../../tools/kube-cluster/programs/tools.ts';
import { type CliRun, type RunningCli, runCli, startCli } from '../../../cli/support/run-cli.ts';
import { until } from '../../../support/until.ts';
import type { E2eCluster } from './cluster.ts';

export const ROOT = resolve(import.meta.dirname, '../../../..');
export const RELEASE = { name: 'aip', namespace: 'aip' } as const;
/** How long the old and the new of a rotation are both trusted: kubelets bring mounted files up to date every 10 s on the one-node cluster, and within 90 s on others. */
const overlapSeconds = ({ isLocal }: E2eCluster): number => (isLocal ? 30 : 180);

/** What is installed where another chart or other images are not named. */
export interface Installed {
  /** The release's namespace, if not RELEASE.namespace. */
  namespace?: string;
  /** Folder of the chart. */
  chart?: string;
  images?: Pick<E2eCluster['images'], 'controller' | 'runtime'>;
  /** Further flags for helm. */
  flags?: readonly string[];
}

/** The release, and a user's command line for it. */
export interface Release {
  readonly cluster: E2eCluster;
  kubectl(...args: string[]): Promise<string>;
  /** Applies objects, or a file of the project by its path. */
  apply(...objects: (object | string)[]): Promise<void>;
  json<T>(...args: string[]): Promise<T>;
  /** `helm ARGS --namespace aip`. */
  helm(...args: string[]): Promise<string>;
  /** Waits until the Deployment or StatefulSet of the release is rolled out. */
  rolledOut(workload: string): Promise<void>;
  /** Names of Pods of a component of the release. */
  pods(component: 'controller' | 'gateway'): Promise<string[]>;
  /** Names of the replicas of an instance in the default namespace, in order. */
  replicas(instance: string): Promise<string[]>;
  aip(...args: string[]): Promise<CliRun>;
  startAip(...args: string[]): RunningCli;
  /** Has this command line use the release, as an operator of tenant `demo`, or the one of another namespace. Throws when it refuses. */
  useContext(name: string, namespace?: string): Promise<void>;
  /** A gateway as the CLI reaches it, one connection for many requests. */
  gateway(): Promise<{ gateway: Gateway; close(): Promise<void> }>;
  /** Waits until an instance has this many replicas, all of them ready and of its present template. */
  ready(instance: string, count: number, namespace?: string): Promise<void>;
  close(): Promise<void>;
}

/** `helm upgrade --install` with two controllers and two gateways; returns when all are ready. */
export async function installRelease(cluster: E2eCluster, installed: Installed = {}): Promise<void> {
  const chart = installed.chart ?? join(ROOT, 'charts/aip-fleet');
  const args = ['upgrade', RELEASE.name, chart, '--install', '--create-namespace'];
  const namespace = installed.namespace ?? RELEASE.namespace;
  await helmOn(cluster, namespace, ...args, ...valuesFor(cluster, installed), '--wait', '--timeout', '5m');
}

/** The flags of an installation with the cluster's images. */
export function valuesFor(cluster: E2eCluster, { images = cluster.images, flags = [] }: Installed = {}): string[] {
  const overlap = [{ name: 'AIP_CONTROLLER_ROTATION_OVERLAP_SECONDS', value: String(overlapSeconds(cluster)) }];
  return [
    ...['-f', join(ROOT, 'charts/aip-fleet/examples/trial.yaml')],
    ...imageFlags('controller', images.controller),
    ...imageFlags('runtime', images.runtime),
    ...['--set', `postgres.embedded.image=${cluster.images.postgres}`],
    ...['--set', 'controller.replicas=2', '--set', 'gateway.replicas=2', '--set', 'gateway.drainSeconds=3'],
    ...['--set-json', `controller.extraEnv=${JSON.stringify(overlap)}`],
    ...flags,
  ];
}

function imageFlags(name: 'controller' | 'runtime', reference: string): string[] {
  const [repository, digest] = reference.split('@') as [string, string?];
  if (digest) return ['--set', `images.${name}.repository=${repository}`, '--set', `images.${name}.digest=${digest}`];
  const [path, tag] = repository.split(/:(?=[^/]*$)/) as [string, string];
  return ['--set', `images.${name}.repository=${path}`, '--set', `images.${name}.tag=${tag}`];
}

/** `helm ARGS --namespace NAMESPACE`. */
export async function helmOn(
  { kubeconfig, isLocal }: E2eCluster,
  namespace: string,
  ...args: string[]
): Promise<string> {
  const { helm } = await ensureTools(['helm'], { own: !isLocal });
  return run(helm, [...args, '--namespace', namespace], { env: { KUBECONFIG: kubeconfig } });
}

/** The release on `cluster`, which need not be there yet, and a command line of its own. */
export function openRelease(cluster: E2eCluster): Release {
  const { kubeconfig, kubectlPath } = cluster;
  const folder = mkdtempSync(join(tmpdir(), 'aip-e2e-'));
  const env = { AIP_CONFIG: join(folder, 'contexts.yaml'), KUBECONFIG: kubeconfig, AIP_DATA_DIR: folder };
  const kube = (args: readonly string[], input?: string): Promise<string> =>
    run(kubectlPath, ['--kubeconfig', kubeconfig, ...args], input === undefined ? {} : { input });
  const json = async <T>(...args: string[]): Promise<T> => JSON.parse(await kube([...args, '-o', 'json'])) as T;
  const names = async (...args: string[]): Promise<string[]> =>
    (await kube(['get', ...args, '-o', 'jsonpath={.items[*].metadata.name}'])).split(' ').filter(Boolean).sort();
  return {
    cluster,
    kubectl: (...args) => kube(args),
    apply: async (...objects) => {
      const files = objects.filter((object) => typeof object === 'string').flatMap((file) => ['-f', join(ROOT, file)]);
      const inline = objects.filter((object) => typeof object === 'object').map((object) => JSON.stringify(object));
      if (files.length > 0) await kube(['apply', ...files]);
      if (inline.length > 0) await kube(['apply', '-f', '-'], inline.join('\n---\n'));
    },
    json,
    helm: (...args) => helmOn(cluster, RELEASE.namespace, ...args),
    rolledOut: async (workload) => {
      await kube(['rollout', 'status', workload, '-n', RELEASE.namespace, '--timeout=180s']);
    },
    pods: (component) => names('pods', '-n', RELEASE.namespace, '-l', `app.kubernetes.io/component=${component}`),
    replicas: (instance) => names('crep', '-l', `fleet.aip.dev/instance=${instance}`),
    aip: (...args) => runCli(args, { env }),
    startAip: (...args) => startCli(args, { env }),
    useContext: async (name, namespace = RELEASE.namespace) => {
      const where = ['--from-cluster', '-n', namespace, '--tenant', 'demo', '--use'];
      const { code, stderr } = await runCli(['context', 'add', name, ...where], { env });
      if (code !== 0) throw new Error(stderr);
    },
    gateway: async () => {
      const connection = await connect({}, { ...process.env, ...env });
      return { gateway: connection.gateway, close: () => connection.close() };
    },
    ready: async (instance, count, namespace = 'default') => {
      await until(
        `${instance} has ${count} ready replicas and no more`,
        async () => {
          const { status, metadata } = await json<Seen>('get', 'cinst', instance, '-n', namespace);
          return (
            status?.observedGeneration === metadata.generation &&
            status.readyReplicas === count &&
            status.replicas === count &&
            status.updatedReplicas === count
          );
        },
        180_000,
      );
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

interface Seen {
  metadata: { generation: number };
  status?: { observedGeneration: number; readyReplicas: number; replicas: number; updatedReplicas: number };
}
