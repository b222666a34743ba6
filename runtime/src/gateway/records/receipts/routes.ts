import { Router } from 'express';
import type { Pool } from '../../../postgres/pool.js';
import { type HttpEdgeDeps, jsonRoute, serve } from '../../edge/http-edge.js';
import { pathId, readQuery } from '../../edge/query-parameters.js';
import { findChain } from './find-chain.js';

/**
 * GET /aip/v1/receipts/{chain_id} and GET /aip/v1/receipts/by-receipt/{receipt_id} (docs/protocol/client-api.md#routes); no
 * parameters.
 */
export function receiptRoutes(deps: HttpEdgeDeps & { readonly pool: Pool }): Router {
  const router = Router();
  serve(router, deps, '/aip/v1/receipts/by-receipt/:receipt_id', {
    get: jsonRoute(deps, (request, identity) => {
      readQuery(request.originalUrl, {});
      const receiptId = pathId(String(request.params.receipt_id), 'receipt_id', 'receipt');
      return findChain(deps.pool, identity, { receiptId }, deps.clock());
    }),
  });
  serve(router, deps, '/aip/v1/receipts/:chain_id', {
    get: jsonRoute(deps, (request, identity) => {
      readQuery(request.originalUrl, {});
      const chainId = pathId(String(request.params.chain_id), 'chain_id');
      return findChain(deps.pool, identity, { chainId }, deps.clock());
    }),
  });
  return router;
}
