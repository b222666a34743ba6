import { AipError, QueryInvalid } from '../../../protocol/errors.js';
import { DEFAULT_CATALOG_PAGE_SIZE, MAX_CATALOG_PAGE_SIZE } from '../../../protocol/limits.js';
import {
  cursorText,
  freeText,
  optionalText,
  type Parameter,
  readQuery,
  rowsUpTo,
} from '../../edge/query-parameters.js';

/** Bytes that a filter may have (docs/protocol/registry.md#catalog). */
const MAX_FILTER_BYTES = 512;

/** The parameters of GET /aip/v1/capabilities; `text` is compared without regard to case with id, name and description. */
export const CATALOG = {
  capability_id: freeText(MAX_FILTER_BYTES),
  text: optionalText(MAX_FILTER_BYTES),
  profile: freeText(MAX_FILTER_BYTES),
  cursor: cursorText,
  limit: rowsUpTo(MAX_CATALOG_PAGE_SIZE, DEFAULT_CATALOG_PAGE_SIZE),
} satisfies Record<string, Parameter<unknown>>;

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

/**
 * Reads the query string of GET /aip/v1/capabilities, each parameter at most once. Absent limit means 100; any other
 * whole number is clamped to 1 through 200. Throws `connector_catalog.invalid_query` naming the parameter.
 */
export function readCatalogQuery(url: string): CatalogQuery {
  const { capability_id, limit = DEFAULT_CATALOG_PAGE_SIZE, ...rest } = valuesOf(url);
  return { ...rest, limit, ...(capability_id !== undefined && { capabilityId: capability_id }) };
}

function valuesOf(url: string) {
  try {
    return readQuery(url, CATALOG);
  } catch (error) {
    if (error instanceof QueryInvalid)
      throw new AipError('connector_catalog.invalid_query', error.message, { details: error.details });
    throw error;
  }
}
