import type { Capability } from '../../protocol/types.js';
import type { Connector } from './connector.js';
import type { ImplementationSupport } from './implementation-support.js';

/** Support by capability id, as the connector states it or as its contract and calls imply. */
export function supportOf<Config>(
  connector: Connector<Config>,
  capabilities: readonly Capability[],
  config: Config,
): Record<string, ImplementationSupport> {
  return Object.fromEntries(
    capabilities.map((capability) => [
      capability.id,
      connector.implementationSupport?.(capability, config) ?? impliedSupport(connector, capability),
    ]),
  );
}

function impliedSupport<Config>(connector: Connector<Config>, { contract }: Capability): ImplementationSupport {
  return {
    invocation: true,
    cancellation: contract?.execution.supports_cancel ?? false,
    streaming: connector.stream !== undefined && (contract?.execution.supports_streaming ?? false),
    retry: contract?.execution.supports_retry ?? false,
    transaction: connector.commit !== undefined,
    reconciliation: connector.reconcile !== undefined,
    compensation: connector.compensate !== undefined,
    approval: contract?.approval?.required ?? false,
    credentials: contract?.credentials?.required ?? false,
  };
}
