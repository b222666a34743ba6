import {
  type AipError,
  CapabilitySchemaInvalid,
  InputSchemaInvalid,
  OutputSchemaInvalid,
} from '../../../protocol/errors.js';
import { plainJson } from '../../../protocol/json.js';
import { compileJsonSchema } from '../../../protocol/schema-check.js';
import type { Capability } from '../../../protocol/types.js';

/** What is wrong with an input by the capability's input schema, or undefined (docs/protocol/actions.md#order-of-acceptance). */
export function inputRefusal(capability: Capability, input: unknown): AipError | undefined {
  return refusal(
    capability.input_schema,
    input,
    (violations) => new InputSchemaInvalid(undefined, { details: { violations } }),
  );
}

/**
 * What is wrong with an output by the capability's output schema, or undefined; a capability without one takes any
 * output.
 */
export function outputRefusal(capability: Capability, output: unknown): AipError | undefined {
  if (capability.output_schema === undefined || capability.output_schema === null) return undefined;
  return refusal(
    capability.output_schema,
    output ?? null,
    (violations) => new OutputSchemaInvalid(undefined, { details: { violations } }),
  );
}

function refusal(schema: unknown, value: unknown, make: (violations: unknown) => AipError): AipError | undefined {
  let validate: ReturnType<typeof compileJsonSchema>;
  try {
    validate = compileJsonSchema(schema);
  } catch (error) {
    return new CapabilitySchemaInvalid(undefined, { cause: error });
  }
  const violations = validate(plainJson(value));
  return violations.length === 0 ? undefined : make(violations);
}
