import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connect } from '@aip/cli/client/connection.js';
import type { Gateway } from '@aip/cli/client/gateway.js';
import { type CliRun, type RunningCli, runCli, startCli } from '../../cli/run-cli.ts';
import { run } from '../../cluster/command.ts';
import { ensureTools } from '../../cluster/tools.ts';
import { until } from '../../support/until.ts';
import type { E2eCluster } from './cluster.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
export const RELEASE = { name: 'aip', namespace: 'aip' } as const;
/** How long the old and the new of a rotation are both trusted; kubelets bring mounted files up to date every 10 s on the one-node cluster. */
const OVERLAP_SECONDS = 45;

/** The release as installed, and a user's command line for it. */
export interface Release {
  kubectl(...args: string[]): Promise<string>;
  apply(...objects: object[]): Promise<string>;
  json<T>(...args: string[]): Promise<T>;
  helm(...args: string[]): Promise<string>;
  /** The flags that the release was installed with. */
  readonly values: readonly string[];
  aip(...args: string[]): Promise<CliRun>;
  startAip(...args: string[]): RunningCli;
  /** A gateway as the CLI reaches it, one connection for many requests. */
  gateway(): Promise<{ gateway: Gateway; close(): Promise<void> }>;
  /** Waits until Ready of an instance has this reason and it has so many ready replicas. */
  ready(instance: string, count: number, namespace?: string): Promise<void>;
  close(): Promise<void>;
}

/** Installs the chart with two controllers and two gateways and waits until all are ready. */
export async function installRelease(cluster: E2eCluster): Promise<Release> {
  const { helm: helmPath } = await ensureTools(['helm']);
  const folder = await mkdtemp(join(tmpdir(), 'aip-e2e-'));
  const env = { AIP_CONFIG: join(folder, 'contexts.yaml'), KUBECONFIG: cluster.kubeconfig, AIP_DATA_DIR: folder };
  const helm = (...args: string[]): Promise<string> =>
    run(helmPath, [...args, '--namespace', RELEASE.namespace], { env: { KUBECONFIG: cluster.kubeconfig } });
  const image = (name: 'controller' | 'runtime'): string[] => {
    const reference = cluster.images[name];
    const [repository, digest] = reference.split('@') as [string, string?];
    if (digest) return ['--set', `images.${name}.repository=${repository}`, '--set', `images.${name}.digest=${digest}`];
    const [path, tag] = repository.split(/:(?=[^/]*$)/) as [string, string];
    return ['--set', `images.${name}.repository=${path}`, '--set', `images.${name}.tag=${tag}`];
  };
  const values = [
    ...['-f', join(ROOT, 'charts/aip-fleet/examples/trial.yaml')],
    ...image('controller'),
    ...image('runtime'),
    ...['--set', `postgres.embedded.image=${cluster.images.postgres}`],
    ...['--set', 'controller.replicas=2', '--set', 'gateway.replicas=2', '--set', 'gateway.drainSeconds=3'],
    ...[
      '--set-json',
      `controller.extraEnv=[{"name":"AIP_CONTROLLER_ROTATION_OVERLAP_SECONDS","value":"${OVERLAP_SECONDS}"}]`,
    ],
  ];
  const chart = join(ROOT, 'charts/aip-fleet');
  await helm('install', RELEASE.name, chart, '--create-namespace', ...values, '--wait', '--timeout', '5m');
  const kubectl = (...args: string[]): Promise<string> => cluster.kubectl(args);
  const json = async <T>(...args: string[]): Promise<T> => JSON.parse(await kubectl(...args, '-o', 'json')) as T;
  return {
    kubectl,
    apply: (...objects) =>
      cluster.kubectl(['apply', '-f', '-'], objects.map((object) => JSON.stringify(object)).join('\n---\n')),
    json,
    helm,
    values,
    aip: (...args) => runCli(args, { env }),
    startAip: (...args) => startCli(args, { env }),
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
