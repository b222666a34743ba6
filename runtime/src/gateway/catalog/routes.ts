import { type RequestHandler, Router } from 'express';
import {
  AipError,
  CatalogDisabled,
  CatalogTenantRequired,
  CatalogUnavailable,
  StorageUnavailable,
} from '../../protocol/errors.js';
import type { Registry } from '../../registry/registry.js';
import { sendDirectError, sendJson } from '../../transport/http/error-response.js';
import { type HttpEdgeDeps, serve } from '../edge/http-edge.js';
import { readCatalogQuery } from './query.js';

/**
 * GET /aip/v1/capabilities: a CapabilityPage of the caller's tenant (contract 2 "Tenant capability catalog"). Bearer, or the loopback
 * development identity when it has a tenant. Every error is the direct error object: 401 auth.native_http_unauthorized, 404
 * connector_catalog.disabled without a registry, 403 connector_catalog.tenant_required, 400 connector_catalog.invalid_query, 409
 * connector_catalog.stale_cursor, 503 connector_catalog.unavailable.
 */
export function catalogRoutes(deps: HttpEdgeDeps & { registry?: Pick<Registry, 'catalog'> | undefined }): Router {
  const router = Router();
  const get: RequestHandler = async (request, response) => {
    try {
      const { tenantId } = await deps.authenticator.bearer(request.headers.authorization);
      if (!deps.registry) throw new CatalogDisabled();
      if (tenantId === undefined) throw new CatalogTenantRequired();
      const query = readCatalogQuery(request.originalUrl);
      sendJson(response, 200, await deps.registry.catalog.page({ tenantId, ...query }));
    } catch (error) {
      sendDirectError(response, asCatalogError(error));
    }
  };
  serve(router, deps, '/aip/v1/capabilities', { get });
  return router;
}

/** Storage faults and anything unforeseen become connector_catalog.unavailable. */
function asCatalogError(error: unknown): AipError {
  if (error instanceof AipError && !(error instanceof StorageUnavailable)) return error;
  return new CatalogUnavailable(undefined, { cause: error });
}
