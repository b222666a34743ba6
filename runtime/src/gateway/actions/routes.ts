import { type Request, Router } from 'express';
import { openDocumentStore } from '../../postgres/documents.js';
import type { Pool } from '../../postgres/pool.js';
import { type HttpEdgeDeps, jsonRoute, serve } from '../edge/http-edge.js';
import { readOptionalTexts } from '../edge/optional-body.js';
import { queryMembers } from '../edge/query-members.js';
import {
  cursorText,
  flag,
  identifier,
  type Parameter,
  pathId,
  readQuery,
  rows,
  typedId,
  waitMs,
  word,
} from '../edge/query-parameters.js';
import type { CancelAction } from './cancel.js';
import { listActions } from './read/list.js';
import { withDocument } from './read/result-document.js';
import { actionStatus, ownedResult } from './read/status.js';
import { LIVE_STATES, TERMINAL_STATES } from './record/states.js';

/** The parameters of GET /aip/v1/actions (docs/protocol/client-api.md#routes). */
export const LIST = {
  // No stored action is in the state of an unknown one: it is a state, and selects none.
  state: word([...LIVE_STATES, ...TERMINAL_STATES, 'unknown' as const]),
  capability_id: identifier,
  session_id: typedId('session'),
  principal_id: identifier,
  tenant_id: identifier,
  approval_id: typedId('approval'),
  transaction_id: typedId('transaction'),
  order: word(['oldest', 'newest'] as const),
  cursor: cursorText,
  limit: rows,
  include_results: flag,
  include_receipts: flag,
} satisfies Record<string, Parameter<unknown>>;

export const STATUS = {
  tenant_id: identifier,
  include_result: flag,
  include_receipts: flag,
  include_chunks: flag,
  wait_ms: waitMs,
} satisfies Record<string, Parameter<unknown>>;

export const RESULT = {
  tenant_id: identifier,
  wait_ms: waitMs,
  include_receipt: flag,
  include_terminal_events: flag,
} satisfies Record<string, Parameter<unknown>>;

export const CANCEL = { tenant_id: identifier } satisfies Record<string, Parameter<unknown>>;

/** What the action routes need. */
export interface ActionRoutesDeps extends HttpEdgeDeps {
  readonly pool: Pool;
  readonly cancel: CancelAction;
}

/** The read and cancel routes of actions (docs/protocol/client-api.md#routes); events and chunks have their own. */
export function actionRoutes(deps: ActionRoutesDeps): Router {
  const router = Router();
  // Outside every tenant no action has a document.
  const documentsOf = (tenantId: string | null) =>
    tenantId === null
      ? undefined
      : openDocumentStore({ pool: deps.pool, prefix: 'runtime.', clock: deps.clock, tenantId });
  serve(router, deps, '/aip/v1/actions/:action_id', {
    get: jsonRoute(deps, (request, identity) => {
      const query = readQuery(request.originalUrl, STATUS);
      return actionStatus(deps.pool, identity, { ...queryMembers(query), actionId: actionIdOf(request) }, deps.clock());
    }),
  });
  serve(router, deps, '/aip/v1/actions/:action_id/result', {
    get: jsonRoute(deps, async (request, identity) => {
      const query = readQuery(request.originalUrl, RESULT);
      const { result, tenantId } = await ownedResult(
        deps.pool,
        identity,
        { ...queryMembers(query), actionId: actionIdOf(request) },
        deps.clock(),
      );
      return withDocument(result, documentsOf(tenantId));
    }),
  });
  serve(router, deps, '/aip/v1/actions/:action_id/cancel', {
    post: jsonRoute(deps, async (request, identity) => {
      const actionId = actionIdOf(request);
      const { tenant_id: tenantId } = readQuery(request.originalUrl, CANCEL);
      const { reason } = await readOptionalTexts(request, ['reason']);
      return deps.cancel(identity, { actionId, tenantId, reason });
    }),
  });
  return router;
}

/** GET /aip/v1/actions, as a handler: the same path also takes envelopes. */
export function actionListRoute(deps: ActionRoutesDeps): ReturnType<typeof jsonRoute> {
  return jsonRoute(deps, (request, identity) => {
    const query = readQuery(request.originalUrl, LIST);
    return listActions(deps.pool, identity, queryMembers(query), deps.clock());
  });
}

function actionIdOf(request: Request): string {
  return pathId(String(request.params.action_id), 'action_id', 'action');
}
