import type { Pool, Queryable } from '../../../postgres/pool.js';
import type { Clock } from '../../../protocol/clock.js';
import { finiteLife } from '../../../protocol/content/finite-life.js';
import { digestOf } from '../../../protocol/digest.js';
import { AipError, NotAuthorized } from '../../../protocol/errors.js';
import { approvalPolicyHash } from '../../../protocol/hashes.js';
import { samePrincipal } from '../../../protocol/identity/principal.js';
import { isId, isPlainId } from '../../../protocol/ids.js';
import { formatTime, parseTime } from '../../../protocol/time.js';
import type { ApprovalPolicy, ApprovalRequest, Capability, EventStream } from '../../../protocol/types.js';
import { keysOfRequest } from '../../actions/approval/authority/keys.js';
import { policyAskedFirst } from '../../actions/approval/authority/policy.js';
import { ZERO } from '../../actions/approval/decision/checks.js';
import { requestedEvent } from '../../actions/approval/events.js';
import { readApproval } from '../../actions/approval/record.js';
import { requestReceipts } from '../../actions/approval/request/compose.js';
import type { CapabilityLookup } from '../../actions/capabilities/capabilities.js';
import { readAction } from '../../actions/record/read.js';
import type { Identity } from '../../edge/identity.js';
import { appendEvents } from '../../events/log/append.js';
import { appendReceipts } from '../../records/receipts/append.js';
import { keepWithinStock } from '../../records/stock/admit.js';
import type { StockLimits } from '../../records/stock/limits.js';

/** Bytes of one request. */
const MAX_REQUEST_BYTES = 65_536;
const SHA256_HEX = /^[0-9a-f]{64}$/;

// Stores a request whose id is free in its tenant.
const INSERT = `
INSERT INTO runtime.approvals
  (approval_id, action_id, capability_id, tenant_id, requester_id, subject_id, status, request, policy_hash, expires_at, approver_keys,
   submitted_digest, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $5, 'pending', $6::json, $7, $8, $9, $10, $11, $11)
ON CONFLICT (approval_id, tenant_id) DO NOTHING RETURNING approval_id`;

/** What requests for approvals need. */
export interface RequestDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly capabilities: Pick<CapabilityLookup, 'get'>;
  readonly stock: StockLimits;
}

/**
 * Stores a caller's request to approve an action that it will submit later with the decision. Policy, approvers, subject and expiry are
 * those of the capability, whatever the request says, and the decision is bound to the input whose hash the request carries. The same
 * request again changes nothing. Throws NotAuthorized, `resource.not_found`, `action.invalid_input`, StockExceeded and policy errors that name what
 * is wrong.
 */
export async function requestApproval(
  deps: RequestDeps,
  identity: Identity,
  submitted: ApprovalRequest,
): Promise<EventStream> {
  if (!samePrincipal(submitted.requester, identity.principal))
    throw new NotAuthorized('requester must be the authenticated caller, with its id and kind');
  checkForm(submitted);
  const { capability } = await deps.capabilities.get(identity.tenantId ?? null, submitted.capability_id);
  const nowMs = deps.clock();
  const request = effectiveRequest(submitted, capability, identity, nowMs);
  return deps.pool.tx(async (client) => {
    const stored = await store(client, identity, request, digestOf(submitted), nowMs);
    if (!stored) return { events: await confirmRepeated(client, identity, submitted) };
    await keepWithinStock(client, deps.stock, { kind: 'approvals', tenantId: identity.tenantId });
    const owner = {
      action_id: request.action_id,
      tenant_id: identity.tenantId ?? null,
      principal_id: identity.principal.id,
      session_id: null,
      correlation_id: null,
    };
    const event = requestedEvent(owner, request, nowMs);
    await appendEvents(client, [event]);
    return { events: [event.event] };
  });
}

function checkForm(request: ApprovalRequest): void {
  if (!isId('approval', request.id))
    throw new AipError('action.invalid_input', 'id must begin with appr_ and have at most 256 bytes');
  if (!isPlainId(request.action_id))
    throw new AipError('action.invalid_input', 'action_id must be 1 to 256 bytes of text');
  const text = JSON.stringify(request);
  if (text.includes(ZERO))
    throw new AipError('action.invalid_input', 'an approval request must not hold a zero character');
  if (Buffer.byteLength(text) > MAX_REQUEST_BYTES)
    throw new AipError('action.invalid_input', `an approval request must have at most ${MAX_REQUEST_BYTES} bytes`);
}

/** The request as it is stored: what the caller may choose, under what the capability demands. */
function effectiveRequest(
  submitted: ApprovalRequest,
  capability: Capability,
  identity: Identity,
  nowMs: number,
): ApprovalRequest & { policy_hash: string } {
  const inputHash = submitted.evidence?.find(({ kind }) => kind === 'input_snapshot')?.hash;
  if (inputHash === undefined || !SHA256_HEX.test(inputHash))
    throw new AipError(
      'policy.approval_evidence_missing',
      'the request needs an input_snapshot artifact with the hash of the input that the action will have',
    );
  const policy = policyAskedFirst(capability);
  const requester = { id: identity.principal.id, kind: identity.principal.kind };
  const policyHash = approvalPolicyHash({
    policy,
    action_id: submitted.action_id,
    capability_id: submitted.capability_id,
    requester_id: requester.id,
    subject_id: null,
    input_hash: inputHash,
  });
  if (submitted.policy_hash !== undefined && submitted.policy_hash !== policyHash)
    throw new AipError(
      'policy.approval_hash_mismatch',
      'policy_hash is not that of the capability’s policy and the named input',
    );
  const expiresAt = expiryOf(submitted, policy, nowMs);
  const { risk } = capability;
  const { id, action_id, capability_id, reason, evidence, governed_value } = submitted;
  return {
    id,
    action_id,
    capability_id,
    requester,
    subject: requester,
    approver_selector: policy.approver_selector,
    reason,
    ...(evidence === undefined ? {} : { evidence }),
    ...(expiresAt === undefined ? {} : { expires_at: formatTime(expiresAt) }),
    policy_decision_id: `policy:${action_id}`,
    ...(identity.tenantId === undefined ? {} : { identity: { tenant: { id: identity.tenantId } } }),
    policy_snapshot: policy,
    policy_hash: policyHash,
    operator: requester,
    ...(risk === undefined ? {} : { risk }),
    ...(governed_value === undefined ? {} : { governed_value }),
  };
}

/** The earlier of the end that the caller names and the end that the policy sets. */
function expiryOf(submitted: ApprovalRequest, policy: ApprovalPolicy, nowMs: number): number | undefined {
  const named = submitted.expires_at === undefined ? undefined : parseTime(submitted.expires_at);
  if (named !== undefined && named <= nowMs)
    throw new AipError('action.invalid_input', 'expires_at has passed already');
  const life = finiteLife(policy.ttl_ms);
  const ends = [named, life === undefined ? undefined : nowMs + Math.max(1, life)];
  const known = ends.filter((end) => end !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

async function store(
  client: Queryable,
  identity: Identity,
  request: ApprovalRequest & { policy_hash: string },
  digest: string,
  nowMs: number,
): Promise<boolean> {
  const tenantId = identity.tenantId ?? null;
  const { id: principalId } = identity.principal;
  const known = await readAction(client, { actionId: request.action_id, tenantId });
  const inserted = known
    ? undefined
    : await client.query({
        name: 'runtime.approval.request',
        text: INSERT,
        values: [
          request.id,
          request.action_id,
          request.capability_id,
          tenantId,
          principalId,
          JSON.stringify(request),
          request.policy_hash,
          request.expires_at === undefined ? null : parseTime(request.expires_at),
          keysOfRequest(request),
          digest,
          nowMs,
        ],
      });
  if (!inserted || inserted.rows.length === 0) return false;
  await appendReceipts(client, { tenantId, principalId }, requestReceipts(request, nowMs));
  return true;
}

/** The same pending request of the same caller is fine; any other request under its id, or for an action that exists, is not. */
async function confirmRepeated(client: Queryable, identity: Identity, submitted: ApprovalRequest): Promise<never[]> {
  const approval = await readApproval(client, { approvalId: submitted.id, tenantId: identity.tenantId ?? null });
  if (approval?.requester_id !== identity.principal.id) {
    if (approval) throw new AipError('policy.approval_mismatch', 'the id of the approval is in use; choose a new one');
    throw new AipError(
      'policy.approval_action_mismatch',
      'the action was submitted already; decide on the approval that it waits for',
    );
  }
  const digest = digestOf(submitted);
  const same = approval.submitted_digest === digest || digestOf(approval.request) === digest;
  if (approval.status !== 'pending' || !same)
    throw new AipError('policy.approval_mismatch', 'the id of the approval is in use for another request');
  return [];
}
