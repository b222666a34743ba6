/** Which operations a connector really implements for a capability (spec 07 §1.4). */
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
