import type { Placement } from '../routes/place.js';
import type { Share } from './ledger.js';

/** One name for a share; no key has the character between. */
export const nameOf = ({ scope, key }: { readonly scope: string; readonly key: string }): string =>
  `${scope}\u001f${key}`;

/** The shares that a placement takes a slot of each. */
export function sharesOf({ replica_id, admission }: Placement): Share[] {
  return [
    { scope: 'replica', key: replica_id },
    ...admission.base.map(({ kind, key, limit }) => ({ scope: kind, key, limit })),
  ];
}
