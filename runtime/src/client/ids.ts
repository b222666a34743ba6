import { IdInvalid } from './errors.js';

/** Longest identifier that is sent, in UTF-8 bytes. */
export const MAX_ID_BYTES = 256;

const PREFIXES = {
  action: 'act_',
  session: 'sess_',
  correlation: 'corr_',
  approval: 'appr_',
  transaction: 'txn_',
  event: 'evt_',
  receipt: 'rcpt_',
  message: 'msg_',
} as const;

/** Kinds of identifiers that are checked before they are sent. */
export type IdKind = keyof typeof PREFIXES;

/**
 * Checks the documented prefix and length of an identifier and gives it back unchanged; the rest of it is opaque (docs/protocol/envelope.md#identifiers). Throws IdInvalid before anything is sent.
 */
export function checkId(kind: IdKind, text: string): string {
  const prefix = PREFIXES[kind];
  if (text === prefix) throw new IdInvalid(`${JSON.stringify(text)} is only the beginning of an id.`, kind);
  if (!text.startsWith(prefix))
    throw new IdInvalid(
      `${JSON.stringify(text.slice(0, 80))} is not ${kind === 'action' || kind === 'event' || kind === 'approval' ? 'an' : 'a'} ${kind} id: those begin with ${prefix}.`,
      kind,
    );
  if (Buffer.byteLength(text) > MAX_ID_BYTES)
    throw new IdInvalid(
      `The ${kind} id has ${Buffer.byteLength(text)} bytes; at most ${MAX_ID_BYTES} are allowed.`,
      kind,
    );
  return text;
}
