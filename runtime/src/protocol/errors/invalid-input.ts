import type { Capability } from '../types.js';
import { AipError, ForeignCode } from './aip-error.js';
import { CODES } from './codes.js';

/** A code that a connector may state for inputs it refuses: its own, so that it cannot pass for one of the gateway. */
const CODE = /^connector\.[a-z0-9_-]{1,64}\.[a-z0-9_]{1,64}$/;

/**
 * The refusal of an input that does not pass the capability's schema: `action.input_schema_invalid`, or the code that
 * a binding of the capability states as `invalid_input_code`. Gateway and host refuse with the same one.
 */
export function invalidInput(capability: Pick<Capability, 'bindings'>, details: unknown): AipError {
  const stated = statedInputCode(capability);
  if (stated === undefined) return new AipError('action.input_schema_invalid', undefined, { details });
  const { category, message } = CODES['action.input_schema_invalid'];
  return new AipError(new ForeignCode(stated, category, message), message, { details });
}

/** The code that the capability states for inputs it refuses. */
export function statedInputCode({ bindings = [] }: Pick<Capability, 'bindings'>): string | undefined {
  const stated = bindings.map((binding) => binding.invalid_input_code).find((code) => code !== undefined);
  return typeof stated === 'string' && CODE.test(stated) ? stated : undefined;
}
