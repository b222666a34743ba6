import { sha256Hex } from '@aip/runtime/internal/signing';

/** Port on which hosts serve HTTPS. */
export const HOST_PORT = 8443;
/** Beyond its drain time a host has this long to go offline and end, in s. */
export const HOST_GRACE_SECONDS = 30;
/** Finalizer of instances and replicas: registry records, leases and databases are undone before they go. */
export const FINALIZER = 'fleet.aip.dev/fleet';

/** Secret with role and URL of an instance's own database area. */
export const databaseSecretName = (instance: string): string => `${instance}-database`;
/** Service for webhook deliveries, and whatever leads to it. */
export const webhookServiceName = (instance: string): string => `${instance}-webhooks`;
/** ConfigMap with what all replicas of one template are started with. */
export const templateConfigMapName = (instance: string, template: string): string => `${instance}-${template}`;
/** Secret with seed and leaf of a replica. */
export const identitySecretName = (replica: string): string => `${replica}-identity`;
/** ConfigMap that keeps what a connector said about itself. */
export const descriptionConfigMapName = (instance: string): string => `${instance}-description`;
/** Pod and ConfigMap that ask a connector about itself; another question has another name. */
export const describeName = (instance: string, source: string): string =>
  `${instance}-describe-${sha256Hex(source).slice(0, 6)}`;

/** Where gateways reach a replica. */
export function replicaEndpoint(replica: string, instance: string, namespace: string, clusterDomain: string): string {
  return `https://${replica}.${instance}.${namespace}.svc.${clusterDomain}:${HOST_PORT}/aip/v1/messages`;
}
