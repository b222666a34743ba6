import { isDid } from '../../protocol/identity/did.js';

/** The DIDs under which one party may be met now, the one to address first. */
export type DidList = readonly [active: string, ...others: string[]];

/** More are never needed: a rotation has an active, a next and a few former ones. */
const MAX_DIDS = 8;
/** Bound of a file with a list, in bytes. */
export const MAX_DID_LIST_BYTES = 4096;

/** The did:keys of a text with one a line, the active one first. Throws a RangeError that says what is wrong with it. */
export function parseDidList(text: string): DidList {
  const dids = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const wrong = dids.findIndex((did) => !isDid(did));
  if (wrong >= 0)
    throw new RangeError(`must hold a did:key of an Ed25519 public key a line; line ${wrong + 1} is none`);
  const [active, ...others] = dids;
  if (active === undefined || dids.length > MAX_DIDS) throw new RangeError(`must hold 1 to ${MAX_DIDS} DIDs`);
  if (new Set(dids).size !== dids.length) throw new RangeError('holds a DID twice');
  return [active, ...others];
}
