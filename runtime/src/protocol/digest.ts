import { hash } from 'node:crypto';
import { canonicalJson } from './canonical.js';

/** SHA-256 as 64 lower-case hex digits; a string is hashed as its UTF-8 bytes. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** Digest of a value: `sha256:` and the hex SHA-256 of its canonical form, 71 characters (docs/protocol/manifest.md#digests). */
export function digestOf(value: unknown): string {
  return `sha256:${sha256Hex(canonicalJson(value))}`;
}

/** Whether the text is a digest: `sha256:` and 64 lower-case hex digits. */
export function isDigest(text: unknown): text is string {
  return typeof text === 'string' && /^sha256:[0-9a-f]{64}$/.test(text);
}
