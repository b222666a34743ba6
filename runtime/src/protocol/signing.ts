import { createPrivateKey, createPublicKey, randomBytes, sign, verify } from 'node:crypto';
import { mayRunInline } from './content/inline-budget.js';
import { didOfPublicKey, publicKeyOfDid } from './identity/did.js';
import { type Ed25519, openLibsodium, openssl, type PrivateKey, type PublicKey } from './identity/ed25519.js';

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

/** What makes and checks the signatures that run on the event loop. */
let onLoop: Ed25519 = openssl;

/**
 * Lets libsodium make and check the signatures that run on the event loop, which takes half the CPU. Returns false where there is none for this
 * platform: node:crypto continues. For long-running programs, since loading it takes as much CPU as some hundred signatures.
 */
export function signWithLibsodium(): boolean {
  const libsodium = openLibsodium();
  onLoop = libsodium ?? openssl;
  return libsodium !== undefined;
}

/** A new random 32-byte seed as 64 hex digits. */
export function newSeedHex(): string {
  return randomBytes(32).toString('hex');
}

/** The key of a 32-byte seed written as 64 hex digits. Throws a RangeError that does not repeat the seed. */
export function signingKeyFromSeed(seedHex: string): SigningKey {
  if (!/^[0-9a-fA-F]{64}$/.test(seedHex)) throw new RangeError('a signing seed must be 64 hex digits');
  const seed = Buffer.from(seedHex, 'hex');
  const object = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const raw = createPublicKey(object).export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length);
  const key: PrivateKey = { object, secret: Buffer.concat([seed, raw]) };
  return {
    did: didOfPublicKey(raw),
    sign: async (bytes) => {
      if (mayRunInline(bytes.byteLength)) return onLoop.sign(bytes, key).toString('base64');
      return new Promise((resolve, reject) => {
        sign(null, bytes, object, (error, signature) =>
          error === null ? resolve(signature.toString('base64')) : reject(error),
        );
      });
    },
  };
}

/**
 * Whether `base64` is the Ed25519 signature of the bytes by the key of the DID. The base64 must be the strict form of
 * exactly 64 bytes. Throws `auth.signature.invalid` when the DID names no usable key. Runs off the event loop when that is busy.
 */
export function verifySignature(did: string, bytes: Uint8Array, base64: string): Promise<boolean> {
  const key = publicKey(did);
  const signature = decodeSignature(base64);
  if (signature === undefined) return Promise.resolve(false);
  if (mayRunInline(bytes.byteLength)) return Promise.resolve(onLoop.verify(bytes, signature, key));
  return new Promise((resolve, reject) => {
    verify(null, bytes, key.object, signature, (error, valid) => (error === null ? resolve(valid) : reject(error)));
  });
}

/** The 64 bytes of a strictly encoded signature; undefined for any other text. */
function decodeSignature(base64: string): Buffer | undefined {
  return SIGNATURE.test(base64) ? Buffer.from(base64, 'base64') : undefined;
}

/** Keys of the DIDs seen last; decoding one costs far more than a verification. */
const keys = new Map<string, PublicKey>();
const MAX_KEYS = 4096;

function publicKey(did: string): PublicKey {
  const cached = keys.get(did);
  if (cached !== undefined) return cached;
  const raw = Buffer.from(publicKeyOfDid(did));
  const der = Buffer.concat([SPKI_PREFIX, raw]);
  const key: PublicKey = { object: createPublicKey({ key: der, format: 'der', type: 'spki' }), raw };
  if (keys.size >= MAX_KEYS) keys.delete(keys.keys().next().value as string);
  keys.set(did, key);
  return key;
}
