import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { mayRunInline } from './content/inline-budget.js';
import { didOfPublicKey, publicKeyOfDid } from './identity/did.js';

/** An Ed25519 key that signs; the seed never leaves it. */
export interface SigningKey {
  readonly did: string;
  /** Signature of the bytes in standard base64, 88 characters. Runs off the event loop when that is busy. */
  sign(bytes: Uint8Array): Promise<string>;
}

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
/** 64 bytes in base64; the unused bits of the last digit are zero. */
const SIGNATURE = /^[A-Za-z0-9+/]{85}[AQgw]==$/;

/** A new random 32-byte seed as 64 hex digits. */
export function newSeedHex(): string {
  return randomBytes(32).toString('hex');
}

/** The key of a 32-byte seed written as 64 hex digits. Throws a RangeError that does not repeat the seed. */
export function signingKeyFromSeed(seedHex: string): SigningKey {
  if (!/^[0-9a-fA-F]{64}$/.test(seedHex)) throw new RangeError('a signing seed must be 64 hex digits');
  const der = Buffer.concat([PKCS8_PREFIX, Buffer.from(seedHex, 'hex')]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const raw = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length);
  return {
    did: didOfPublicKey(raw),
    sign: async (bytes) => {
      if (mayRunInline(bytes.byteLength)) return sign(null, bytes, privateKey).toString('base64');
      return new Promise((resolve, reject) => {
        sign(null, bytes, privateKey, (error, signature) =>
          error === null ? resolve(signature.toString('base64')) : reject(error),
        );
      });
    },
  };
}

/**
 * Whether `base64` is the Ed25519 signature of the bytes by the key of the DID. The base64 must be the strict form of
 * exactly 64 bytes. Throws DidInvalid when the DID names no usable key. Runs off the event loop when that is busy.
 */
export function verifySignature(did: string, bytes: Uint8Array, base64: string): Promise<boolean> {
  const key = publicKeyObject(did);
  const signature = decodeSignature(base64);
  if (signature === undefined) return Promise.resolve(false);
  if (mayRunInline(bytes.byteLength)) return Promise.resolve(verify(null, bytes, key, signature));
  return new Promise((resolve, reject) => {
    verify(null, bytes, key, signature, (error, valid) => (error === null ? resolve(valid) : reject(error)));
  });
}

/** The 64 bytes of a strictly encoded signature; undefined for any other text. */
function decodeSignature(base64: string): Buffer | undefined {
  return SIGNATURE.test(base64) ? Buffer.from(base64, 'base64') : undefined;
}

/** Keys of the DIDs seen last; decoding one costs far more than a verification. */
const keys = new Map<string, KeyObject>();
const MAX_KEYS = 4096;

function publicKeyObject(did: string): KeyObject {
  const cached = keys.get(did);
  if (cached !== undefined) return cached;
  const der = Buffer.concat([SPKI_PREFIX, publicKeyOfDid(did)]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  if (keys.size >= MAX_KEYS) keys.delete(keys.keys().next().value as string);
  keys.set(did, key);
  return key;
}
