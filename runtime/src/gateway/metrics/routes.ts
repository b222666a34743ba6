import { Router } from 'express';
import { type HttpEdgeDeps, serve } from '../edge/http-edge.js';
import type { Metrics } from './metrics.js';

/** GET /metrics: 200, Prometheus text 0.0.4, without application authentication (docs/protocol/client-api.md#manifest-of-the-gateway). */
export function metricsRoutes(deps: HttpEdgeDeps & { metrics: Metrics }): Router {
  const router = Router();
  serve(router, deps, '/metrics', {
    get: async (_request, response) => {
      const { contentType, text } = await deps.metrics.render();
      response.writeHead(200, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) });
      response.end(text);
    },
  });
  return router;
}
