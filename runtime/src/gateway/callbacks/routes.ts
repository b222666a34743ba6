import { Router } from 'express';
import type { Pool } from '../../postgres/pool.js';
import { type HttpEdgeDeps, jsonRoute, serve } from '../edge/http-edge.js';
import { queryMembers } from '../edge/query-members.js';
import {
  cursorText,
  flag,
  freeText,
  identifier,
  type Parameter,
  pathId,
  readQuery,
  rows,
  typedId,
  word,
} from '../edge/query-parameters.js';
import { findDelivery, listDeliveries } from './list.js';
import { DELIVERY_STATUSES } from './record.js';

/** Bytes that a target may have. */
const MAX_TARGET_BYTES = 2048;

export const LIST = {
  action_id: typedId('action'),
  status: word(DELIVERY_STATUSES),
  profile: identifier,
  target: freeText(MAX_TARGET_BYTES),
  tenant_id: identifier,
  cursor: cursorText,
  limit: rows,
  include_receipts: flag,
} satisfies Record<string, Parameter<unknown>>;

export const ONE = { tenant_id: identifier, include_receipts: flag } satisfies Record<string, Parameter<unknown>>;

/**
 * GET /aip/v1/callback-deliveries and GET /aip/v1/callback-deliveries/{delivery_id} (docs/protocol/client-api.md). No route sends a
 * delivery again.
 */
export function callbackRoutes(deps: HttpEdgeDeps & { readonly pool: Pool }): Router {
  const router = Router();
  serve(router, deps, '/aip/v1/callback-deliveries', {
    get: jsonRoute(deps, (request, identity) => {
      const query = readQuery(request.originalUrl, LIST);
      return listDeliveries(deps.pool, identity, queryMembers(query), deps.clock());
    }),
  });
  serve(router, deps, '/aip/v1/callback-deliveries/:delivery_id', {
    get: jsonRoute(deps, (request, identity) => {
      const query = readQuery(request.originalUrl, ONE);
      const deliveryId = pathId(String(request.params.delivery_id), 'delivery_id');
      return findDelivery(deps.pool, identity, { ...queryMembers(query), deliveryId }, deps.clock());
    }),
  });
  return router;
}
