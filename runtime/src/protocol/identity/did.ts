import { Point } from '@noble/ed25519';
import { base58 } from '@scure/base';
import { AipError } from '../errors/aip-error.js';

const PREFIX = 'did:key:z';
/** Multicodec of an Ed25519 public key. */
const ED25519 = [0xed, 0x01] as const;
/** Longest text that can decode to 34 bytes; refuses long texts before the quadratic base58 decoding. */
const MAX_LENGTH = PREFIX.length + 48;

/** `did:key:z6Mk…` of a raw 32-byte Ed25519 public key. Throws `auth.signature.invalid` for any other length. */
export function didOfPublicKey(raw: Uint8Array): string {
  if (raw.length !== 32) throw new AipError('auth.signature.invalid', 'an Ed25519 public key has 32 bytes');
  return PREFIX + base58.encode(Uint8Array.from([...ED25519, ...raw]));
}

/**
 * The raw 32-byte public key of a did:key. Throws `auth.signature.invalid` when the text is anything else: another method or key
 * type, a fragment, query or path, bytes that are no canonical curve point, or a point with a torsion component: no
 * honest key has one, under one of small order anybody can forge, and implementations disagree about the rest.
 */
export function publicKeyOfDid(did: string): Uint8Array {
  const bytes = decode(did);
  if (bytes?.length !== 34 || bytes[0] !== ED25519[0] || bytes[1] !== ED25519[1]) {
    throw new AipError(
      'auth.signature.invalid',
      'a DID must be did:key:z… of an Ed25519 public key, without fragment, query or path',
    );
  }
  const raw = bytes.subarray(2);
  if (!isUsablePoint(raw))
    throw new AipError('auth.signature.invalid', 'the public key of the DID is not a usable Ed25519 point');
  return raw;
}

/** Whether the text is a usable did:key. */
export function isDid(did: string): boolean {
  try {
    publicKeyOfDid(did);
    return true;
  } catch {
    return false;
  }
}

function decode(did: string): Uint8Array | undefined {
  if (!did.startsWith(PREFIX) || did.length > MAX_LENGTH) return undefined;
  try {
    return base58.decode(did.slice(PREFIX.length));
  } catch {
    return undefined;
  }
}

function isUsablePoint(raw: Uint8Array): boolean {
  try {
    const point = Point.fromBytes(raw);
    return !point.isSmallOrder() && point.isTorsionFree();
  } catch {
    return false;
  }
}
