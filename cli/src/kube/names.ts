import { LABELS } from '@aip/controller/api/group.js';
import { MANAGER } from '@aip/controller/trust/objects.js';

/** Name of the Service of a release's gateways. */
export function gatewayServiceName(release: string): string {
  return `${release}-gateway`;
}

/** Labels of the objects of a component, whatever the release is called. */
export function componentLabels(component: 'gateway' | 'controller'): string {
  return `app.kubernetes.io/part-of=aip-fleet,app.kubernetes.io/component=${component}`;
}

/** Label of the Secrets that the controller makes. */
export const MANAGED_LABEL = `${LABELS.managedBy}=${MANAGER}`;
