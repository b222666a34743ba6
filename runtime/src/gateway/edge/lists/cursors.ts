import { createHash } from 'node:crypto';
import type { Queryable } from '../../../postgres/pool.js';
import { CursorInvalid } from '../../../protocol/errors.js';
import type { Identity } from '../identity.js';
import { cursorSeal } from './seal.js';

/** The form of a cursor whose position is a text that its reader has seen, such as the id of the last row. */
const KEY_FORM = /^([\w-]{22})\.([\w-]+)$/;

/**
 * What a cursor belongs to: the operation, the caller and the filters (D-11). A cursor is refused anywhere else.
 */
export interface CursorBinding {
  readonly operation: string;
  readonly identity: Identity;
  readonly filters: Readonly<Record<string, unknown>>;
}

/** Writes and reads the cursors of one list. */
export interface ListCursors {
  /** The opaque cursor that continues the list behind a position. */
  write(position: string): string;
  /** The position of a cursor that was issued for exactly this list. Throws CursorInvalid for every other text. */
  read(cursor: string): string;
}

/** The cursors of a list, whose positions stay sealed. Throws StorageUnavailable. */
export async function listCursors(db: Queryable, binding: CursorBinding): Promise<ListCursors> {
  const seal = await cursorSeal(db);
  const bound = bindingText(binding);
  return {
    write: (position) => seal.seal(bound, Buffer.from(position)),
    read: (cursor) => seal.open(bound, cursor).toString(),
  };
}

/** As listCursors, for positions that are the number of a row. */
export async function rowCursors(
  db: Queryable,
  binding: CursorBinding,
): Promise<{ write(row: number): string; read(cursor: string): number }> {
  const cursors = await listCursors(db, binding);
  return { write: (row) => cursors.write(String(row)), read: (cursor) => Number(cursors.read(cursor)) };
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

function digestOf(binding: CursorBinding): string {
  return createHash('sha256').update(bindingText(binding)).digest('base64url').slice(0, 22);
}

function bindingText({ operation, identity, filters }: CursorBinding): string {
  const named = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([operation, identity.principal.id, identity.tenantId ?? null, named]);
}
