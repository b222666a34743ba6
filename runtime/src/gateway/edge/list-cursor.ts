import { createHash } from 'node:crypto';
import { CursorInvalid } from '../../protocol/errors.js';
import type { Identity } from './identity.js';

/** The form of a list cursor's text: version, digest of what it belongs to, position. */
const FORM = /^([\w-]{22})\.(\d{1,16})$/;
/** The form of a cursor whose position is a text. */
const KEY_FORM = /^([\w-]{22})\.([\w-]+)$/;

/**
 * What a cursor belongs to: the operation, the caller and the filters (D-11). A cursor is refused anywhere else.
 */
export interface CursorBinding {
  readonly operation: string;
  readonly identity: Identity;
  readonly filters: Readonly<Record<string, unknown>>;
}

/** The opaque cursor that continues a list behind `position`. */
export function listCursor(binding: CursorBinding, position: number): string {
  return `${digestOf(binding)}.${position}`;
}

/** The position of a cursor that was issued for exactly this list. Throws CursorInvalid for every other text. */
export function positionOf(binding: CursorBinding, cursor: string): number {
  const match = FORM.exec(cursor);
  if (!match || match[1] !== digestOf(binding)) throw new CursorInvalid();
  const position = Number(match[2]);
  if (!Number.isSafeInteger(position)) throw new CursorInvalid();
  return position;
}

/** The opaque cursor that continues a list behind the row named `key`. */
export function keyCursor(binding: CursorBinding, key: string): string {
  return `${digestOf(binding)}.${Buffer.from(key).toString('base64url')}`;
}

/** The key of a cursor that was issued for exactly this list. Throws CursorInvalid for every other text. */
export function keyOf(binding: CursorBinding, cursor: string): string {
  const match = KEY_FORM.exec(cursor);
  if (!match || match[1] !== digestOf(binding)) throw new CursorInvalid();
  return Buffer.from(match[2] as string, 'base64url').toString();
}

function digestOf({ operation, identity, filters }: CursorBinding): string {
  const named = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([operation, identity.principal.id, identity.tenantId ?? null, named]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
