/** Everything a connector of one's own needs: `import { defineConnector, ConnectorFailure } from '@aip/runtime/connectors/sdk/index.js'`. */
export { ConnectorConfigInvalid, checkConfig } from './config.js';
export type {
  Connector,
  ConnectorHealth,
  ConnectorResult,
  Operation,
  ReconcileInput,
  ReconcileResult,
} from './connector.js';
export { defineConnector } from './connector.js';
export type {
  ChunkContent,
  CredentialHandle,
  ExecutionCheckpoint,
  ExecutionContext,
  ProbeContext,
  StreamContext,
  TransactionContext,
} from './context.js';
export type { DurableState } from './durable-state.js';
export type { ConnectorOperation, FailureInit } from './failure.js';
export { ConnectorFailure, OperationUnsupported } from './failure.js';
export type { ImplementationSupport } from './implementation-support.js';
export type { Secrets } from './secrets.js';
export { SecretUnavailable } from './secrets.js';
export { SDK_VERSION } from './version.js';
