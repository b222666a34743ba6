import { canonicalJson } from '../../../protocol/canonical.js';
import type { Envelope } from '../../../protocol/envelope.js';
import { statedInputCode } from '../../../protocol/errors/invalid-input.js';
import { AipError } from '../../../protocol/errors.js';
import { isPlainId } from '../../../protocol/ids.js';
import type { Action } from '../../../protocol/types.js';
import type { SchemaChecks } from '../../../registry/contracts/schema-checks.js';
import { observabilityWith } from '../../../transport/telemetry/trace-context.js';
import type { Identity } from '../../edge/identity.js';
import type { TraceParent } from '../../edge/request-context.js';
import type { ApprovalVerifier } from '../approval/request/verify.js';
import type { CapabilityLookup, KnownCapability } from '../capabilities/capabilities.js';
import { inputRefusal } from '../capabilities/schema-checks.js';
import type { RequestedPlan } from '../record/plan.js';
import type { ActionMode } from '../record/record.js';
import { authorizeCapability } from './authorize-capability.js';
import { contractRefusal } from './contract-checks.js';

/** An action that passed every check which needs no durable state. */
export interface PreparedAction {
  readonly action: Action;
  readonly mode: ActionMode;
  readonly known: KnownCapability;
  /** Set when the checks end in a failed result, not in an error: the action is then not accepted. */
  readonly refusal?: AipError;
  /** The caller may use the capability: the refusal is one of the approval that it brought along. */
  readonly authorized?: true;
  /** What is added to the action's plan. */
  readonly requested?: RequestedPlan | undefined;
}

/** What the checks ask. */
export interface ActionChecks {
  readonly capabilities: CapabilityLookup;
  readonly schemas: SchemaChecks;
  readonly verifyApproval: ApprovalVerifier;
}

/**
 * Runs the checks of docs/protocol/actions.md#order-of-acceptance in order. Those that the table answers with an error are thrown
 * (`resource.not_found`, NotAuthorized, `auth.tenant_required`, `auth.tenant_mismatch`, `action.invalid_input`); those that it answers with a
 * failed result come back as `refusal`.
 */
export async function prepareAction(
  identity: Identity,
  envelope: Envelope,
  submitted: Action,
  { capabilities, schemas, verifyApproval }: ActionChecks,
  trace: TraceParent | undefined,
): Promise<PreparedAction> {
  checkIdentifiers(envelope, submitted);
  const action = boundAction(identity, submitted, trace);
  const mode = action.mode ?? 'sync';
  const known = await capabilities.get(identity.tenantId ?? null, action.capability_id);
  if (action.input === null && statedInputCode(known.capability) === undefined)
    throw new AipError('action.invalid_input', 'input must not be null');
  const party = identity.tenantId ?? identity.principal.id;
  const refusal =
    (await inputRefusal(schemas, known.capability, action.input, party)) ??
    contractRefusal(action, mode, known.capability);
  if (refusal) return { action, mode, known, refusal };
  authorizeCapability(identity.principal, action);
  const unverified = action.approval && (await verifyApproval(identity, action, known.capability));
  return { action, mode, known, ...(unverified && { refusal: unverified, authorized: true }) };
}

/**
 * Whether two submissions under one action id request the same work; what the server or an approver adds does not
 * count.
 */
export function sameWork(a: Action, b: Action): boolean {
  return canonicalJson(comparable(a)) === canonicalJson(comparable(b));
}

function comparable(action: Action): unknown {
  const { approval: _approval, observability: _observability, transaction, ...rest } = action;
  const { transaction_id: _id, ...phases } = transaction ?? {};
  return transaction === undefined ? rest : { ...rest, transaction: phases };
}

/** Every text that becomes a key or a column keeps the form of an identifier. */
function checkIdentifiers(envelope: Envelope, action: Action): void {
  const named = {
    'action.id': action.id,
    'action.capability_id': action.capability_id,
    'action.idempotency_key': action.idempotency_key,
    'action.transaction.transaction_id': action.transaction?.transaction_id,
    session_id: envelope.session_id,
    correlation_id: envelope.correlation_id,
    message_id: envelope.message_id,
  };
  for (const [member, text] of Object.entries(named))
    if (text !== undefined && !isPlainId(text))
      throw new AipError('action.invalid_input', `${member} must be 1 to 256 bytes without control characters`, {
        details: { member },
      });
}

/** The action with the identity that the server verified in place of the claimed one, and with the caller's trace. */
function boundAction(identity: Identity, submitted: Action, trace: TraceParent | undefined): Action {
  const claimed = submitted.identity?.tenant?.id;
  if (claimed !== undefined && identity.tenantId === undefined) throw new AipError('auth.tenant_required');
  if (claimed !== undefined && claimed !== identity.tenantId) throw new AipError('auth.tenant_mismatch');
  const { identity: _claims, ...action } = submitted;
  const keep = trace === undefined || (action.observability?.trace_id !== undefined && !trace.own);
  const traced = keep ? {} : { observability: observabilityWith(action.observability, trace) };
  const tenant = identity.tenantId === undefined ? {} : { identity: { tenant: { id: identity.tenantId } } };
  return { ...action, ...traced, ...tenant };
}
