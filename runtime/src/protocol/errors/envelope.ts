import { failure } from './aip-error.js';

/** The bytes are not JSON that we accept: syntax, a name given twice, a lone surrogate, too deep, a number out of range. */
export class JsonInvalid extends failure({
  code: 'schema.envelope.invalid',
  category: 'permanent',
  message: 'the body is not valid JSON',
}) {}

/** Gate 1: the JSON does not pass the envelope schema. */
export class EnvelopeSchemaInvalid extends failure({
  code: 'schema.envelope.invalid',
  category: 'permanent',
  message: 'the JSON does not pass the AIP 1.0 envelope schema',
}) {}

/** Gate 2: schema-valid JSON that cannot be read as an envelope (message type, times, integer widths). */
export class EnvelopeDecodeInvalid extends failure({
  code: 'envelope.decode.invalid',
  category: 'permanent',
  message: 'the JSON cannot be read as an AIP 1.0 envelope',
}) {}

/** A value has no canonical form: NaN, an infinity, a lone surrogate, a depth above 128, a type JSON does not know. */
export class CanonicalInvalid extends failure({
  code: 'envelope.decode.invalid',
  category: 'permanent',
  message: 'the value has no canonical JSON form',
}) {}

/** The text is not a usable did:key of an Ed25519 key. */
export class DidInvalid extends failure({
  code: 'auth.signature.invalid',
  category: 'auth',
  message: 'the DID is not a did:key of a usable Ed25519 public key',
}) {}

/** The envelope signature is missing, malformed or wrong, or its signer is not trusted. */
export class SignatureInvalid extends failure({
  code: 'auth.signature.invalid',
  category: 'auth',
  message: 'the envelope signature is missing, wrong or of an untrusted signer',
}) {}

/** The message id was seen before, or sent_at lies outside the window. */
export class ReplayedMessage extends failure({
  code: 'replay.message_id',
  category: 'auth',
  message: 'the message was received before or its sent_at is too old or too new; send a new message_id and sent_at',
}) {}

/** The JSON is neither a TransportMessage nor an envelope. */
export class TransportMessageInvalid extends failure({
  code: 'envelope.decode.invalid',
  category: 'permanent',
  message: 'the JSON is neither a TransportMessage nor an AIP 1.0 envelope',
}) {}

/** The body type is not handled here. */
export class CapabilityUnsupported extends failure({
  code: 'capability.unsupported',
  category: 'permanent',
  message: 'this server does not handle bodies of this type',
}) {}

/** A handshake found no profile both sides speak. */
export class NoCompatibleProfile extends failure({
  code: 'handshake.no_compatible_profile',
  category: 'permanent',
  message: 'none of the offered profiles is spoken here; see the manifest for the list',
}) {}

/** An error without a better code. */
export class GatewayError extends failure({
  code: 'gateway.error',
  category: 'permanent',
  message: 'the request could not be handled',
}) {}
