import type { ErrorCode } from '../../../protocol/errors.js';
import { LIST as ACTION_LIST, CANCEL, RESULT, STATUS } from '../../actions/routes.js';
import { ONE as APPROVAL, LIST as APPROVAL_LIST } from '../../approvals/routes.js';
import { ONE as DELIVERY, LIST as DELIVERY_LIST } from '../../callbacks/routes.js';
import { identifier, type Parameter, typedId } from '../../edge/query-parameters.js';
import { ACTION as ACTION_EVENTS, CHUNKS, GLOBAL as EVENTS } from '../../events/routes.js';
import { PARAMETERS as AUDIT } from '../../records/audit/routes.js';
import { LIST as SESSION_LIST } from '../../sessions/routes.js';
import { PARAMETERS as TRANSACTION } from '../../transactions/routes.js';
import { CATALOG } from '../catalog/query.js';
import { RESOURCE_LIST, RESOURCE_READ } from '../resources/routes.js';
import { FILTERS } from '../service/routes.js';

/** One operation as clients see it. */
export interface Operation {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly authentication: 'none' | 'bearer' | 'bearer_or_signature' | 'signed_route';
  readonly query?: Readonly<Record<string, Parameter<unknown>>>;
  readonly pathParameters?: Readonly<Record<string, Parameter<unknown>>>;
  /** Header Last-Event-ID counts. */
  readonly resumes?: boolean;
  /** Schema of the body of a request, and whether there has to be one. */
  readonly body?: { readonly schema: string; readonly required: boolean };
  /** Schema of the body of a 200, or a media type that is not JSON. */
  readonly answer: { readonly schema: string } | { readonly mediaType: string };
  /** Further answers without error, by status. */
  readonly also?: Readonly<Record<number, string>>;
  /** What the operation refuses with; whatever the transport refuses comes besides. */
  readonly errors: readonly ErrorCode[];
  /** The form of errors; default: a complete envelope. */
  readonly errorForm?: 'DirectError';
}

const id = {
  action: { action_id: typedId('action') },
  approval: { approval_id: typedId('approval') },
  session: { session_id: typedId('session') },
};
const READ = [
  'auth.native_http_unauthorized',
  'auth.not_authorized',
  'auth.tenant_mismatch',
  'query.invalid',
  'storage.unavailable',
] as const;
const LISTED = [...READ, 'query.cursor_invalid'] as const;
const BODY = [
  'schema.envelope.invalid',
  'envelope.decode.invalid',
  'http.body_too_large',
  'http.unsupported_media_type',
] as const;
const MESSAGE = [
  ...BODY,
  'auth.native_http_unauthorized',
  'auth.not_authorized',
  'auth.signature.invalid',
  'replay.message_id',
  'storage.unavailable',
] as const;
const INGRESS = [
  ...BODY,
  'connector_event.not_configured',
  'connector_event.invalid',
  'connector_event.idempotency_conflict',
  'connector_event.not_authorized',
  'connector_event.capacity',
  'connector_event.unavailable',
] as const;

const service = (path: string, summary: string, schema: string): Operation => ({
  method: 'get',
  path,
  tag: 'Service',
  summary,
  authentication: 'none',
  answer: { schema },
  errors: [],
});
const message = (path: string, authentication: Operation['authentication'], summary: string): Operation => ({
  method: 'post',
  path,
  tag: 'Messages',
  summary,
  authentication,
  body: { schema: 'Envelope', required: true },
  answer: { schema: 'Envelope' },
  errors: MESSAGE,
});
const ingress = (path: string, summary: string): Operation => ({
  method: 'post',
  path,
  tag: 'Connector ingress',
  summary,
  authentication: 'signed_route',
  body: { schema: 'Envelope', required: true },
  answer: { schema: 'Envelope' },
  errors: INGRESS,
});
const read = (
  path: string,
  tag: string,
  summary: string,
  rest: Omit<Operation, 'method' | 'path' | 'tag' | 'summary' | 'authentication'>,
): Operation => ({
  method: 'get',
  path,
  tag,
  summary,
  authentication: 'bearer',
  ...rest,
});
const change = (
  path: string,
  tag: string,
  summary: string,
  rest: Omit<Operation, 'method' | 'path' | 'tag' | 'summary' | 'authentication'>,
): Operation => ({
  ...read(path, tag, summary, rest),
  method: 'post',
});
const transaction = (
  path: string,
  summary: string,
  parameter: Readonly<Record<string, Parameter<unknown>>>,
): Operation =>
  read(path, 'Transactions', summary, {
    pathParameters: parameter,
    query: TRANSACTION,
    answer: { schema: 'TransactionView' },
    errors: [...READ, 'transaction.not_found'],
  });
const session = (path: string, summary: string, schema: string, answer: string): Operation =>
  change(path, 'Sessions', summary, {
    pathParameters: id.session,
    body: { schema, required: false },
    answer: { schema: answer },
    errors: [...READ, ...BODY, 'session.not_found', 'session.closed', 'session.resume_rejected'],
  });

/** Every operation of the gateway over HTTP. */
export const OPERATIONS: readonly Operation[] = [
  service('/', 'Process liveness', 'Liveness'),
  service('/health', 'Process liveness', 'Liveness'),
  service('/aip/v1/health', 'Process liveness', 'Liveness'),
  { ...service('/ready', 'Readiness', 'Readiness'), also: { 503: 'Readiness' } },
  { ...service('/metrics', 'Prometheus text 0.0.4', ''), answer: { mediaType: 'text/plain' } },
  {
    ...service('/aip/v1/manifest', 'The complete or filtered manifest of the gateway', 'Manifest'),
    query: FILTERS,
    errors: ['query.invalid'],
  },
  { ...service('/aip/v1/openapi.json', 'This document', ''), answer: { mediaType: 'application/json' } },
  { ...service('/aip/v1/docs', 'This document as a page', ''), answer: { mediaType: 'text/html' } },
  message('/aip/v1/messages', 'bearer_or_signature', 'Answer one envelope with any supported body'),
  message('/aip/v1/actions', 'bearer', 'Submit one envelope'),
  read('/aip/v1/actions', 'Actions', 'List actions', {
    query: ACTION_LIST,
    answer: { schema: 'ActionList' },
    errors: LISTED,
  }),
  read('/aip/v1/actions/{action_id}', 'Actions', 'Status of an action', {
    pathParameters: id.action,
    query: STATUS,
    answer: { schema: 'ActionStatus' },
    errors: [...READ, 'action.not_found'],
  }),
  read('/aip/v1/actions/{action_id}/result', 'Actions', 'Terminal result of an action', {
    pathParameters: id.action,
    query: RESULT,
    answer: { schema: 'ExtendedActionResult' },
    errors: [...READ, 'action.not_found', 'action.result_not_ready'],
  }),
  read('/aip/v1/actions/{action_id}/events', 'Actions', 'Read or follow the events of an action', {
    pathParameters: id.action,
    query: ACTION_EVENTS,
    resumes: true,
    answer: { schema: 'ActionEvents' },
    errors: [...LISTED, 'action.not_found', 'stream.cursor_expired', 'stream.followers_exceeded'],
  }),
  read('/aip/v1/actions/{action_id}/chunks', 'Actions', 'Read or follow the stream chunks of an action', {
    pathParameters: id.action,
    query: CHUNKS,
    resumes: true,
    answer: { schema: 'ActionEvents' },
    errors: [...LISTED, 'action.not_found', 'stream.cursor_expired', 'stream.followers_exceeded'],
  }),
  change('/aip/v1/actions/{action_id}/cancel', 'Actions', 'Request the cancellation of an action', {
    pathParameters: id.action,
    query: CANCEL,
    body: { schema: 'CancelBody', required: false },
    answer: { schema: 'ActionResult' },
    errors: [...READ, ...BODY, 'resource.not_found'],
  }),
  read('/aip/v1/events', 'Events', 'Read or follow all events that the caller may see', {
    query: EVENTS,
    resumes: true,
    answer: { schema: 'EventStream' },
    errors: [...LISTED, 'stream.cursor_expired', 'stream.followers_exceeded'],
  }),
  read('/aip/v1/sessions', 'Sessions', 'List sessions', {
    query: SESSION_LIST,
    answer: { schema: 'SessionList' },
    errors: LISTED,
  }),
  read('/aip/v1/sessions/{session_id}', 'Sessions', 'One session', {
    pathParameters: id.session,
    answer: { schema: 'SessionView' },
    errors: [...READ, 'session.not_found'],
  }),
  session('/aip/v1/sessions/{session_id}/close', 'Close a session', 'CloseBody', 'SessionView'),
  session('/aip/v1/sessions/{session_id}/resume', 'Resume a session', 'ResumeBody', 'SessionResume'),
  session('/aip/v1/sessions/{session_id}:close', 'Close a session', 'CloseBody', 'SessionView'),
  session('/aip/v1/sessions/{session_id}:resume', 'Resume a session', 'ResumeBody', 'SessionResume'),
  read('/aip/v1/approvals', 'Approvals', 'List approvals', {
    query: APPROVAL_LIST,
    answer: { schema: 'ApprovalList' },
    errors: LISTED,
  }),
  read('/aip/v1/approvals/{approval_id}', 'Approvals', 'One approval', {
    pathParameters: id.approval,
    query: APPROVAL,
    answer: { schema: 'ApprovalRecordView' },
    errors: [...READ, 'approval.not_found'],
  }),
  transaction('/aip/v1/transactions/{transaction_id}', 'One transaction', { transaction_id: typedId('transaction') }),
  transaction('/aip/v1/transactions/by-plan/{plan_id}', 'The transaction of a plan', { plan_id: identifier }),
  transaction('/aip/v1/transactions/by-action/{action_id}', 'The transaction of an action', id.action),
  read('/aip/v1/callback-deliveries', 'Callback deliveries', 'List callback deliveries', {
    query: DELIVERY_LIST,
    answer: { schema: 'CallbackDeliveryList' },
    errors: LISTED,
  }),
  read('/aip/v1/callback-deliveries/{delivery_id}', 'Callback deliveries', 'One callback delivery', {
    pathParameters: { delivery_id: identifier },
    query: DELIVERY,
    answer: { schema: 'CallbackDeliveryRecord' },
    errors: [...READ, 'callback.delivery_not_found'],
  }),
  read('/aip/v1/receipts/{chain_id}', 'Receipts', 'One receipt chain', {
    pathParameters: { chain_id: identifier },
    answer: { schema: 'ReceiptChain' },
    errors: [...READ, 'receipt.not_found'],
  }),
  read('/aip/v1/receipts/by-receipt/{receipt_id}', 'Receipts', 'The chain that holds a receipt', {
    pathParameters: { receipt_id: typedId('receipt') },
    answer: { schema: 'ReceiptChain' },
    errors: [...READ, 'receipt.not_found'],
  }),
  read('/aip/v1/audit/events', 'Audit', 'List or export audit events', {
    query: AUDIT,
    answer: { schema: 'AuditQueryResult' },
    errors: [...LISTED, 'audit.not_authorized'],
  }),
  read('/aip/v1/resources', 'Resources', 'List resources', {
    query: RESOURCE_LIST,
    answer: { schema: 'ResourceList' },
    errors: LISTED,
  }),
  read('/aip/v1/resources/{resource_id}', 'Resources', 'Read one resource', {
    pathParameters: { resource_id: identifier },
    query: RESOURCE_READ,
    answer: { schema: 'ResourceReadResult' },
    also: { 304: '' },
    errors: [...READ, 'resource.not_found', 'resource.gone', 'resource.not_acceptable'],
  }),
  read('/aip/v1/capabilities', 'Catalog', "Page through the capabilities of the caller's tenant", {
    query: CATALOG,
    answer: { schema: 'CapabilityPage' },
    errors: [
      'auth.native_http_unauthorized',
      'connector_catalog.disabled',
      'connector_catalog.tenant_required',
      'connector_catalog.invalid_query',
      'connector_catalog.stale_cursor',
      'connector_catalog.unavailable',
    ],
    errorForm: 'DirectError',
  }),
  read('/aip/v1/ws', 'WebSocket', 'Upgrade to WebSocket: envelopes and subscribe objects', {
    answer: { mediaType: 'text/plain' },
    also: { 101: '' },
    errors: ['auth.native_http_unauthorized', 'query.invalid', 'http.upgrade_required'],
  }),
  ingress('/aip/v1/connector-events', 'Provider events of a connector host'),
  ingress('/aip/v1/connector-callbacks', 'Stream chunks of a connector host'),
];
