import { CatalogQueryInvalid } from '../../protocol/errors.js';
import { DEFAULT_CATALOG_PAGE_SIZE, MAX_CATALOG_PAGE_SIZE } from '../../protocol/limits.js';

/** Bytes that a filter and a cursor may have (docs/protocol/registry.md#catalog). */
const MAX_FILTER_BYTES = 512;
const MAX_CURSOR_BYTES = 2048;

/** What a caller asks of the catalog of its tenant. */
export interface CatalogQuery {
  capabilityId?: string;
  /** Literal text, compared without regard to case with id, name and description. */
  text?: string;
  profile?: string;
  cursor?: string;
  /** Rows of the page, 1 to 200. */
  limit: number;
}

type Field = 'capability_id' | 'text' | 'profile' | 'cursor' | 'limit';

/**
 * Reads the query string of GET /aip/v1/capabilities: capability_id, text, profile, cursor, limit, each at most once. Absent limit means
 * 100; any other whole number is clamped to 1 through 200. Throws CatalogQueryInvalid naming the parameter.
 */
export function readCatalogQuery(url: string): CatalogQuery {
  const at = url.indexOf('?');
  const found: Partial<Record<Field, string>> = {};
  for (const [name, value] of new URLSearchParams(at < 0 ? '' : url.slice(at + 1))) {
    if (!isField(name)) throw invalid(name, 'is not known here');
    if (found[name] !== undefined) throw invalid(name, 'was given twice');
    found[name] = value;
  }
  const { capability_id, text, profile, cursor, limit } = found;
  for (const name of ['capability_id', 'profile'] as const) {
    if (found[name] !== undefined) checkFilter(name, found[name], 1);
  }
  if (text !== undefined) checkFilter('text', text, 0);
  if (cursor !== undefined && (cursor === '' || Buffer.byteLength(cursor) > MAX_CURSOR_BYTES)) {
    throw invalid('cursor', 'was not issued by this route');
  }
  return {
    ...(capability_id !== undefined && { capabilityId: capability_id }),
    ...(text !== undefined && text !== '' && { text }),
    ...(profile !== undefined && { profile }),
    ...(cursor !== undefined && { cursor }),
    limit: rowsOf(limit),
  };
}

function isField(name: string): name is Field {
  return ['capability_id', 'text', 'profile', 'cursor', 'limit'].includes(name);
}

function checkFilter(name: Field, value: string, minBytes: number): void {
  const bytes = Buffer.byteLength(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (bytes < minBytes || bytes > MAX_FILTER_BYTES || /[\u0000-\u001f\u007f]/.test(value)) {
    throw invalid(name, `must be ${minBytes} to ${MAX_FILTER_BYTES} bytes of text without control characters`);
  }
}

function rowsOf(limit: string | undefined): number {
  if (limit === undefined) return DEFAULT_CATALOG_PAGE_SIZE;
  if (!/^-?\d{1,15}$/.test(limit)) throw invalid('limit', 'must be a whole number');
  return Math.min(MAX_CATALOG_PAGE_SIZE, Math.max(1, Number(limit)));
}

function invalid(name: string, why: string): CatalogQueryInvalid {
  const parameter = JSON.stringify(name.slice(0, 64)).slice(1, -1);
  return new CatalogQueryInvalid(`the query parameter ${parameter} ${why}`, { details: { parameter } });
}
