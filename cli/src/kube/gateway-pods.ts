import { isPodReady, type PodObject, type ServiceObject } from './objects.js';

/** A gateway Pod and the port it serves on. */
export interface GatewayPod {
  namespace: string;
  name: string;
  port: number;
}

/** Port of the gateway's Service. */
const SERVICE_PORT = 443;

/** The ready Pods behind a Service with the Pod's own port for the Service's port 443; a Pod without that port is left out. */
export function gatewayPods(service: ServiceObject, pods: readonly PodObject[]): GatewayPod[] {
  const served = service.spec?.ports?.find(({ port }) => port === SERVICE_PORT);
  if (!served) return [];
  const target = served.targetPort ?? served.port;
  return pods.filter(isPodReady).flatMap((pod) => {
    const ports = pod.spec?.containers?.flatMap((container) => container.ports ?? []) ?? [];
    const port = typeof target === 'number' ? target : ports.find(({ name }) => name === target)?.containerPort;
    return port === undefined ? [] : [{ namespace: pod.metadata.namespace ?? '', name: pod.metadata.name, port }];
  });
}

/** A label selector in the API server's syntax. */
export function selectorText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}
