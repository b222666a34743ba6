import { type RequestHandler, Router } from 'express';
import type { Queryable } from '../../../postgres/pool.js';
import { AipError, CursorInvalid, StorageUnavailable } from '../../../protocol/errors.js';
import type { Registry } from '../../../registry/registry.js';
import { sendDirectError, sendJson } from '../../../transport/http/error-response.js';
import { type HttpEdgeDeps, serve } from '../../edge/http-edge.js';
import type { Identity } from '../../edge/identity.js';
import { type CursorBinding, type ListCursors, listCursors } from '../../edge/lists/cursors.js';
import { type CatalogQuery, readCatalogQuery } from './query.js';

/**
 * GET /aip/v1/capabilities: a CapabilityPage of the caller's tenant (docs/protocol/registry.md#catalog). Bearer, or the loopback
 * development identity when it has a tenant. Every error is the direct error object: 401 auth.native_http_unauthorized, 404
 * connector_catalog.disabled without a registry, 403 connector_catalog.tenant_required, 400 connector_catalog.invalid_query, 409
 * connector_catalog.stale_cursor, 503 connector_catalog.unavailable.
 */
export function catalogRoutes(
  deps: HttpEdgeDeps & { readonly pool: Queryable; readonly registry?: Pick<Registry, 'catalog'> | undefined },
): Router {
  const router = Router();
  const get: RequestHandler = async (request, response) => {
    try {
      const identity = await deps.authenticator.bearer(request.headers.authorization);
      if (!deps.registry) throw new AipError('connector_catalog.disabled');
      const { tenantId } = identity;
      if (tenantId === undefined) throw new AipError('connector_catalog.tenant_required');
      const { cursor, ...query } = readCatalogQuery(request.originalUrl);
      const cursors = await listCursors(deps.pool, bindingOf(identity, query));
      const position = cursor === undefined ? {} : { cursor: positionOf(cursors, cursor) };
      const page = await deps.registry.catalog.page({ tenantId, ...query, ...position });
      const next = page.next_cursor === null ? null : cursors.write(page.next_cursor);
      sendJson(response, 200, { ...page, next_cursor: next });
    } catch (error) {
      sendDirectError(response, asCatalogError(error));
    }
  };
  serve(router, deps, '/aip/v1/capabilities', { get });
  return router;
}

/** A cursor belongs to the caller and the filters; the number of rows may change from page to page. */
function bindingOf(identity: Identity, { limit: _, ...filters }: Omit<CatalogQuery, 'cursor'>): CursorBinding {
  return { operation: 'capabilities', identity, filters };
}

function positionOf(cursors: ListCursors, cursor: string): string {
  try {
    return cursors.read(cursor);
  } catch (error) {
    if (error instanceof CursorInvalid)
      throw new AipError('connector_catalog.invalid_query', 'the cursor was not issued for this query');
    throw error;
  }
}

/** Storage faults and anything unforeseen become connector_catalog.unavailable. */
function asCatalogError(error: unknown): AipError {
  if (error instanceof AipError && !(error instanceof StorageUnavailable)) return error;
  return new AipError('connector_catalog.unavailable', undefined, { cause: error });
}
