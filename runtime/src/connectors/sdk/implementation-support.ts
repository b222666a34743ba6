/** Which operations a connector really implements for a capability (docs/protocol/manifest.md#admission). */
export interface ImplementationSupport {
  invocation: boolean;
  cancellation: boolean;
  streaming: boolean;
  retry: boolean;
  transaction: boolean;
  reconciliation: boolean;
  compensation: boolean;
  approval: boolean;
  credentials: boolean;
}
