import { type KeyObject, sign, verify } from 'node:crypto';
import { createRequire } from 'node:module';

/** A private key in the form of each library: OpenSSL's object, and the 64 bytes of seed and public key that libsodium takes. */
export interface PrivateKey {
  readonly object: KeyObject;
  readonly secret: Buffer;
}

/** A public key in the form of each library. */
export interface PublicKey {
  readonly object: KeyObject;
  readonly raw: Buffer;
}

/** Makes and checks Ed25519 signatures on the calling thread. Each library makes the same signatures and, under a usable key, accepts the same ones. */
export interface Ed25519 {
  /** The 64 bytes of the signature. */
  sign(bytes: Uint8Array, key: PrivateKey): Buffer;
  /** Whether these 64 bytes are the key's signature. */
  verify(bytes: Uint8Array, signature: Buffer, key: PublicKey): boolean;
}

/** What is used of libsodium. */
interface Sodium {
  crypto_sign_detached(signature: Buffer, bytes: Uint8Array, secret: Buffer): void;
  crypto_sign_verify_detached(signature: Buffer, bytes: Uint8Array, key: Buffer): boolean;
}

const SIGNATURE_BYTES = 64;

/** By node:crypto. */
export const openssl: Ed25519 = {
  sign: (bytes, { object }) => sign(null, bytes, object),
  verify: (bytes, signature, { object }) => verify(null, bytes, object, signature),
};

/** By libsodium; undefined where the package has no library for this platform. */
export function openLibsodium(): Ed25519 | undefined {
  let sodium: Sodium;
  try {
    sodium = createRequire(import.meta.url)('sodium-native') as Sodium;
  } catch {
    return undefined;
  }
  return {
    sign: (bytes, { secret }) => {
      const signature = Buffer.alloc(SIGNATURE_BYTES);
      sodium.crypto_sign_detached(signature, bytes, secret);
      return signature;
    },
    verify: (bytes, signature, { raw }) => sodium.crypto_sign_verify_detached(signature, bytes, raw),
  };
}
