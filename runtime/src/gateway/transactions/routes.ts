import { type Request, type RequestHandler, Router } from 'express';
import type { Pool } from '../../postgres/pool.js';
import { type HttpEdgeDeps, jsonRoute, serve } from '../edge/http-edge.js';
import { flag, identifier, type Parameter, pathId, readQuery } from '../edge/query-parameters.js';
import { findTransaction, type TransactionQuery } from './find.js';

export const PARAMETERS = {
  tenant_id: identifier,
  include_result: flag,
  include_receipts: flag,
} satisfies Record<string, Parameter<unknown>>;

/** GET /aip/v1/transactions/{transaction_id}, by-plan/{plan_id} and by-action/{action_id} (docs/protocol/client-api.md). */
export function transactionRoutes(deps: HttpEdgeDeps & { readonly pool: Pool }): Router {
  const router = Router();
  const lookUp = (selector: (request: Request) => TransactionQuery): RequestHandler =>
    jsonRoute(deps, (request, identity) => {
      const query = readQuery(request.originalUrl, PARAMETERS);
      const { tenant_id: tenantId, include_result: includeResult, include_receipts: includeReceipts } = query;
      const selected = selector(request);
      return findTransaction(
        deps.pool,
        identity,
        { ...selected, tenantId, includeResult, includeReceipts },
        deps.clock(),
      );
    });
  serve(router, deps, '/aip/v1/transactions/by-plan/:plan_id', {
    get: lookUp(({ params }) => ({ planId: pathId(String(params.plan_id), 'plan_id') })),
  });
  serve(router, deps, '/aip/v1/transactions/by-action/:action_id', {
    get: lookUp(({ params }) => ({ actionId: pathId(String(params.action_id), 'action_id', 'action') })),
  });
  serve(router, deps, '/aip/v1/transactions/:transaction_id', {
    get: lookUp(({ params }) => ({
      transactionId: pathId(String(params.transaction_id), 'transaction_id', 'transaction'),
    })),
  });
  return router;
}
