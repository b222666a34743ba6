import { NamedError } from '../protocol/errors/named-error.js';

/** A registry write contradicts what is stored: an immutable member changes, a revision does not rise, a definition differs. */
export class RegistryConflict extends NamedError {}

/** A registry write is malformed or names something that does not exist. */
export class RegistryInputInvalid extends NamedError {}

/** A version defines a capability in another way than the fleet already does (docs/protocol/registry.md#capability-definitions). */
export class CapabilityConflict extends RegistryConflict {
  readonly capabilityId: string;
  /** An instance whose version has the capability as it is defined, where there is one. */
  readonly instanceId: string | undefined;

  constructor(capabilityId: string, instanceId?: string) {
    super(
      `the capability ${capabilityId} is already defined with another contract in this fleet: give the changed capability a new id, or keep the contract as it was`,
    );
    this.capabilityId = capabilityId;
    this.instanceId = instanceId;
  }
}
