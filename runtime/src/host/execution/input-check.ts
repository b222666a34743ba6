import { ConnectorFailure } from '../../connectors/sdk/failure.js';
import { compileJsonSchema } from '../../protocol/content/schema-check.js';
import { invalidInput } from '../../protocol/errors/invalid-input.js';
import { AipError } from '../../protocol/errors.js';
import type { Capability } from '../../protocol/types.js';

/** Why the input does not pass the capability's schema; the connector is not called then. */
export function inputProblem(capability: Capability, input: unknown): AipError | undefined {
  const issues = compileJsonSchema(capability.input_schema)(input);
  return issues.length === 0 ? undefined : invalidInput(capability, { issues });
}

/** Why the output does not pass the capability's schema; the call has been made, so an effect of it exists. */
export function outputProblem(
  { output_schema: schema }: Capability,
  output: unknown,
  mutating: boolean,
): ConnectorFailure | undefined {
  if (schema === undefined || schema === null) return undefined;
  const issues = compileJsonSchema(schema)(output);
  if (issues.length === 0) return undefined;
  const { code, message } = new AipError('action.output_schema_invalid');
  return new ConnectorFailure({ code, message, uncertainOutcome: mutating, redactedDetails: { issues } });
}
