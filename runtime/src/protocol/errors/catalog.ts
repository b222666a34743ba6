import { failure } from './aip-error.js';

/** No fleet catalog is configured. Catalog errors leave as the direct error object (docs/protocol/errors.md). */
export class CatalogDisabled extends failure({
  code: 'connector_catalog.disabled',
  category: 'permanent',
  status: 404,
  message: 'no connector fleet is configured on this server',
}) {}

/** The caller has no tenant. */
export class CatalogTenantRequired extends failure({
  code: 'connector_catalog.tenant_required',
  category: 'policy',
  message: 'the catalog belongs to a tenant, and this bearer identity has none',
}) {}

/** A filter or cursor is invalid. */
export class CatalogQueryInvalid extends failure({
  code: 'connector_catalog.invalid_query',
  category: 'permanent',
  message: 'a catalog filter is invalid',
}) {}

/** The catalog changed between two pages. */
export class CatalogCursorStale extends failure({
  code: 'connector_catalog.stale_cursor',
  category: 'permanent',
  status: 409,
  message: 'the catalog changed while paging; start again from the first page',
}) {}

/** The registry query failed. */
export class CatalogUnavailable extends failure({
  code: 'connector_catalog.unavailable',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 1000,
  message: 'the catalog is unavailable; try again later',
}) {}
