import { LABELS } from '@aip/controller/internal/api';
import { MANAGER } from '@aip/controller/internal/trust';

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
