import type { ConnectorInstance } from '../../api/connector-instance.js';
import { KINDS } from '../../api/kinds.js';
import { type Admission, takesWebhooks } from '../../fleet/admission.js';
import type { KubeObject, ResourceKind } from '../../kube/kube.js';
import type { ClusterContext } from '../context.js';
import { webhookServiceName } from '../objects/names.js';
import type { WebhookEdge } from '../objects/webhook-edge.js';
import {
  webhookBackendTlsPolicy,
  webhookHttpRoute,
  webhookIngress,
  webhookNetworkPolicy,
  webhookPlace,
  webhookService,
} from '../objects/webhook-objects.js';

/** What a release makes; it has no right to read the others. */
const kindsMade = ({ ingress, httpRoute }: WebhookEdge): readonly ResourceKind[] => [
  KINDS.service,
  KINDS.networkPolicy,
  ...(ingress ? [KINDS.ingress] : []),
  ...(httpRoute ? [KINDS.httpRoute, KINDS.backendTlsPolicy] : []),
];

/**
 * Keeps the Service, and on request the public route, of an instance that takes webhook deliveries; removes what it made and is not
 * wanted any more, also what an earlier process made. At rest it costs nothing.
 */
export async function ensureWebhooks(
  instance: ConnectorInstance,
  admission: Admission | undefined,
  cluster: ClusterContext,
): Promise<void> {
  // A connector that is asked again keeps what it has.
  if (!admission) return;
  const wanted = wantedObjects(instance, admission, cluster);
  for (const [kind, object] of wanted) await cluster.ensure.applied(kind, instance, object);
  const kinds = new Set(wanted.map(([kind]) => kind));
  const { namespace, name } = instance.metadata;
  for (const kind of kindsMade(cluster.webhooks))
    if (!kinds.has(kind)) await cluster.ensure.removed(kind, instance, { namespace, name: webhookServiceName(name) });
}

function wantedObjects(
  instance: ConnectorInstance,
  admission: Admission,
  { networkPolicy, webhooks, trustConfigMap }: ClusterContext,
): [ResourceKind, KubeObject][] {
  if (!takesWebhooks(instance, admission.manifest)) return [];
  const { ingress, httpRoute, from } = webhooks;
  const place = webhookPlace(instance, webhooks);
  return [
    [KINDS.service, webhookService(instance)],
    ...(networkPolicy && from.length > 0
      ? [[KINDS.networkPolicy, webhookNetworkPolicy(instance, webhooks)] as [ResourceKind, KubeObject]]
      : []),
    ...(place && ingress
      ? [[KINDS.ingress, webhookIngress(instance, place, ingress)] as [ResourceKind, KubeObject]]
      : []),
    ...(place && httpRoute
      ? ([
          [KINDS.httpRoute, webhookHttpRoute(instance, place, httpRoute)],
          [KINDS.backendTlsPolicy, webhookBackendTlsPolicy(instance, trustConfigMap)],
        ] as [ResourceKind, KubeObject][])
      : []),
  ];
}
