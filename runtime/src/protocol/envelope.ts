import { canonicalBytes } from './canonical.js';
import type { Clock } from './clock.js';
import { decoded } from './decode/normal-form.js';
import { receivedOf } from './decode/received.js';
import { AipError } from './errors/aip-error.js';
import { SignatureInvalid } from './errors/classes.js';
import { newId } from './ids.js';
import { plainJson } from './json.js';
import { AIP_VERSION } from './limits.js';
import { missingMembers } from './schema/dsl/missing.js';
import { BODIES, Envelope as ENVELOPE } from './schema/envelope.js';
import { type SigningKey, verifySignature } from './signing.js';
import { formatTime } from './time.js';
import type { Bodies, Body, Envelope, MessageType, Principal } from './types.js';
import { check, type SchemaIssue } from './validate.js';

export { checkEnvelopeRules } from './decode/rules.js';
export type { Envelope } from './types.js';

/** Name of the one member of a body. */
export type BodyKey = keyof Bodies;

/** Members that the sender of a new envelope chooses. */
export type EnvelopeFields = Partial<Omit<Envelope, 'aip_version' | 'message_type' | 'body'>>;

/** Message type of each body key. */
export const MESSAGE_TYPES = Object.fromEntries(
  Object.entries(BODIES).map(([key, [messageType]]) => [key, messageType]),
) as { readonly [K in BodyKey]: MessageType };

/** The key of the envelope's body. */
export function bodyKey(envelope: Pick<Envelope, 'body'>): BodyKey {
  return keyOf(envelope.body);
}

/** The body when it is of the given kind. */
export function bodyOf<K extends BodyKey>(envelope: Pick<Envelope, 'body'>, key: K): Bodies[K] | undefined {
  return (envelope.body as Partial<Bodies>)[key];
}

function keyOf(body: Body): BodyKey {
  for (const key in body) return key as BodyKey;
  throw new AipError('envelope.decode.invalid', '/body must have one member');
}

/** A new envelope around a body: version, message type, message id and time are filled in. */
export function newEnvelope(body: Body, fields: EnvelopeFields, { clock }: { clock: Clock }): Envelope {
  const now = clock();
  return {
    aip_version: AIP_VERSION,
    message_type: MESSAGE_TYPES[keyOf(body)],
    message_id: newId('message', () => now),
    sent_at: formatTime(now),
    body,
    ...fields,
  };
}

/** The answer to a request: correlated with it, in its session, addressed to its sender (docs/protocol/envelope.md#correlation). */
export function replyEnvelope(
  request: Envelope,
  body: Body,
  { clock, from }: { clock: Clock; from?: Principal },
): Envelope {
  const fields: EnvelopeFields = {
    ...(request.session_id !== undefined && { session_id: request.session_id }),
    ...(request.correlation_id !== undefined && { correlation_id: request.correlation_id }),
    in_response_to: request.message_id,
    ...(from !== undefined && { from }),
    ...(request.from !== undefined && { to: request.from }),
  };
  return newEnvelope(body, fields, { clock });
}

/**
 * The envelope signed as `principal`: `from` becomes the principal with the key's DID, `security` keeps its other
 * members (docs/protocol/signing.md#sign). The envelope must be in normal form and is not changed.
 */
export async function signEnvelope(envelope: Envelope, principal: Principal, key: SigningKey): Promise<Envelope> {
  const { signature: _, ...security } = securityOf(envelope);
  const unsigned = { ...envelope, from: { ...principal, did: key.did }, security: { ...security, did: key.did } };
  const signature = await key.sign(canonicalBytes(unsigned));
  return { ...unsigned, security: { ...unsigned.security, signature } };
}

/** The DID whose key signed the envelope as it was received. Throws SignatureInvalid (docs/protocol/signing.md#verify). */
export async function verifyEnvelope(envelope: Envelope): Promise<string> {
  const received = receivedOf(envelope) as Envelope;
  const did = claimedSigner(received);
  const { signature, ...security } = securityOf(received) as { signature: string };
  if (!(await isSigned(did, { ...received, security }, signature))) {
    throw new SignatureInvalid(`the signature is not one of ${did} over this envelope`);
  }
  return did;
}

/** The DID by which the envelope says that it is signed; nothing is verified. Throws SignatureInvalid where it names no signer or has no signature. */
export function claimedSigner(envelope: Envelope): string {
  const received = receivedOf(envelope) as Envelope;
  const { signature, did: named } = securityOf(received);
  if (typeof signature !== 'string') throw new SignatureInvalid('security.signature is missing');
  const did = typeof named === 'string' ? named : received.from?.did;
  if (typeof did !== 'string') throw new SignatureInvalid('security.did is missing: the signer is unknown');
  return did;
}

async function isSigned(did: string, value: object, signature: string): Promise<boolean> {
  try {
    return await verifySignature(did, canonicalBytes(value), signature);
  } catch (error) {
    if (error instanceof AipError) throw new SignatureInvalid(error.message, { cause: error });
    throw error;
  }
}

function securityOf({ security }: Envelope): Record<string, unknown> {
  if (security === undefined) return {};
  if (typeof security !== 'object' || security === null || Array.isArray(security)) {
    throw new SignatureInvalid('security must be an object');
  }
  return security;
}

/** The lack of more than one required member as one issue: a sender adds them all at once. */
function several(missing: readonly string[]): SchemaIssue | undefined {
  return missing.length > 1 ? { path: '', message: `lacks the required members ${missing.join(', ')}` } : undefined;
}

/**
 * A parsed JSON value as an envelope. Gate 1 is the schema (`schema.envelope.invalid`), gate 2 the typed decode
 * (`envelope.decode.invalid`): times, integer widths, message type against body key. The result is in normal form;
 * `verifyEnvelope` still checks what was received.
 */
export function decodeEnvelope(value: unknown): Envelope {
  const [issue] = check('Envelope', value);
  if (issue !== undefined) {
    const { path, message } = several(missingMembers(ENVELOPE, plainJson(value))) ?? issue;
    throw new AipError('schema.envelope.invalid', `the envelope does not pass its schema: ${path || 'it'} ${message}`, {
      details: { schema: 'envelope.schema.json', path, message },
    });
  }
  const envelope = decoded('Envelope', value);
  const expected = MESSAGE_TYPES[keyOf(envelope.body)];
  if (envelope.message_type !== expected) {
    throw new AipError(
      'envelope.decode.invalid',
      `message_type ${envelope.message_type} does not fit the body ${keyOf(envelope.body)}; it must be ${expected}`,
    );
  }
  return envelope;
}
