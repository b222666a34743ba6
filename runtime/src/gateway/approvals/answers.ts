import type { Clock } from '../../protocol/clock.js';
import type { Bodies, Body } from '../../protocol/types.js';
import type { Identity } from '../edge/identity.js';
import { queryMembers } from '../edge/query-members.js';
import { type DecideDeps, decideApproval } from './decide/decide.js';
import { findApproval } from './read/find.js';
import { listApprovals } from './read/list.js';
import { type RequestDeps, requestApproval } from './request/request.js';

/** What the bodies about approvals need. */
export interface ApprovalDeps extends DecideDeps, RequestDeps {}

type Deps = { readonly approvals: ApprovalDeps; readonly clock: Clock };

/** The answers to the bodies about approvals. */
export const APPROVAL_ANSWERS = {
  approval_request: async (deps: Deps, identity: Identity, body: Bodies['approval_request']): Promise<Body> => ({
    event_stream: await requestApproval(deps.approvals, identity, body),
  }),

  approval_decision: async (deps: Deps, identity: Identity, body: Bodies['approval_decision']): Promise<Body> => ({
    event_stream: await decideApproval(deps.approvals, identity, body),
  }),

  approval_query_request: async (
    deps: Deps,
    identity: Identity,
    body: Bodies['approval_query_request'],
  ): Promise<Body> => ({
    approval_record_view: await findApproval(deps.approvals, identity, queryMembers(body), deps.clock()),
  }),

  approval_list_request: async (
    deps: Deps,
    identity: Identity,
    body: Bodies['approval_list_request'],
  ): Promise<Body> => ({
    approval_list: await listApprovals(deps.approvals, identity, queryMembers(body), deps.clock()),
  }),
};
