/** Addresses of Services; the first is the API server's own. */
export const SERVICE_RANGE = '10.96.0.0/16';
export const KUBERNETES_SERVICE_ADDRESS = '10.96.0.1';

/** Addresses of Pods. */
export const POD_RANGE = '10.88.0.0/16';

/** The node's address, as Pods see it: their way out of their own network. */
export const NODE_ADDRESS = '10.88.0.1';
