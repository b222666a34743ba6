import { randomFillSync } from 'node:crypto';
import { type Clock, systemClock } from './clock.js';

/** Prefix of each identifier kind (docs/protocol/envelope.md#identifiers). */
export const PREFIX = {
  message: 'msg_',
  session: 'sess_',
  correlation: 'corr_',
  action: 'act_',
  approval: 'appr_',
  delegation: 'dlg_',
  event: 'evt_',
  receipt: 'rcpt_',
  transaction: 'txn_',
  conversation: 'conv_',
  connectorType: 'ctype_',
  connectorVersion: 'cver_',
  connectorInstance: 'cinst_',
  connectorReplica: 'crepl_',
  route: 'route_',
} as const;

/** A kind of identifier that has a prefix. */
export type IdKind = keyof typeof PREFIX;

const MAX_ID_BYTES = 256;

const pool = Buffer.alloc(4096);
let taken = pool.length;

function randomBytes10(): Buffer {
  if (taken + 10 > pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  const bytes = pool.subarray(taken, taken + 10);
  taken += 10;
  return bytes;
}

/** A new identifier: prefix and UUID version 7 as 32 lower-case hex digits, so ids of one kind sort by time. */
export function newId(kind: IdKind, clock: Clock = systemClock): string {
  const random = randomBytes10();
  random[0] = 0x70 | ((random[0] as number) & 0x0f);
  random[2] = 0x80 | ((random[2] as number) & 0x3f);
  return PREFIX[kind] + Math.floor(clock()).toString(16).padStart(12, '0') + random.toString('hex');
}

/**
 * Whether the text may be an identifier of the kind: its prefix, something after it, at most 256 bytes, no control
 * characters. For paths, queries and configuration; bodies take any string (docs/protocol/envelope.md#identifiers).
 */
export function isId(kind: IdKind, text: string): boolean {
  return text.length > PREFIX[kind].length && text.startsWith(PREFIX[kind]) && isPlainId(text);
}

/** Whether the text may be an identifier without prefix rule: 1 to 256 bytes, no control characters. */
export function isPlainId(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  return text.length > 0 && Buffer.byteLength(text) <= MAX_ID_BYTES && !/[\u0000-\u001f\u007f]/.test(text);
}
