import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { Queryable } from '../../../postgres/pool.js';
import { CursorInvalid } from '../../../protocol/errors.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const READ = 'SELECT key FROM runtime.cursor_key';

/**
 * Seals the positions of rows into cursors. A position counts the rows of every tenant, so a reader must not see it; and a cursor that was
 * changed, or that belongs to another list, does not open.
 */
export interface CursorSeal {
  /** The cursor of a position. The same position of the same list has the same cursor on every gateway. */
  seal(binding: string, position: Buffer): string;
  /** The position of a cursor that was sealed for exactly this binding. Throws CursorInvalid for every other text. */
  open(binding: string, cursor: string): Buffer;
}

/** The seals by the pool that read their key, which is the same for the life of a database. */
const seals = new WeakMap<Queryable, Promise<CursorSeal>>();

/** The seal of the deployment whose database this is. The key is read once per pool. Throws StorageUnavailable. */
export async function cursorSeal(db: Queryable): Promise<CursorSeal> {
  const known = seals.get(db);
  if (known) return known;
  const opened = readSeal(db);
  seals.set(db, opened);
  opened.catch(() => seals.delete(db));
  return opened;
}

async function readSeal(db: Queryable): Promise<CursorSeal> {
  const { rows } = await db.query<{ key: Buffer }>({ name: 'runtime.cursor_key.read', text: READ });
  const [row] = rows;
  if (!row) throw new Error('runtime.cursor_key has no row: restore the row that its migration inserted');
  return sealOf(row.key);
}

/** The seal of a key of 32 bytes. */
export function sealOf(key: Buffer): CursorSeal {
  const keyFor = (use: string): Buffer => createHmac('sha256', key).update(use).digest();
  const sealing = keyFor('seal');
  const naming = keyFor('nonce');
  return {
    seal: (binding, position) => {
      // The nonce follows from what is sealed, so two different positions never share one and a page has one cursor.
      const nonce = createHmac('sha256', naming).update(`${binding.length}:${binding}`).update(position).digest();
      const cipher = createCipheriv(CIPHER, sealing, nonce.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(binding));
      const sealed = [nonce.subarray(0, NONCE_BYTES), cipher.update(position), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString('base64url');
    },
    open: (binding, cursor) => {
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.length <= NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== cursor) throw new CursorInvalid();
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const cipher = createDecipheriv(CIPHER, sealing, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(binding));
      cipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), cipher.final()]);
      } catch {
        throw new CursorInvalid();
      }
    },
  };
}
