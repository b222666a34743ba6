/** Everything that a connector needs; the package exports it as @aip/runtime/sdk. */
export type {
  CapabilityDefinition,
  ConnectorCapability,
  Handler,
  LostOperation,
  ReconcileResult,
} from './capability.js';
export { capability, Result } from './capability.js';
export { ConnectorConfigInvalid, checkConfig } from './config.js';
export type {
  ConfigIssue,
  Connector,
  ConnectorDefinition,
  ConnectorHealth,
  InstanceFacts,
  ManifestMembers,
} from './connector.js';
export { defineConnector } from './connector.js';
export type {
  CapabilityContext,
  ChunkContent,
  CredentialHandle,
  ExecutionCheckpoint,
  ProbeContext,
  TransactionContext,
} from './context.js';
export type { ContractOverrides, IdempotentWriteOptions } from './contract.js';
export { idempotentWrite, readOnly, unsafeWrite } from './contract.js';
export type { DurableState } from './durable-state.js';
export type { ConnectorEnvironment } from './environment.js';
export type { ConnectorOperation, FailureInit } from './failure.js';
export { ConnectorFailure, OperationUnsupported } from './failure.js';
export type { ConnectorFetch, ConnectorFetchInit } from './fetch.js';
export type { ImplementationSupport } from './implementation-support.js';
export type { FromSchema } from './json-schema.js';
export type { SecretReader } from './secrets.js';
export { SecretUnavailable } from './secrets.js';
export { SDK_VERSION } from './version.js';
