/** Resource types for sibling packages. */
export type { ConnectorInstance, ConnectorInstanceSpec, ConnectorInstanceStatus } from '../api/connector-instance.js';
export type { ConnectorReplicaSpec, ConnectorReplicaStatus } from '../api/connector-replica.js';
export { LABELS, VERSION } from '../api/group.js';
export { KINDS } from '../api/kinds.js';
export { type ResourceProblem, type Resources, ResourcesInvalid } from '../api/resources.js';
export { secretValue } from '../api/secret.js';
export type { Condition } from '../api/status.js';
