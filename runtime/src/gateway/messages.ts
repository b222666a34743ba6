import type { Pool } from '../postgres/pool.js';
import type { Clock } from '../protocol/clock.js';
import { type BodyKey, bodyKey, type Envelope } from '../protocol/envelope.js';
import { AipError } from '../protocol/errors.js';
import { formatTime } from '../protocol/time.js';
import type { Bodies, Body, Manifest } from '../protocol/types.js';
import type { SubmitAction } from './actions/accept/submit.js';
import type { CancelAction } from './actions/cancel.js';
import { findAction } from './actions/read/find.js';
import { listActions } from './actions/read/list.js';
import { actionResult, actionStatus } from './actions/read/status.js';
import { APPROVAL_ANSWERS, type ApprovalDeps } from './approvals/answers.js';
import { findDelivery, listDeliveries } from './callbacks/list.js';
import type { MessageHandler } from './edge/answer-envelope.js';
import type { Identity } from './edge/identity.js';
import { queryMembers } from './edge/query-members.js';
import type { RequestContext } from './edge/request-context.js';
import { filterManifest } from './endpoints/manifest/filter.js';
import { listResources } from './endpoints/resources/list.js';
import { type ResourceReadDeps, readResource } from './endpoints/resources/read.js';
import { actionEvents, eventStream } from './events/queries.js';
import type { ChunkSink } from './ingress/chunks/sink.js';
import type { Delegations } from './peers/delegations/open.js';
import type { ResultReportDeps } from './peers/reports/action-result.js';
import { REPORT_ANSWERS } from './peers/reports/answers.js';
import { queryAudit } from './records/audit/query.js';
import { submitAuditEvent } from './records/audit/submit.js';
import { isObserved, recordObservation } from './records/observations/record.js';
import { findChain } from './records/receipts/find-chain.js';
import { type ReplayClaim, replayClaimOf } from './records/replay/freshness.js';
import type { StockLimits } from './records/stock/limits.js';
import { SESSION_ANSWERS } from './sessions/answers.js';
import { cancelSession } from './sessions/close.js';
import { ESCALATION_ANSWERS } from './sessions/escalations.js';
import type { SessionDeps } from './sessions/handshake.js';
import { findTransaction } from './transactions/find.js';
import { requestTransaction } from './transactions/request.js';

/** What the handling of messages needs. */
export interface MessageDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly submit: SubmitAction;
  readonly cancel: CancelAction;
  readonly results: ResultReportDeps;
  readonly approvals: ApprovalDeps;
  readonly sessions: SessionDeps;
  readonly delegations: Delegations;
  readonly manifest: Manifest;
  readonly resources: ResourceReadDeps;
  /** Stores the chunks that peers send. */
  readonly chunks: ChunkSink;
  readonly stock: StockLimits;
  /** The group commit of message claims; false: the message was received before. */
  readonly claim: (claim: ReplayClaim) => Promise<boolean>;
}

/** The bodies that a message may carry besides `action`, each with the function that answers it. */
type Answers = {
  readonly [K in BodyKey]?: (
    deps: MessageDeps,
    identity: Identity,
    body: Bodies[K],
    envelope: Envelope,
    context: RequestContext,
  ) => Promise<Body>;
};

const ANSWERS: Answers = {
  ...APPROVAL_ANSWERS,
  ...SESSION_ANSWERS,
  ...ESCALATION_ANSWERS,
  ...REPORT_ANSWERS,

  cancel: async (deps, identity, { target, reason }) => {
    if ('session' in target)
      return { event_stream: await cancelSession(deps.sessions, identity, target.session, reason) };
    return { action_result: await deps.cancel(identity, { actionId: target.action, reason }) };
  },

  action_status_request: async (deps, identity, body) => ({
    action_status: await actionStatus(deps.pool, identity, queryMembers(body), deps.clock()),
  }),

  action_result_request: async (deps, identity, body) => ({
    action_result: await actionResult(
      deps.pool,
      identity,
      { actionId: body.action_id, tenantId: body.tenant_id },
      deps.clock(),
    ),
  }),

  action_list_request: async (deps, identity, body, envelope) => {
    if (body.session_id !== undefined && envelope.session_id !== undefined && body.session_id !== envelope.session_id)
      throw new AipError('auth.session_mismatch');
    return {
      action_list: await listActions(deps.pool, identity, queryMembers(body), deps.clock()),
    };
  },

  action_events_request: async (deps, identity, body) => ({
    action_events: await actionEvents({ ...deps, findAction }, identity, body),
  }),

  event_stream_request: async (deps, identity, body) => ({
    event_stream: await eventStream({ ...deps, findAction }, identity, body),
  }),

  receipt_query_request: async (deps, identity, body) => ({
    receipt_chain: await findChain(
      deps.pool,
      identity,
      { chainId: body.chain_id, receiptId: body.receipt_id },
      deps.clock(),
    ),
  }),

  callback_delivery_query_request: async (deps, identity, body) => {
    return { callback_delivery_record: await findDelivery(deps.pool, identity, queryMembers(body), deps.clock()) };
  },

  callback_delivery_list_request: async (deps, identity, body) => {
    return { callback_delivery_list: await listDeliveries(deps.pool, identity, queryMembers(body), deps.clock()) };
  },

  audit_query_request: async (deps, identity, body) => {
    return { audit_query_result: await queryAudit(deps.pool, identity, queryMembers(body), deps.clock()) };
  },

  audit_event: async (deps, identity, body) => ({ audit_event: await submitAuditEvent(deps, identity, body) }),

  transaction_query_request: async (deps, identity, body) => ({
    transaction_view: await findTransaction(deps.pool, identity, queryMembers(body), deps.clock()),
  }),

  delegation_request: async (deps, identity, body, envelope, context) => ({
    delegation_result: await deps.delegations.request(identity, body, envelope, context),
  }),

  delegation_result: async (deps, identity, body) => ({
    delegation_result: await deps.delegations.report(identity, body),
  }),

  resource_list_request: async (deps, identity, body) => ({
    resource_list: await listResources(deps.resources, identity, body),
  }),

  resource_read_request: async (deps, identity, body, _envelope, context) => ({
    resource_read_result: await readResource(deps.resources, identity, body, context),
  }),

  manifest_request: async (deps, _identity, body) => ({
    manifest: filterManifest(deps.manifest, body.filter ?? {}),
  }),

  heartbeat: async (deps, _identity, body) => ({
    heartbeat_ack: { sequence: body.sequence, received_at: formatTime(deps.clock()) },
  }),
};

/**
 * Answers every body that this server handles (docs/protocol/envelope.md#message-types); any other throws `capability.unsupported`. The message id is
 * claimed before anything is checked, so a refused message cannot be sent again under the same id; a repeated one
 * throws `replay.message_id`.
 */
export function messageHandler(deps: MessageDeps): MessageHandler {
  return async (identity, envelope, context) => {
    const key = bodyKey(envelope);
    const body = (envelope.body as Partial<Bodies>)[key];
    if (key === 'action') return deps.submit(identity, envelope, body as Bodies['action'], context);
    if (key === 'transaction_request') {
      const request = body as Bodies['transaction_request'];
      return { transaction_result: await requestTransaction(deps, identity, envelope, request, context) };
    }
    if (!(await deps.claim(replayClaimOf(identity, envelope, deps.clock())))) throw new AipError('replay.message_id');
    checkTexts(body as object);
    const answer = ANSWERS[key] as ((...parts: unknown[]) => Promise<Body>) | undefined;
    if (answer) return answer(deps, identity, body, envelope, context);
    if (isObserved(key)) return { event_stream: await recordObservation(deps, identity, key, body as never, envelope) };
    throw new AipError('capability.unsupported', `this server does not handle messages with the body ${key}`);
  };
}

/** The storage takes no zero character in a text, so no record can have one. Throws `action.invalid_input`. */
function checkTexts(body: object): void {
  for (const [member, value] of Object.entries(body)) {
    const texts = Array.isArray(value) ? value : typeof value === 'object' && value ? Object.values(value) : [value];
    if (texts.some((text) => typeof text === 'string' && text.includes('\0')))
      throw new AipError('action.invalid_input', `${member} must not hold a zero character`, { details: { member } });
  }
}
