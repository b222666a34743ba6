import { hash } from 'node:crypto';
import { canonicalJson } from '../../protocol/canonical.js';
import { CursorInvalid } from '../../protocol/errors.js';
import type { Identity } from '../edge/identity.js';
import type { StreamPosition } from './log/position.js';
import type { Selection } from './selection.js';

const VERSION = 1;
const PAYLOAD_BYTES = 25;
const DIGEST_BYTES = 8;
const NO_CHUNK = 0xffffffffffffffffn;
const TOKEN = /^[A-Za-z0-9_-]{44}$/;

/** Writes and reads the cursors of one operation, identity and filter. */
export interface Cursors {
  /** What the tokens are bound to: streams of one binding have the same token for a place. */
  readonly binding: string;
  /** The opaque token of a place. */
  write(at: StreamPosition): string;
  /** The place of a token. Throws CursorInvalid for what these very cursors did not write (D-11). */
  read(token: string): StreamPosition;
}

/**
 * Cursors bound to the route, the caller, the tenant and the filter of a selection. The binding is a digest, no secret:
 * every gateway reads what another wrote, and what a cursor may show is decided by the query that it continues, never
 * by the cursor.
 */
export function cursorsOf(selection: Selection, identity: Identity): Cursors {
  const { route, action, access, kinds, chunks } = selection;
  const binding = canonicalJson({
    route,
    action: action?.id ?? null,
    principal: [identity.principal.kind, identity.principal.id],
    tenant: [identity.tenantId ?? null, access.tenant],
    kinds: kinds ?? null,
    chunks,
  });
  const digest = (payload: Buffer): Buffer =>
    hash('sha256', `${binding}\n${payload.toString('base64')}`, 'buffer').subarray(0, DIGEST_BYTES);
  return {
    binding,
    write: (at) => {
      const payload = encode(at);
      return Buffer.concat([payload, digest(payload)]).toString('base64url');
    },
    read: (token) => {
      if (!TOKEN.test(token)) throw new CursorInvalid();
      const bytes = Buffer.from(token, 'base64url');
      const payload = bytes.subarray(0, PAYLOAD_BYTES);
      if (payload[0] !== VERSION || !digest(payload).equals(bytes.subarray(PAYLOAD_BYTES))) throw new CursorInvalid();
      return decode(payload);
    },
  };
}

function encode({ event, chunk }: StreamPosition): Buffer {
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  payload.writeUInt8(VERSION);
  payload.writeBigUInt64BE(BigInt(event.xid), 1);
  payload.writeBigUInt64BE(BigInt(event.seq), 9);
  payload.writeBigUInt64BE(chunk === null ? NO_CHUNK : BigInt(chunk), 17);
  return payload;
}

function decode(payload: Buffer): StreamPosition {
  const chunk = payload.readBigUInt64BE(17);
  return {
    event: { xid: Number(payload.readBigUInt64BE(1)), seq: Number(payload.readBigUInt64BE(9)) },
    chunk: chunk === NO_CHUNK ? null : Number(chunk),
  };
}
