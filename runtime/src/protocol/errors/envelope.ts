import { failure } from './aip-error.js';

/** The bytes are not JSON that we accept: syntax, a name given twice, a lone surrogate, too deep, a number out of range. */
export class JsonInvalid extends failure('schema.envelope.invalid', { message: 'the body is not valid JSON' }) {}

/** Gate 1: the JSON does not pass the envelope schema. */
export class EnvelopeSchemaInvalid extends failure('schema.envelope.invalid') {}

/** Gate 2: schema-valid JSON that cannot be read as an envelope (message type, times, integer widths). */
export class EnvelopeDecodeInvalid extends failure('envelope.decode.invalid') {}

/** A value has no canonical form: NaN, an infinity, a lone surrogate, a depth above 128, a type JSON does not know. */
export class CanonicalInvalid extends failure('envelope.decode.invalid', {
  message: 'the value has no canonical JSON form',
}) {}

/** The text is not a usable did:key of an Ed25519 key. */
export class DidInvalid extends failure('auth.signature.invalid', {
  message: 'the DID is not a did:key of a usable Ed25519 public key',
}) {}

/** The envelope signature is missing, malformed or wrong, or its signer is not trusted. */
export class SignatureInvalid extends failure('auth.signature.invalid') {}

/** The message id was seen before, or sent_at lies outside the window. */
export class ReplayedMessage extends failure('replay.message_id') {}

/** The JSON is neither a TransportMessage nor an envelope. */
export class TransportMessageInvalid extends failure('envelope.decode.invalid', {
  message: 'the JSON is neither a TransportMessage nor an AIP 1.0 envelope',
}) {}

/** The body type is not handled here. */
export class CapabilityUnsupported extends failure('capability.unsupported') {}

/** A handshake found no profile both sides speak. */
export class NoCompatibleProfile extends failure('handshake.no_compatible_profile') {}
