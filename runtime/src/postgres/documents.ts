import { createHash, randomUUID } from 'node:crypto';
import type { DocumentReference } from '../protocol/content/documents.js';
import { openJsonCheck } from '../protocol/decode/json-check.js';
import type { Pool } from './pool.js';
import { removalByAge, removeExpired } from './retention/expired-rows.js';

/** Bytes of one stored part. */
const PART_BYTES = 262_144;

/** JSON documents of actions, in parts, so that none is ever held as a whole. Everything throws StorageUnavailable. */
export interface DocumentStore {
  /**
   * Stores a document of an action. Throws JsonInvalid when it is not JSON, and what `parts` throws; nothing is left
   * then.
   */
  write(actionId: string, parts: AsyncIterable<Uint8Array>): Promise<DocumentReference>;
  /** Whether the action has the document. */
  has(actionId: string, digest: string): Promise<boolean>;
  /** The parts of a document that the action has. */
  read(actionId: string, digest: string): AsyncIterable<Buffer>;
  /** Removes the documents that are older than `before`, and such parts of none that is kept, in batches until `signal` fires. */
  prune(before: number, signal?: AbortSignal): Promise<void>;
}

/** SQL of the two tables; `action` completes the column of the action's id. */
export function documentTables(prefix: string, action = ''): string {
  return `
-- JSON documents too large for a result, in parts. A document without a row in the first table was never completed.
CREATE TABLE ${prefix}documents (
  action_id text COLLATE "C" NOT NULL${action},
  digest text COLLATE "C" NOT NULL,
  document_id uuid NOT NULL,
  bytes bigint NOT NULL,
  stored_at bigint NOT NULL,
  PRIMARY KEY (action_id, digest)
);
CREATE TABLE ${prefix}document_parts (
  document_id uuid NOT NULL,
  part integer NOT NULL,
  action_id text COLLATE "C" NOT NULL${action},
  stored_at bigint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (document_id, part)
);
CREATE INDEX document_parts_action ON ${prefix}document_parts (action_id);
CREATE INDEX document_parts_age ON ${prefix}document_parts (stored_at);
`;
}

/** Opens the store over the tables of `documentTables(prefix)`; that of one tenant where the tables are those of several. */
export function openDocumentStore({
  pool,
  prefix,
  clock,
  tenantId,
}: {
  pool: Pool;
  prefix: string;
  clock: () => number;
  tenantId?: string | undefined;
}): DocumentStore {
  const [column, equals] =
    tenantId === undefined ? ['', () => ''] : [', tenant_id', (at: number) => ` AND tenant_id = $${at}`];
  const place = (at: number): string => (tenantId === undefined ? '' : `, $${at}`);
  const tenant = tenantId === undefined ? [] : [tenantId];
  const PUT_PART = `
INSERT INTO ${prefix}document_parts (document_id, part, action_id, stored_at, bytes${column}) VALUES ($1, $2, $3, $4, $5${place(6)})`;
  // The same document of the same action again: the first one stays.
  const PUT = `
INSERT INTO ${prefix}documents (action_id, digest, document_id, bytes, stored_at${column}) VALUES ($1, $2, $3, $4, $5${place(6)})
ON CONFLICT (action_id, digest${column}) DO NOTHING RETURNING document_id`;
  const DROP = `DELETE FROM ${prefix}document_parts WHERE document_id = $1`;
  const FIND = `SELECT document_id FROM ${prefix}documents WHERE action_id = $1 AND digest = $2${equals(3)}`;
  const PART = `SELECT bytes FROM ${prefix}document_parts WHERE document_id = $1 AND part = $2`;
  const PRUNE = removalByAge({ table: `${prefix}documents`, at: 'stored_at' });
  const parts = `${prefix}document_parts`;
  const PRUNE_PARTS = removalByAge({
    table: parts,
    at: 'stored_at',
    where: `NOT EXISTS (
      SELECT FROM ${prefix}documents d WHERE d.action_id = ${parts}.action_id AND d.document_id = ${parts}.document_id)`,
  });

  const find = async (actionId: string, digest: string): Promise<string | undefined> => {
    const { rows } = await pool.query<{ document_id: string }>({ text: FIND, values: [actionId, digest, ...tenant] });
    return rows[0]?.document_id;
  };

  return {
    has: async (actionId, digest) => (await find(actionId, digest)) !== undefined,
    write: async (actionId, source) => {
      const documentId = randomUUID();
      const hash = createHash('sha256');
      const check = openJsonCheck();
      let bytes = 0;
      let part = 0;
      try {
        for await (const piece of inParts(source)) {
          check.push(piece);
          hash.update(piece);
          bytes += piece.length;
          await pool.query({
            name: `${prefix}document_part`,
            text: PUT_PART,
            values: [documentId, part, actionId, clock(), piece, ...tenant],
          });
          part += 1;
        }
        check.end();
        const digest = `sha256:${hash.digest('hex')}`;
        const { rows } = await pool.query({
          text: PUT,
          values: [actionId, digest, documentId, bytes, clock(), ...tenant],
        });
        if (rows.length === 0) await pool.query({ text: DROP, values: [documentId] });
        return { digest, bytes };
      } catch (error) {
        await pool.query({ text: DROP, values: [documentId] }).catch(() => undefined);
        throw error;
      }
    },
    read: async function* (actionId, digest) {
      const documentId = await find(actionId, digest);
      if (documentId === undefined) return;
      for (let part = 0; ; part += 1) {
        const { rows } = await pool.query<{ bytes: Buffer }>({
          name: `${prefix}document_read`,
          text: PART,
          values: [documentId, part],
        });
        if (!rows[0]) return;
        yield rows[0].bytes;
      }
    },
    prune: async (before, signal) => {
      await removeExpired(pool, { text: PRUNE, before }, signal);
      await removeExpired(pool, { text: PRUNE_PARTS, before }, signal);
    },
  };
}

/** The same bytes in pieces of one size, the last one smaller. */
async function* inParts(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const piece of source) {
    waiting.push(piece);
    size += piece.length;
    if (size < PART_BYTES) continue;
    const whole = Buffer.concat(waiting, size);
    let from = 0;
    for (; whole.length - from >= PART_BYTES; from += PART_BYTES) yield whole.subarray(from, from + PART_BYTES);
    waiting = from < whole.length ? [whole.subarray(from)] : [];
    size = whole.length - from;
  }
  if (size > 0) yield Buffer.concat(waiting, size);
}
