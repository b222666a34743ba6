import { KINDS } from '@aip/controller/internal/api';
import { KubeForbidden } from '@aip/controller/internal/kube';
import { type ConfigMapObject, DATA, trustNames } from '@aip/controller/internal/trust';
import { NoGatewayPod, RightMissing } from '../client/errors.js';
import { type TrustedFetch, trustedFetch } from '../client/trusted-fetch.js';
import type { Cluster } from './cluster.js';
import { gatewayPods, selectorText } from './gateway-pods.js';
import { gatewayServiceName } from './names.js';
import type { PodObject, ServiceObject } from './objects.js';
import type { KubeTarget } from './target.js';
import { openTunnel } from './tunnel.js';

/** Bound of one attempt to reach a Pod, in ms. */
const ATTEMPT_MS = 10_000;

/**
 * A fetch to the gateway of a release through port-forwards, one for each connection, each to a Pod that is ready at that moment. Nothing is
 * loaded or opened before the first request. `knownCa` (PEM) serves when the present one can't be read.
 */
export function tunnelFetch(target: KubeTarget, knownCa: string | undefined): TrustedFetch & { url: string } {
  const servername = `${gatewayServiceName(target.release)}.${target.namespace}.svc`;
  let cluster: Promise<Cluster> | undefined;
  const open = (): Promise<Cluster> => {
    cluster ??= import('./cluster.js').then(({ openCluster }) => openCluster(target));
    return cluster;
  };
  const tunnel = openTunnel({
    look: async () => findGateways(await open(), knownCa),
    dial: async (pod) => (await open()).dial(pod),
    servername,
    timeoutMs: ATTEMPT_MS,
  });
  const trusted = trustedFetch({ connect: tunnel.connect });
  return {
    url: `https://${servername}`,
    fetch: trusted.fetch,
    close: async () => {
      await trusted.close();
      await (await cluster?.catch(() => undefined))?.kube.close();
    },
  };
}

/** The ready gateway Pods of a release and the certificates that its gateways answer with. Throws NoGatewayPod, RightMissing, KubeError. */
export async function findGateways(
  { kube, target }: Pick<Cluster, 'kube' | 'target'>,
  knownCa: string | undefined,
): Promise<{ pods: ReturnType<typeof gatewayPods>; ca: string }> {
  const { namespace } = target;
  const name = gatewayServiceName(target.release);
  const trustName = trustNames(target.release).trust;
  const [service, trust] = await Promise.all([
    kube.get<ServiceObject>(KINDS.service, { namespace, name }),
    kube.get<ConfigMapObject>(KINDS.configMap, { namespace, name: trustName }).catch((error: unknown) => {
      if (error instanceof KubeForbidden && knownCa !== undefined) return undefined;
      throw error;
    }),
  ]);
  if (!service?.spec?.selector) throw new NoGatewayPod(`There is no Service ${name} in the namespace ${namespace}.`);
  const ca = trust?.data?.[DATA.caCert] ?? knownCa;
  if (ca === undefined)
    throw new RightMissing(
      `The certificates of the fleet are not known: ${namespace} has no ConfigMap ${trustName} with a ca.crt.`,
      'Is the controller running? Or name them with --ca-file.',
    );
  const found = await kube.list<PodObject>(KINDS.pod, {
    namespace,
    labelSelector: selectorText(service.spec.selector),
  });
  return { pods: gatewayPods(service, found.items), ca };
}
