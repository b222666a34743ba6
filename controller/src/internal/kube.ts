/** Types and errors of the Kubernetes client for sibling packages. */
export {
  KubeConfigInvalid,
  KubeConflict,
  KubeError,
  KubeForbidden,
  KubeGone,
  KubeNotFound,
  KubeUnavailable,
} from '../kube/client/errors.js';
export type { Kube, KubeObject, ResourceKind, WatchEvent } from '../kube/kube.js';
