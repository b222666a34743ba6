import { AipError } from '../errors/aip-error.js';
import { toNumber } from '../json.js';
import { MAX_DELEGATION_HOPS, MAX_LIST_ITEMS, MAX_WAIT_MS } from '../limits.js';
import { parseTime } from '../time.js';
import type {
  Action,
  ActionEvents,
  ActionResult,
  ActionStatus,
  ApprovalDecision,
  ApprovalRecordView,
  ApprovalRequest,
  AuditEvent,
  AuditQueryRequest,
  Bodies,
  CallbackDeliveryRecord,
  Capability,
  CapabilityContract,
  DelegationRequest,
  DelegationResult,
  Envelope,
  EvidenceArtifact,
  IdentityContext,
  Manifest,
  ReceiptChain,
  ReceiptQueryRequest,
  TransactionQueryRequest,
  TransactionRequest,
  TransactionResult,
  TransactionView,
} from '../types.js';

/**
 * Checks what neither schema nor decode say (docs/protocol/envelope.md#two-checks-on-arrival). Throws `envelope.decode.invalid` for a rule of the
 * envelope itself, `action.invalid_input` for one of its body. A list `limit` of any size passes: whoever reads it clamps it.
 */
export function checkEnvelopeRules(envelope: Envelope): void {
  if (envelope.message_id === '') throw new AipError('envelope.decode.invalid', 'message_id must not be empty');
  if (envelope.idempotency_key === '')
    throw new AipError('envelope.decode.invalid', 'idempotency_key must not be empty when given');
  for (const key in envelope.body) {
    const rule = RULES[key as keyof Bodies] as ((body: unknown) => void) | undefined;
    rule?.((envelope.body as Record<string, unknown>)[key]);
  }
}

/** Checks a manifest's own rules, as admission does for manifests that come in no envelope. Throws `action.invalid_input`. */
export function checkManifestRules(manifest: Manifest): void {
  filled(manifest.manifest_version, 'manifest_version');
  holds(manifest.profiles.length > 0, 'profiles must not be empty');
  const ids = new Set<string>();
  for (const capability of manifest.capabilities ?? []) {
    holds(!ids.has(capability.id), `the capability ${capability.id} is given twice`);
    ids.add(capability.id);
    checkCapability(capability);
  }
}

function holds(condition: boolean, otherwise: string): void {
  if (!condition) throw new AipError('action.invalid_input', otherwise);
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function filled(text: string, path: string): void {
  holds(!isBlank(text), `${path} must not be blank`);
}

function filledIfGiven(text: string | undefined, path: string): void {
  if (text !== undefined) filled(text, path);
}

function allFilled(texts: readonly string[] | undefined, path: string): void {
  holds(texts?.some(isBlank) !== true, `${path} must not have a blank entry`);
}

function checkTenant(body: { tenant_id?: string }): void {
  filledIfGiven(body.tenant_id, 'tenant_id');
}

function checkWait(body: { tenant_id?: string; wait_ms?: number }): void {
  checkTenant(body);
  holds(toNumber(body.wait_ms ?? 0) <= MAX_WAIT_MS, `wait_ms must be at most ${MAX_WAIT_MS}`);
}

function checkListSize(items: readonly unknown[], path: string): void {
  holds(items.length <= MAX_LIST_ITEMS, `${path} must have at most ${MAX_LIST_ITEMS} items`);
}

function exactlyOne(values: readonly unknown[], names: string): void {
  holds(values.filter((value) => value !== undefined).length === 1, `exactly one of ${names} must be given`);
}

function checkIdentity(identity: IdentityContext | undefined): void {
  if (identity === undefined) return;
  const { tenant, external_account, external_user, credential_ref, oauth } = identity;
  filledIfGiven(tenant?.id, 'identity.tenant.id');
  filledIfGiven(external_account?.id, 'identity.external_account.id');
  filledIfGiven(external_account?.system, 'identity.external_account.system');
  filledIfGiven(external_user?.id, 'identity.external_user.id');
  filledIfGiven(external_user?.system, 'identity.external_user.system');
  filledIfGiven(credential_ref?.id, 'identity.credential_ref.id');
  filledIfGiven(credential_ref?.issuer, 'identity.credential_ref.issuer');
  allFilled(credential_ref?.scopes, 'identity.credential_ref.scopes');
  filledIfGiven(oauth?.issuer, 'identity.oauth.issuer');
  allFilled(oauth?.scopes, 'identity.oauth.scopes');
  holds(oauth?.client_id !== '', 'identity.oauth.client_id must not be empty when given');
}

/** The rules of an action, without that of a null input: whoever runs it refuses that, under the code of its capability. */
function checkAction(action: Action): void {
  holds(action.idempotency_key !== '', 'idempotency_key must not be empty when given');
  holds(action.timeout_ms !== 0, 'timeout_ms must be above 0');
  const hops = action.delegation_chain?.length ?? 0;
  holds(hops <= MAX_DELEGATION_HOPS, `delegation_chain must have at most ${MAX_DELEGATION_HOPS} entries`);
  if (action.approval !== undefined) {
    checkDecision(action.approval);
    holds(action.approval.decision === 'approved', 'approval.decision must be approved');
  }
  const { transaction } = action;
  if (transaction?.mode === 'commit') holds(transaction.plan_id !== undefined, 'transaction mode commit needs plan_id');
  if (transaction?.mode === 'compensate') {
    holds(transaction.compensation_for !== undefined, 'transaction mode compensate needs compensation_for');
  }
  checkIdentity(action.identity);
}

function checkEvidence(evidence: readonly EvidenceArtifact[] | undefined): void {
  for (const artifact of evidence ?? []) {
    filled(artifact.id, 'evidence.id');
    filled(artifact.kind, 'evidence.kind');
  }
}

function checkDecision(decision: ApprovalDecision): void {
  filledIfGiven(decision.reason, 'reason');
  for (const constraint of decision.constraints ?? []) {
    filled(constraint.field, 'constraints.field');
    filled(constraint.operator, 'constraints.operator');
  }
  checkEvidence(decision.evidence);
}

function checkApprovalRequest(request: ApprovalRequest): void {
  filled(request.reason, 'reason');
  checkEvidence(request.evidence);
  checkIdentity(request.identity);
}

function checkApprovalView(view: ApprovalRecordView): void {
  checkApprovalRequest(view.request);
  if (view.decision !== undefined) {
    checkDecision(view.decision);
    holds(view.decision.approval_id === view.request.id, 'decision.approval_id must equal request.id');
  }
  filled(view.status, 'status');
}

function checkResult(result: ActionResult): void {
  holds(result.status !== 'failed' || result.error !== undefined, 'a failed result needs an error');
}

function checkStatus(status: ActionStatus): void {
  if (status.state === 'failed') {
    const explained = status.result_status !== undefined || status.result?.error !== undefined;
    holds(explained, 'a failed action needs result_status or a result with an error');
  }
}

function checkEvents(events: ActionEvents): void {
  const items = [...events.events, ...(events.chunks ?? [])];
  holds(
    items.every(({ action_id }) => action_id === events.action_id),
    'every event and chunk must be of the action',
  );
}

function checkDelegation(request: DelegationRequest): void {
  filled(request.scope, 'scope');
  holds(request.parent_action_id !== request.child_action.id, 'parent_action_id must differ from child_action.id');
  holds(request.child_action.input !== null, 'input must not be null');
  checkAction(request.child_action);
}

function checkDelegationResult({ status, result, error }: DelegationResult): void {
  const open = status === 'accepted' || status === 'running';
  holds(open || result !== undefined || error !== undefined, `status ${status} needs a result or an error`);
}

function checkTransactionRequest({ action, transaction_id }: TransactionRequest): void {
  holds(action.transaction !== undefined, 'action.transaction is missing');
  const named = action.transaction?.transaction_id;
  holds(named === undefined || named === transaction_id, 'action.transaction names another transaction');
  holds(action.input !== null, 'input must not be null');
  checkAction(action);
}

function checkTransactionResult(result: TransactionResult): void {
  holds(result.transaction.transaction_id === result.transaction_id, 'transaction must name transaction_id');
  if (result.status === 'failed') {
    const explained = result.error ?? (result.result?.status === 'failed' ? result.result.error : undefined);
    holds(explained !== undefined, 'a failed transaction needs an error');
  }
  if (result.status === 'planned') {
    const { plan } = result;
    holds(plan !== undefined, 'plan is missing');
    const same =
      plan?.transaction_id === result.transaction_id &&
      plan.action_id === result.action_id &&
      plan.capability_id === result.capability_id;
    holds(same, 'plan must be of this transaction, action and capability');
  }
}

function checkTransactionQuery(query: TransactionQueryRequest): void {
  exactlyOne([query.transaction_id, query.plan_id, query.action_id], 'transaction_id, plan_id and action_id');
  filledIfGiven(query.plan_id, 'plan_id');
  checkTenant(query);
}

function checkTransactionView(view: TransactionView): void {
  holds(view.transaction.transaction_id === view.transaction_id, 'transaction must name transaction_id');
  filled(view.status, 'status');
}

function checkDelivery(record: CallbackDeliveryRecord): void {
  filled(record.delivery_id, 'delivery_id');
  filled(record.message_type, 'message_type');
  holds(record.policy.delivery_id === record.delivery_id, 'policy.delivery_id must equal delivery_id');
}

function checkReceiptQuery(query: ReceiptQueryRequest): void {
  exactlyOne([query.chain_id, query.receipt_id], 'chain_id and receipt_id');
  filledIfGiven(query.chain_id, 'chain_id');
}

function checkReceiptChain({ receipts, root_hash }: ReceiptChain): void {
  holds(receipts.length === 0 || !isBlank(root_hash ?? ''), 'root_hash is missing');
}

function checkAuditEvent(event: AuditEvent): void {
  filled(event.action, 'action');
  checkIdentity(event.identity);
}

function checkAuditQuery(query: AuditQueryRequest): void {
  checkTenant(query);
  if (query.from !== undefined && query.to !== undefined) {
    holds(parseTime(query.from) <= parseTime(query.to), 'from must not be after to');
  }
}

function checkCapability(capability: Capability): void {
  filled(capability.name, `name of capability ${capability.id}`);
  if (capability.contract !== undefined) checkContract(capability.contract, capability.id);
}

function checkContract(contract: CapabilityContract, id: string): void {
  const { execution, sla, credentials, transaction, compensation } = contract;
  const rule = (condition: boolean, text: string) => holds(condition, `${text} in the contract of capability ${id}`);
  rule((contract.side_effects?.length ?? 0) > 0, 'side_effects must not be empty');
  rule(contract.idempotency.ttl_ms !== 0, 'idempotency.ttl_ms must be above 0');
  rule(
    execution.supports_sync || execution.supports_async || execution.supports_streaming,
    'one of sync, async and streaming must be supported',
  );
  for (const time of [sla?.expected_latency_ms, sla?.timeout_ms, sla?.max_queue_delay_ms]) {
    rule(time !== 0, 'times of sla must be above 0');
  }
  allFilled(credentials?.accepted_issuers, 'credentials.accepted_issuers');
  allFilled(credentials?.required_scopes, 'credentials.required_scopes');
  if (transaction !== undefined) {
    rule((transaction.supported_modes?.length ?? 0) > 0, 'transaction.supported_modes must not be empty');
  }
  if (compensation?.mode === 'supported') {
    rule(compensation.compensation_capability_id !== undefined, 'compensation_capability_id is missing');
  }
}

const RULES: { readonly [K in keyof Bodies]?: (body: Bodies[K]) => void } = {
  handshake: ({ purpose }) => filled(purpose, 'purpose'),
  action: checkAction,
  action_result: checkResult,
  action_status: checkStatus,
  action_status_request: checkWait,
  action_result_request: checkWait,
  action_list_request: checkTenant,
  action_list: ({ actions }) => {
    checkListSize(actions, 'actions');
    actions.forEach(checkStatus);
  },
  action_events_request: (request) => {
    checkTenant(request);
    allFilled(request.kinds, 'kinds');
  },
  action_events: checkEvents,
  approval_request: checkApprovalRequest,
  approval_decision: checkDecision,
  approval_query_request: checkTenant,
  approval_list_request: (request) => {
    checkTenant(request);
    filledIfGiven(request.status, 'status');
  },
  approval_record_view: checkApprovalView,
  approval_list: ({ approvals }) => {
    checkListSize(approvals, 'approvals');
    approvals.forEach(checkApprovalView);
  },
  callback_delivery_query_request: (request) => {
    filled(request.delivery_id, 'delivery_id');
    checkTenant(request);
  },
  callback_delivery_list_request: (request) => {
    checkTenant(request);
    filledIfGiven(request.target, 'target');
  },
  callback_delivery_record: checkDelivery,
  callback_delivery_list: ({ deliveries }) => {
    checkListSize(deliveries, 'deliveries');
    deliveries.forEach(checkDelivery);
  },
  session_close_request: ({ reason }) => filledIfGiven(reason, 'reason'),
  session_resume_request: ({ resume_token }) => filledIfGiven(resume_token, 'resume_token'),
  delegation_request: checkDelegation,
  delegation_result: checkDelegationResult,
  transaction_request: checkTransactionRequest,
  transaction_result: checkTransactionResult,
  transaction_query_request: checkTransactionQuery,
  transaction_view: checkTransactionView,
  manifest_request: ({ filter }) => allFilled(filter?.resource_kinds, 'filter.resource_kinds'),
  manifest: checkManifestRules,
  channel_message: ({ identity }) => checkIdentity(identity),
  conversation: ({ identity }) => checkIdentity(identity),
  receipt_chain: checkReceiptChain,
  receipt_query_request: checkReceiptQuery,
  audit_event: checkAuditEvent,
  audit_query_request: checkAuditQuery,
  audit_query_result: ({ events }) => {
    checkListSize(events, 'events');
    events.forEach(checkAuditEvent);
  },
  resource_list_request: (request) => {
    checkTenant(request);
    filledIfGiven(request.kind, 'kind');
  },
  resource_read_request: (request) => {
    checkTenant(request);
    filled(request.resource_id, 'resource_id');
    filledIfGiven(request.version, 'version');
  },
  resource_read_result: ({ resource }) => filled(resource.id, 'resource.id'),
};
