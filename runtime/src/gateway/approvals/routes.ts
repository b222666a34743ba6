import { Router } from 'express';
import { APPROVAL_STATES } from '../actions/approval/record.js';
import { type HttpEdgeDeps, jsonRoute, serve } from '../edge/http-edge.js';
import { queryMembers } from '../edge/query-members.js';
import {
  cursorText,
  flag,
  identifier,
  type Parameter,
  pathId,
  readQuery,
  rows,
  word,
} from '../edge/query-parameters.js';
import { type ApprovalReadDeps, findApproval } from './read/find.js';
import { listApprovals } from './read/list.js';

/** The parameters of GET /aip/v1/approvals. */
export const LIST = {
  status: word(APPROVAL_STATES),
  approver: identifier,
  requester: identifier,
  tenant_id: identifier,
  cursor: cursorText,
  limit: rows,
  include_action_status: flag,
  include_receipts: flag,
} satisfies Record<string, Parameter<unknown>>;

export const ONE = {
  tenant_id: identifier,
  include_action_status: flag,
  include_receipts: flag,
  include_evidence_payload: flag,
} satisfies Record<string, Parameter<unknown>>;

/** GET /aip/v1/approvals and GET /aip/v1/approvals/{approval_id}: approvals change by envelopes alone. */
export function approvalRoutes(deps: HttpEdgeDeps & ApprovalReadDeps): Router {
  const router = Router();
  serve(router, deps, '/aip/v1/approvals', {
    get: jsonRoute(deps, (request, identity) => {
      const query = readQuery(request.originalUrl, LIST);
      return listApprovals(deps, identity, queryMembers(query), deps.clock());
    }),
  });
  serve(router, deps, '/aip/v1/approvals/:approval_id', {
    get: jsonRoute(deps, (request, identity) => {
      const approvalId = pathId(String(request.params.approval_id), 'approval_id', 'approval');
      const query = readQuery(request.originalUrl, ONE);
      return findApproval(deps, identity, { ...queryMembers(query), approvalId }, deps.clock());
    }),
  });
  return router;
}
