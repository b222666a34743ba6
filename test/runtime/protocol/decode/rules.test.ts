import { describe, expect, it } from 'vitest';
import { checkEnvelopeRules, type Envelope } from '#runtime/protocol/envelope.js';
import { withCode } from '../../../support/with-code.js';
import { bodies } from '../support.ts';

const envelope = (body: unknown, fields: object = {}) =>
  ({
    aip_version: '1.0',
    message_type: 'x',
    message_id: 'msg_1',
    sent_at: 'x',
    body,
    ...fields,
  }) as unknown as Envelope;
const rules = (body: unknown) => () => checkEnvelopeRules(envelope(body));

const principal = { id: 'agent:a', kind: 'agent' };
const action = { id: 'act_1', capability_id: 'cap:x', input: {} };
const error = { code: 'x', message: 'x', category: 'permanent' };
const transaction = { mode: 'execute', transaction_id: 'txn_1' };
const result = {
  transaction_id: 'txn_1',
  action_id: 'act_1',
  capability_id: 'cap:x',
  transaction,
  status: 'committed',
};
const plan = { plan_id: 'p', transaction_id: 'txn_1', action_id: 'act_1', capability_id: 'cap:x' };
const request = { id: 'appr_1', reason: 'why' };
const decision = { approval_id: 'appr_1', decision: 'approved' };
const view = { request, status: 'pending' };
const record = { delivery_id: 'cb:1', message_type: 'm', policy: { delivery_id: 'cb:1' } };
const contract = {
  side_effects: ['read'],
  idempotency: {},
  execution: { supports_sync: true },
  data: {},
};
const capability = { id: 'cap:x', name: 'x', contract };
const manifest = { manifest_version: 'aip-manifest/v1', agent: principal, profiles: ['p'], capabilities: [capability] };
const contracted = (change: object) => ({
  manifest: { ...manifest, capabilities: [{ ...capability, contract: { ...contract, ...change } }] },
});
const delegation = { parent_action_id: 'act_0', child_action: action, scope: 's' };
const many = (item: unknown) => new Array(1001).fill(item);

describe('rules of the envelope itself', () => {
  it.each([
    ['an empty message id', { message_id: '' }],
    ['an empty idempotency key', { idempotency_key: '' }],
  ])('%s cannot be decoded', (_, fields) => {
    expect(() => checkEnvelopeRules(envelope({ action }, fields))).toThrow(withCode('envelope.decode.invalid'));
  });
});

describe('rules of bodies', () => {
  it.each(bodies.map((body) => [Object.keys(body)[0] as string, body] as const))(
    'the example of %s keeps them',
    (_, body) => {
      expect(rules(body)).not.toThrow();
    },
  );

  it('take lists with a limit of any size: whoever reads it clamps it', () => {
    for (const limit of [0, 1001, 2 ** 32 - 1]) expect(rules({ action_list_request: { limit } })).not.toThrow();
  });

  it.each([
    ['handshake.purpose', { handshake: { purpose: ' ' } }],
    ['idempotency_key', { action: { ...action, idempotency_key: '' } }],
    ['timeout_ms', { action: { ...action, timeout_ms: 0 } }],
    ['delegation_chain', { action: { ...action, delegation_chain: new Array(11).fill({}) } }],
    ['approval that is not approved', { action: { ...action, approval: { ...decision, decision: 'denied' } } }],
    ['approval with a blank reason', { action: { ...action, approval: { ...decision, reason: '' } } }],
    ['commit without plan', { action: { ...action, transaction: { mode: 'commit' } } }],
    ['compensate without target', { action: { ...action, transaction: { mode: 'compensate' } } }],
    ['tenant', { action: { ...action, identity: { tenant: { id: ' ' } } } }],
    ['external account', { action: { ...action, identity: { external_account: { id: 'a', system: '' } } } }],
    ['external user', { action: { ...action, identity: { external_user: { id: '', system: 's' } } } }],
    ['credential issuer', { action: { ...action, identity: { credential_ref: { id: 'a', issuer: '' } } } }],
    [
      'credential scope',
      { action: { ...action, identity: { credential_ref: { id: 'a', issuer: 'i', scopes: [''] } } } },
    ],
    ['oauth issuer', { action: { ...action, identity: { oauth: { issuer: '' } } } }],
    ['oauth client', { action: { ...action, identity: { oauth: { issuer: 'i', client_id: '' } } } }],
    ['oauth scope', { action: { ...action, identity: { oauth: { issuer: 'i', scopes: [' '] } } } }],
    ['failed without error', { action_result: { status: 'failed' } }],
    ['failed without reason', { action_status: { state: 'failed' } }],
    ['failed in a list', { action_list: { actions: [{ state: 'failed' }] } }],
    ['too many actions', { action_list: { actions: many({ state: 'queued' }) } }],
    ['event of no action', { action_events: { action_id: 'a', events: [{}] } }],
    ['chunk of no action', { action_events: { action_id: 'a', events: [], chunks: [{}] } }],
    ['event of another action', { action_events: { action_id: 'a', events: [{ action_id: 'b' }] } }],
    ['chunk of another action', { action_events: { action_id: 'a', events: [], chunks: [{ action_id: 'b' }] } }],
    ['blank kind', { action_events_request: { kinds: ['k', ''] } }],
    ['blank tenant', { action_events_request: { tenant_id: '' } }],
    ['wait_ms of status', { action_status_request: { wait_ms: 30001 } }],
    ['wait_ms of result', { action_result_request: { wait_ms: 30001 } }],
    ['tenant of list', { action_list_request: { tenant_id: ' ' } }],
    ['delegation scope', { delegation_request: { ...delegation, scope: ' ' } }],
    ['delegation to itself', { delegation_request: { ...delegation, parent_action_id: 'act_1' } }],
    ['delegated action', { delegation_request: { ...delegation, child_action: { ...action, input: null } } }],
    ['delegation without outcome', { delegation_result: { status: 'completed' } }],
    ['transaction without transaction', { transaction_request: { transaction_id: 'txn_1', action } }],
    ['another transaction', { transaction_request: { transaction_id: 'txn_2', action: { ...action, transaction } } }],
    ['result of another transaction', { transaction_result: { ...result, transaction_id: 'txn_2' } }],
    ['failed transaction without error', { transaction_result: { ...result, status: 'failed' } }],
    ['planned without plan', { transaction_result: { ...result, status: 'planned' } }],
    [
      'plan of another action',
      { transaction_result: { ...result, status: 'planned', plan: { ...plan, action_id: 'b' } } },
    ],
    ['no selector', { transaction_query_request: {} }],
    ['two selectors', { transaction_query_request: { plan_id: 'p', action_id: 'a' } }],
    ['blank plan', { transaction_query_request: { plan_id: '' } }],
    ['view of another transaction', { transaction_view: { transaction_id: 'txn_2', transaction, status: 's' } }],
    ['view without status', { transaction_view: { transaction_id: 'txn_1', transaction, status: '' } }],
    ['approval reason', { approval_request: { reason: ' ' } }],
    ['approval evidence id', { approval_request: { ...request, evidence: [{ id: '', kind: 'k' }] } }],
    ['decision reason', { approval_decision: { ...decision, reason: ' ' } }],
    ['constraint field', { approval_decision: { ...decision, constraints: [{ field: '', operator: 'eq' }] } }],
    ['evidence kind', { approval_decision: { ...decision, evidence: [{ id: 'e', kind: '' }] } }],
    [
      'decision of another approval',
      { approval_record_view: { ...view, decision: { ...decision, approval_id: 'b' } } },
    ],
    ['view status', { approval_record_view: { ...view, status: ' ' } }],
    ['approval status filter', { approval_list_request: { status: '' } }],
    ['approval tenant', { approval_query_request: { tenant_id: '' } }],
    ['too many approvals', { approval_list: { approvals: many(view) } }],
    ['delivery id', { callback_delivery_query_request: { delivery_id: ' ' } }],
    ['target filter', { callback_delivery_list_request: { target: '' } }],
    ['policy of another delivery', { callback_delivery_record: { ...record, policy: { delivery_id: 'cb:2' } } }],
    ['delivery message type', { callback_delivery_record: { ...record, message_type: '' } }],
    ['too many deliveries', { callback_delivery_list: { deliveries: many(record) } }],
    ['close reason', { session_close_request: { reason: ' ' } }],
    ['resume token', { session_resume_request: { resume_token: '' } }],
    ['no receipt selector', { receipt_query_request: {} }],
    ['blank chain', { receipt_query_request: { chain_id: ' ' } }],
    ['chain without root', { receipt_chain: { receipts: [{}] } }],
    ['audit action', { audit_event: { action: ' ' } }],
    ['audit range', { audit_query_request: { from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' } }],
    ['too many audit events', { audit_query_result: { events: many({ action: 'a' }) } }],
    ['resource kind filter', { resource_list_request: { kind: '' } }],
    ['resource id', { resource_read_request: { resource_id: ' ' } }],
    ['resource version', { resource_read_request: { resource_id: 'r', version: '' } }],
    ['read resource id', { resource_read_result: { resource: { id: '' } } }],
    ['manifest filter', { manifest_request: { filter: { resource_kinds: [''] } } }],
    ['manifest version', { manifest: { ...manifest, manifest_version: '' } }],
    ['manifest profiles', { manifest: { ...manifest, profiles: [] } }],
    ['capability twice', { manifest: { ...manifest, capabilities: [capability, capability] } }],
    ['capability name', { manifest: { ...manifest, capabilities: [{ ...capability, name: ' ' }] } }],
    ['side effects', contracted({ side_effects: [] })],
    ['idempotency ttl', contracted({ idempotency: { ttl_ms: 0 } })],
    ['no mode', contracted({ execution: { supports_retry: true } })],
    ['sla', contracted({ sla: { timeout_ms: 0 } })],
    ['credential issuers', contracted({ credentials: { accepted_issuers: [''] } })],
    ['transaction modes', contracted({ transaction: { supported_modes: [] } })],
    ['compensation', contracted({ compensation: { mode: 'supported' } })],
    ['channel identity', { channel_message: { identity: { tenant: { id: '' } } } }],
    ['conversation identity', { conversation: { identity: { tenant: { id: '' } } } }],
  ])('%s: invalid input', (_, body) => {
    expect(rules(body)).toThrow(withCode('action.invalid_input'));
  });

  it.each([
    ['failed result with error', { action_result: { status: 'failed', error } }],
    ['failed status with result', { action_status: { state: 'failed', result: { error } } }],
    ['failed status with result status', { action_status: { state: 'failed', result_status: 'failed' } }],
    ['running delegation', { delegation_result: { status: 'running' } }],
    [
      'failed transaction by its result',
      { transaction_result: { ...result, status: 'failed', result: { status: 'failed', error } } },
    ],
    ['planned transaction', { transaction_result: { ...result, status: 'planned', plan } }],
    ['empty chain', { receipt_chain: { receipts: [] } }],
    ['wait of 30 seconds', { action_status_request: { wait_ms: 30000 } }],
    ['manifest', { manifest }],
    ['ten hops', { action: { ...action, delegation_chain: new Array(10).fill({}) } }],
  ])('%s: fine', (_, body) => {
    expect(rules(body)).not.toThrow();
  });
});
