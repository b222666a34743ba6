import type { Pool } from '../../postgres/pool.js';
import { AipError } from '../../protocol/errors.js';
import { parseJson } from '../../protocol/json.js';
import { MAX_PAGE_BYTES } from '../../protocol/limits.js';
import type { Capability } from '../../protocol/types.js';
import { readCatalogRevision } from '../catalog-revision.js';

/** A query of one tenant's capabilities. `limit` 1 to 200; `text` is a literal, case-insensitive part of id, name or description. */
export interface CatalogQuery {
  readonly tenantId: string;
  readonly capabilityId?: string | undefined;
  readonly text?: string | undefined;
  readonly profile?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** One page (docs/protocol/registry.md#catalog); next_cursor is null at the end. */
export interface CatalogPage {
  readonly catalog_revision: number;
  readonly capabilities: readonly {
    readonly capability: Capability;
    readonly contract_digest: string;
    readonly schema_digest: string;
  }[];
  readonly next_cursor: string | null;
  readonly total: number;
}

// Capabilities that a tenant sees: some enabled binding to an enabled instance with an active version of an enabled type, whose manifest lists
// the profile where one is named.
const VISIBLE = `
FROM registry.capabilities c WHERE ($2::text IS NULL OR c.id = $2) AND ($3::text IS NULL OR position($3 in c.search_text) > 0) AND EXISTS (
  SELECT FROM registry.bindings b
  JOIN registry.instances i ON i.id = b.instance_id AND i.enabled AND i.tenant_id = b.tenant_id
  JOIN registry.versions v ON v.id = i.version_id AND v.status = 'active'
  JOIN registry.version_capabilities vc ON vc.version_id = v.id AND vc.capability_id = c.id
  JOIN registry.types t ON t.id = i.type_id AND t.enabled
  WHERE b.tenant_id = $1 AND b.capability_id = c.id AND b.enabled
    AND ($4::text IS NULL OR EXISTS (SELECT FROM registry.version_profiles p WHERE p.version_id = v.id AND p.profile = $4)))`;

const COUNT = `SELECT count(*) AS total ${VISIBLE}`;

// One row more than requested reports whether a next page exists; the running size ends the page at 4 MiB, never before its first row.
const READ = `
SELECT id, record, contract_digest, schema_digest, size FROM (
  SELECT c.id, c.record::text AS record, c.contract_digest, c.schema_digest, sum(c.canonical_bytes) OVER (ORDER BY c.id)::int8 AS size
  ${VISIBLE} AND ($5::text IS NULL OR c.id > $5) ORDER BY c.id LIMIT $6) page ORDER BY id`;

/**
 * Reads one page of the tenant's catalog. Throws `connector_catalog.invalid_query` for a malformed cursor, `connector_catalog.stale_cursor` after a
 * catalog change.
 */
export async function readCatalogPage(pool: Pool, query: CatalogQuery): Promise<CatalogPage> {
  return pool.tx(async (client) => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const revision = await readCatalogRevision(client);
    const after = query.cursor === undefined ? null : afterCursor(query.cursor, revision);
    const text = query.text === undefined || query.text === '' ? null : query.text.toLowerCase();
    const filters = [query.tenantId, query.capabilityId ?? null, text, query.profile ?? null];
    const { rows: counted } = await client.query<{ total: number }>(COUNT, filters);
    const { rows } = await client.query<{
      id: string;
      record: string;
      contract_digest: string;
      schema_digest: string;
      size: number;
    }>(READ, [...filters, after, query.limit + 1]);
    const fitting = rows.slice(0, query.limit).filter((row, index) => index === 0 || row.size <= MAX_PAGE_BYTES);
    const more = fitting.length < rows.length;
    return {
      catalog_revision: revision,
      capabilities: fitting.map((row) => ({
        capability: parseJson(row.record) as Capability,
        contract_digest: row.contract_digest,
        schema_digest: row.schema_digest,
      })),
      next_cursor: more ? `${revision}:${fitting.at(-1)?.id}` : null,
      total: counted[0]?.total ?? 0,
    };
  });
}

/** The id after which a cursor continues; a cursor is `<revision>:<last id>`. */
function afterCursor(cursor: string, revision: number): string {
  const [, at, id] = /^(\d{1,15}):(.+)$/s.exec(cursor) ?? [];
  if (at === undefined || id === undefined)
    throw new AipError('connector_catalog.invalid_query', 'the cursor is not one that this query returned');
  if (Number(at) !== revision) throw new AipError('connector_catalog.stale_cursor');
  return id;
}
