/** Messages that are validated, and errors of the protocol, for sibling packages. */
export { compileJsonSchema } from '../protocol/content/schema-check.js';
export { normalForm } from '../protocol/decode/normal-form.js';
export { newEnvelope, verifyEnvelope } from '../protocol/envelope.js';
export {
  AipError,
  CapabilitySchemaInvalid,
  ControlRejected,
  JsonInvalid,
  StorageUnavailable,
} from '../protocol/errors.js';
export {
  decodeLifecycleRequest,
  type LeaseOutcome,
  newLifecycleResponse,
  PINNED_WORK,
  type SignedLifecycleResponse,
  signValue,
  verifyValue,
  windowProblem,
} from '../protocol/lifecycle.js';
export { unknownMemberOf } from '../protocol/validate.js';
