/** The Kubernetes client for sibling packages. */
export { type OpenKube, openKube } from '../kube/client/client.js';
