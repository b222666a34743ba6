import type { Duplex } from 'node:stream';
import { KubeConfigInvalid } from '@aip/controller/internal/kube';
import { type OpenKube, openKube } from '@aip/controller/internal/kube-client';
import type { KubeConfig } from '@kubernetes/client-node';
import { UsageError } from '../client/errors.js';
import type { GatewayPod } from './gateway-pods.js';
import type { KubeTarget } from './target.js';

/** A cluster under the user's own rights. */
export interface Cluster {
  /** The target with the kubeconfig's context named, so that it stays this cluster. */
  readonly target: KubeTarget;
  readonly kube: OpenKube;
  /** Opens a byte stream to a Pod's port. Throws RightMissing, PodStreamBroken. */
  dial(pod: GatewayPod): Promise<Duplex>;
}

/** What the client library takes for the current context when there is no kubeconfig at all. */
const NO_KUBECONFIG = 'loaded-context';

/** Reads the kubeconfig; sends nothing yet. Throws UsageError. */
export async function openCluster(target: KubeTarget): Promise<Cluster> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  try {
    if (target.kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(target.kubeconfig);
  } catch (error) {
    throw new UsageError(
      `The kubeconfig ${target.kubeconfig ?? ''} can't be read: ${(error as Error).message}.`.replace('  ', ' '),
      'Name one with --kubeconfig or KUBECONFIG.',
    );
  }
  if (target.kubeconfig === undefined && config.getCurrentContext() === NO_KUBECONFIG)
    throw new UsageError('There is no kubeconfig.', 'Name one with --kubeconfig or KUBECONFIG.');
  const context = target.context ?? config.getCurrentContext();
  if (!context || !config.getContextObject(context)) throw noSuchContext(config, context);
  config.setCurrentContext(context);
  return {
    target: { ...target, context },
    kube: await openKube({ kubeconfig: target.kubeconfig, context }).catch((error: unknown) => {
      if (!(error instanceof KubeConfigInvalid)) throw error;
      throw new UsageError(
        `The context ${context} of the kubeconfig can't be used: ${error.message}.`,
        'Does `kubectl version` work with it?',
      );
    }),
    dial: async (pod) => {
      const { podStream } = await import('./pod-stream.js');
      return podStream(config, pod);
    },
  };
}

function noSuchContext(config: KubeConfig, context: string | undefined): UsageError {
  const names = config.getContexts().map(({ name }) => name);
  return new UsageError(
    context ? `The kubeconfig has no context ${context}.` : 'The kubeconfig has no current context.',
    `Name one with --kube-context: ${names.join(', ') || 'it has none'}.`,
  );
}
