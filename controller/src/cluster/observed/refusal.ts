import type { ConnectorInstance } from '../../api/connector-instance.js';
import { ANNOTATIONS } from '../../api/group.js';

/** Connectors that the release's own image runs. */
const BUILT_IN: readonly string[] = ['chatwoot', 'demo', 'openapi', 'twenty'];
const DIGEST = /@sha256:[0-9a-f]{64}$/;

/** Why an instance may not run here. */
export interface Refusal {
  reason: string;
  message: string;
}

/** What a namespace may claim: its annotations, which only administrators of the cluster write. */
export type NamespaceAnnotations = Readonly<Record<string, string>> | undefined;

/** Who may claim what (docs/kubernetes/reference.md), before the connector is asked about itself. */
export function claimRefusal(
  instance: ConnectorInstance,
  annotations: NamespaceAnnotations,
  rules: { tenancy: 'annotated' | 'open'; allowImageTags: boolean },
): Refusal | undefined {
  const { metadata, spec } = instance;
  const { image, type } = spec.connector;
  if (image !== undefined && !DIGEST.test(image) && !rules.allowImageTags)
    return {
      reason: 'ImageWithoutDigest',
      message: `spec.connector.image is ${image}; name the image by its digest (…@sha256:…), or let the controller allow tags`,
    };
  if (image === undefined && spec.hosting === 'Managed' && !BUILT_IN.includes(type))
    return {
      reason: 'UnknownConnectorType',
      message: `no built-in connector ${type} (built in: ${BUILT_IN.join(', ')}); set spec.connector.image`,
    };
  const sidecars = spec.pod.sidecars ?? [];
  const tagged = sidecars.find((sidecar) => !DIGEST.test(sidecar.image));
  if (tagged && !rules.allowImageTags)
    return {
      reason: 'ImageWithoutDigest',
      message: `spec.pod.sidecars: the image of ${tagged.name} is ${tagged.image}; name the image by its digest (…@sha256:…), or let the controller allow tags`,
    };
  if (rules.tenancy === 'open') return undefined;
  const { serviceAccountName } = spec.pod;
  if (serviceAccountName !== undefined && !names(annotations?.[ANNOTATIONS.serviceAccounts], serviceAccountName))
    return {
      reason: 'ServiceAccountNotAllowed',
      message: `hosts of the namespace ${metadata.namespace} may not run as ServiceAccount ${serviceAccountName}; an administrator names it in the namespace's annotation ${ANNOTATIONS.serviceAccounts}`,
    };
  const foreign = sidecars.find((sidecar) => !namesImage(annotations?.[ANNOTATIONS.sidecarImages], sidecar.image));
  if (foreign)
    return {
      reason: 'SidecarNotAllowed',
      message: `hosts of the namespace ${metadata.namespace} may not have a sidecar of image ${foreign.image}; an administrator names it, without tag and digest, in the namespace's annotation ${ANNOTATIONS.sidecarImages}`,
    };
  const { host } = spec.webhook ?? {};
  if (host !== undefined && !names(annotations?.[ANNOTATIONS.webhookHosts], host))
    return {
      reason: 'WebhookHostNotAllowed',
      message: `the namespace ${metadata.namespace} may not take deliveries at ${host}; an administrator names it in the namespace's annotation ${ANNOTATIONS.webhookHosts}`,
    };
  if (!names(annotations?.[ANNOTATIONS.tenants], spec.tenantId))
    return {
      reason: 'TenantNotAllowed',
      message: `the namespace ${metadata.namespace} may not claim tenant ${spec.tenantId}; an administrator names it in the namespace's annotation ${ANNOTATIONS.tenants}`,
    };
  const ownImage = image === undefined && spec.hosting === 'Managed';
  if (!ownImage && !names(annotations?.[ANNOTATIONS.connectorTypes], type))
    return {
      reason: 'TypeNotAllowed',
      message: `the namespace ${metadata.namespace} may not run connector type ${type}; an administrator names it in the namespace's annotation ${ANNOTATIONS.connectorTypes}`,
    };
  return undefined;
}

/** A connector may only have capabilities of its own type, whatever its manifest says. */
export function capabilityRefusal(
  instance: ConnectorInstance,
  capabilityIds: readonly string[],
  tenancy: 'annotated' | 'open',
): Refusal | undefined {
  if (tenancy === 'open') return undefined;
  const prefix = `cap:${instance.spec.connector.type}:`;
  const foreign = capabilityIds.filter((id) => !id.startsWith(prefix));
  if (foreign.length === 0) return undefined;
  return {
    reason: 'CapabilityNotOwned',
    message: `the manifest has ${foreign.slice(0, 5).join(', ')}; capabilities of type ${instance.spec.connector.type} begin with ${prefix}`,
  };
}

/** Does a comma list of images without tag and digest name this one? */
function namesImage(list: string | undefined, image: string): boolean {
  const [name = ''] = image.split('@');
  // What follows a colon is a port while a slash is still to come.
  return names(list, /:[^/]*$/.test(name) ? name.slice(0, name.lastIndexOf(':')) : name);
}

/** Does a comma list name the value? `*` names all. */
function names(list: string | undefined, value: string): boolean {
  const entries = (list ?? '').split(',').map((entry) => entry.trim());
  return entries.includes('*') || entries.includes(value);
}
