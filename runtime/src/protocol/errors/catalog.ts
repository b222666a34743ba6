import { failure } from './aip-error.js';

/** No fleet catalog is configured. Catalog errors leave as the direct error object (docs/protocol/errors.md). */
export class CatalogDisabled extends failure('connector_catalog.disabled') {}

/** The caller has no tenant. */
export class CatalogTenantRequired extends failure('connector_catalog.tenant_required') {}

/** A filter or cursor is invalid. */
export class CatalogQueryInvalid extends failure('connector_catalog.invalid_query') {}

/** The catalog changed between two pages. */
export class CatalogCursorStale extends failure('connector_catalog.stale_cursor') {}

/** The registry query failed. */
export class CatalogUnavailable extends failure('connector_catalog.unavailable') {}
