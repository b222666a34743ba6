import { type RequestHandler, Router } from 'express';
import { sendJson } from '../../../transport/http/error-response.js';
import { answerError, contextOf, type HttpEdgeDeps, jsonRoute, serve } from '../../edge/http-edge.js';
import { cursorText, identifier, list, type Parameter, pathId, readQuery, rows } from '../../edge/query-parameters.js';
import { listResources } from './list.js';
import { type ResourceReadDeps, readResource } from './read.js';

/** The parameters of GET /aip/v1/resources. */
export const RESOURCE_LIST = {
  capability_id: identifier,
  kind: identifier,
  tenant_id: identifier,
  cursor: cursorText,
  limit: rows,
} satisfies Record<string, Parameter<unknown>>;

/** The parameters of GET /aip/v1/resources/{resource_id}. */
export const RESOURCE_READ = {
  tenant_id: identifier,
  version: identifier,
  accept: list(identifier),
} satisfies Record<string, Parameter<unknown>>;

/**
 * GET /aip/v1/resources and /aip/v1/resources/{resource_id} (docs/protocol/client-api.md#routes). A read carries its etag as ETag too, and
 * answers 304 without a body where If-None-Match names it.
 */
export function resourceRoutes(deps: HttpEdgeDeps & ResourceReadDeps): Router {
  const router = Router();
  serve(router, deps, '/aip/v1/resources', {
    get: jsonRoute(deps, (request, identity) =>
      listResources(deps, identity, readQuery(request.originalUrl, RESOURCE_LIST)),
    ),
  });
  const read: RequestHandler = async (request, response) => {
    const context = contextOf(request);
    try {
      const identity = await deps.authenticator.bearer(request.headers.authorization);
      const query = readQuery(request.originalUrl, RESOURCE_READ);
      const id = pathId(String(request.params.resource_id), 'resource_id');
      const result = await readResource(deps, identity, { resource_id: id, ...query }, context);
      const tag = `"${result.etag}"`;
      response.setHeader('etag', tag);
      response.setHeader('cache-control', 'private, no-cache');
      if (namesTag(request.headers['if-none-match'], tag)) response.writeHead(304).end();
      else sendJson(response, 200, result);
    } catch (error) {
      await answerError(deps, request, response, context, error);
    }
  };
  serve(router, deps, '/aip/v1/resources/:resource_id', { get: read });
  return router;
}

/** Whether an If-None-Match header names a tag; tags compare weakly. */
function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
    .some((each) => each === '*' || each === tag);
}
