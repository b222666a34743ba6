import { Router } from 'express';
import type { Manifest, ManifestFilter } from '../../../protocol/types.js';
import { sendJson } from '../../../transport/http/error-response.js';
import { answerError, contextOf, type HttpEdgeDeps, serve } from '../../edge/http-edge.js';
import { list, optionalFlag, type Parameter, readQuery, word } from '../../edge/query-parameters.js';
import { MANIFEST_ENUMS } from '../manifest/enums.js';
import { filterManifest } from '../manifest/filter.js';
import type { Liveness } from '../manifest/liveness.js';
import type { Readiness } from './readiness.js';

const text: Parameter<string> = (value) => value;

/** The manifest filters of the query (docs/protocol/client-api.md#manifest-of-the-gateway); an empty value does not filter. */
export const FILTERS = {
  capability_id: list(text),
  resource_kind: list(text),
  profile: list(text),
  risk: list(word(MANIFEST_ENUMS.risk)),
  side_effect: list(word(MANIFEST_ENUMS.sideEffect)),
  requires_approval: optionalFlag,
  supports_streaming: optionalFlag,
  supports_transactions: optionalFlag,
} satisfies Record<string, Parameter<unknown>>;

/** What the service routes report. */
export interface ServiceDeps extends HttpEdgeDeps {
  readonly liveness: () => Liveness;
  readonly readiness: () => Promise<Readiness>;
  readonly manifest: Manifest;
}

/**
 * GET / /health /ready /aip/v1/health /aip/v1/manifest: no credential is needed (docs/protocol/client-api.md#routes).
 */
export function serviceRoutes(deps: ServiceDeps): Router {
  const router = Router();
  for (const path of ['/', '/health', '/aip/v1/health']) {
    serve(router, deps, path, { get: (_request, response) => sendJson(response, 200, deps.liveness()) });
  }
  serve(router, deps, '/ready', {
    get: async (_request, response) => {
      const readiness = await deps.readiness();
      sendJson(response, readiness.status === 'ready' ? 200 : 503, readiness);
    },
  });
  serve(router, deps, '/aip/v1/manifest', {
    get: async (request, response) => {
      try {
        const query = readQuery(request.originalUrl, FILTERS);
        const filter = {
          capability_ids: query.capability_id,
          resource_kinds: query.resource_kind,
          profiles: query.profile,
          risk: query.risk,
          side_effects: query.side_effect,
          requires_approval: query.requires_approval,
          supports_streaming: query.supports_streaming,
          supports_transactions: query.supports_transactions,
        } as ManifestFilter;
        sendJson(response, 200, filterManifest(deps.manifest, filter));
      } catch (error) {
        await answerError(deps, request, response, contextOf(request), error);
      }
    },
  });
  return router;
}
