import type { CapabilityContract } from '../protocol/types.js';
import { listCapabilities } from './actions.js';
import type { Gateway } from './gateway.js';

/** The contract of a capability; undefined when it has none, is not there, or the catalog cannot be read. */
export async function contractOf(gateway: Gateway, capabilityId: string): Promise<CapabilityContract | undefined> {
  try {
    const page = await listCapabilities(gateway, { capability_id: capabilityId });
    return page.capabilities.find((row) => row.capability.id === capabilityId)?.capability.contract;
  } catch {
    return undefined;
  }
}

/** How an action runs that is followed and for which no mode was named: what can stream streams, so that there is something to follow. */
export async function followedMode(gateway: Gateway, capabilityId: string): Promise<'streaming' | undefined> {
  const contract = await contractOf(gateway, capabilityId);
  return contract?.execution.supports_streaming ? 'streaming' : undefined;
}
