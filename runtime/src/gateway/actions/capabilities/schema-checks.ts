import { invalidInput } from '../../../protocol/errors/invalid-input.js';
import { AipError, CapabilitySchemaInvalid, RemoteReferenceForbidden } from '../../../protocol/errors.js';

import { plainJson } from '../../../protocol/json.js';
import type { Capability } from '../../../protocol/types.js';
import type { SchemaChecks } from '../../../registry/contracts/schema-checks.js';

/** On whose behalf a check is made: one tenant's schemas hold up no other tenant. */
export type Party = string;

/**
 * What is wrong with an input by the capability's input schema, or undefined
 * (docs/protocol/actions.md#order-of-acceptance). Throws `connector.scheduler_overloaded` when too many checks of the party wait.
 */
export function inputRefusal(
  checks: SchemaChecks,
  capability: Capability,
  input: unknown,
  party: Party,
): Promise<AipError | undefined> {
  const check = checks.check(capability.input_schema, plainJson(input), party, { refuse: true });
  return refusal(check, (violations) => invalidInput(capability, { violations }));
}

/**
 * What is wrong with an output by the capability's output schema, or undefined; a capability without one takes any
 * output.
 */
export async function outputRefusal(
  checks: SchemaChecks,
  capability: Capability,
  output: unknown,
  party: Party,
): Promise<AipError | undefined> {
  if (capability.output_schema === undefined || capability.output_schema === null) return undefined;
  const check = checks.check(capability.output_schema, plainJson(output ?? null), party);
  return refusal(
    check,
    (violations) => new AipError('action.output_schema_invalid', undefined, { details: { violations } }),
  );
}

async function refusal(
  check: ReturnType<SchemaChecks['check']>,
  make: (violations: unknown) => AipError,
): Promise<AipError | undefined> {
  try {
    const violations = await check;
    return violations.length === 0 ? undefined : make(violations);
  } catch (error) {
    if (error instanceof CapabilitySchemaInvalid || error instanceof RemoteReferenceForbidden)
      return new CapabilitySchemaInvalid(undefined, { cause: error });
    throw error;
  }
}
