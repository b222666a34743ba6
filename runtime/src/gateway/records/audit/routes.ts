import { Router } from 'express';
import type { Pool } from '../../../postgres/pool.js';
import { QueryInvalid } from '../../../protocol/errors.js';
import { parseTime } from '../../../protocol/time.js';
import { type HttpEdgeDeps, jsonRoute, serve } from '../../edge/http-edge.js';
import { queryMembers } from '../../edge/query-members.js';
import {
  cursorText,
  flag,
  identifier,
  type Parameter,
  readQuery,
  rows,
  time,
  typedId,
} from '../../edge/query-parameters.js';
import { queryAudit } from './query.js';

export const PARAMETERS = {
  action_id: typedId('action'),
  session_id: typedId('session'),
  principal_id: identifier,
  tenant_id: identifier,
  transaction_id: typedId('transaction'),
  from: time,
  to: time,
  cursor: cursorText,
  limit: rows,
  include_receipts: flag,
  export: flag,
} satisfies Record<string, Parameter<unknown>>;

/** GET /aip/v1/audit/events (docs/protocol/client-api.md). */
export function auditRoutes(deps: HttpEdgeDeps & { readonly pool: Pool }): Router {
  const router = Router();
  serve(router, deps, '/aip/v1/audit/events', {
    get: jsonRoute(deps, (request, identity) => {
      const query = readQuery(request.originalUrl, PARAMETERS);
      const { from, to } = query;
      if (from !== undefined && to !== undefined && parseTime(from) > parseTime(to))
        throw new QueryInvalid('from must not be after to', { details: { parameter: 'from' } });
      return queryAudit(deps.pool, identity, queryMembers(query), deps.clock());
    }),
  });
  return router;
}
