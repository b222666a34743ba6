import type { Queryable } from '../../postgres/pool.js';
import { canonicalJson } from '../../protocol/canonical.js';
import { CursorInvalid } from '../../protocol/errors.js';
import type { Identity } from '../edge/identity.js';
import { type CursorSeal, cursorSeal } from '../edge/lists/seal.js';
import type { StreamPosition } from './log/position.js';
import type { Selection } from './selection.js';

const VERSION = 2;
const PAYLOAD_BYTES = 25;
const NO_CHUNK = 0xffffffffffffffffn;

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
 * Cursors sealed for the route, the caller, the tenant and the filter of a selection: every gateway reads what another wrote. What a cursor
 * may show is decided by the query that it continues, never by the cursor. Throws StorageUnavailable.
 */
export async function cursorsOf(db: Queryable, selection: Selection, identity: Identity): Promise<Cursors> {
  return sealedCursors(await cursorSeal(db), selection, identity);
}

/** As cursorsOf, with a seal that was read before. */
export function sealedCursors(seal: CursorSeal, selection: Selection, identity: Identity): Cursors {
  const { route, action, access, kinds, chunks } = selection;
  const binding = canonicalJson({
    route,
    action: action?.id ?? null,
    principal: [identity.principal.kind, identity.principal.id],
    tenant: [identity.tenantId ?? null, access.tenant],
    kinds: kinds ?? null,
    chunks,
  });
  return {
    binding,
    write: (at) => seal.seal(binding, encode(at)),
    read: (token) => {
      const payload = seal.open(binding, token);
      if (payload.length !== PAYLOAD_BYTES || payload[0] !== VERSION) throw new CursorInvalid();
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
