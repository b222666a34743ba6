/** Writes and reads of the registry for sibling packages. */
export { operatorAttestation } from '../registry/attestation.js';
export { bindingsOf, putBinding } from '../registry/bindings.js';
export { canaryOf, putCanary } from '../registry/canaries.js';
export { putConnectorType } from '../registry/connector-types.js';
export { CapabilityConflict, RegistryConflict, RegistryInputInvalid } from '../registry/errors.js';
export { FLEET_CHANNEL } from '../registry/fleet-channel.js';
export { findInstance, putInstance } from '../registry/instances.js';
export { replicaIdOf, UNTRUSTED_SIGNER } from '../registry/lifecycle/commit.js';
export { type AdmissionPolicy, putPolicy } from '../registry/policies.js';
export { openRegistry, type Registry } from '../registry/registry.js';
export { listReplicas, provisionReplica, removeReplica, retireReplica } from '../registry/replicas.js';
export { beginIdle, endWake, putScaling, scalingOf, scalingStates } from '../registry/scaling.js';
export { REGISTRY_MIGRATIONS, REGISTRY_SCHEMA_VERSION } from '../registry/schema/migrations.js';
export { admitVersion } from '../registry/versions.js';
