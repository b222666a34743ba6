import { expect, test } from 'vitest';
import { approvalProblem } from '#runtime/host/approvals/approval-problem.js';
import { credentialVerdict } from '#runtime/host/credentials/policy.js';
import type { Facts } from '#runtime/host/gate/facts.js';
import { recipient } from '#runtime/host/gate/recipient.js';
import { sender } from '#runtime/host/gate/sender.js';
import { signature } from '#runtime/host/gate/signature.js';
import { streaming } from '#runtime/host/gate/streaming.js';
import { work } from '#runtime/host/gate/work.js';
import { approvedRefund } from '../support/approval.ts';
import { TENANT } from '../support/central.ts';

type Refund = ReturnType<typeof approvedRefund>;

test.each<[string, (refund: Refund) => void]>([
  ['it is not approved', ({ record }) => Object.assign(record, { status: 'denied' })],
  ["its decision differs from the action's", ({ record }) => Object.assign(record.decision, { decision_id: 'other' })],
  ['it belongs to another action', ({ record }) => Object.assign(record.request, { action_id: 'act_other' })],
  ['it belongs to another capability', ({ record }) => Object.assign(record.request, { capability_id: 'cap:x:y' })],
  [
    'it belongs to another tenant',
    ({ record }) => Object.assign(record.request, { identity: { tenant: { id: 'b' } } }),
  ],
  ['its policy hashes differ', ({ record }) => Object.assign(record.request, { policy_hash: '00'.repeat(32) })],
  ['it holds no vote', ({ record }) => record.decisions.splice(0)],
  [
    'a vote was cast without authority',
    ({ record }) => Object.assign(record.decisions[0]?.authority as object, { revoked: true }),
  ],
  [
    "a vote's approver differs from its verified authority",
    ({ record }) => Object.assign(record.decisions[0]?.authority as object, { principal_id: 'human:mo' }),
  ],
  [
    'it needs 2 different approvers',
    ({ record }) => Object.assign(record.request, { policy_snapshot: { minimum_distinct_principals: 2 } }),
  ],
])('an approval record authorizes nothing when %s', (why, change) => {
  const refund = structuredClone(approvedRefund(100));
  expect(approvalProblem(refund.record, refund.action, TENANT)).toBeUndefined();
  // The action holds a decision of its own, which does not change with the record's.
  const changed = { action: refund.action, record: structuredClone(refund.record) };
  change(changed);
  expect(approvalProblem(changed.record, changed.action, TENANT)).toBe(why);
});

test('a credential revision is accepted when it is current or previous, and never once it is revoked', () => {
  const policy = { current: 'r3', previous: ['r2', 'r1'], revoked: ['r1'] };
  for (const pinned of ['r3', 'r2']) expect(credentialVerdict(policy, pinned)).toBeUndefined();
  for (const pinned of ['r1', 'r0', undefined])
    expect(credentialVerdict(policy, pinned)?.code).toBe('connector_host.credential_revision_denied');
  expect(credentialVerdict({ current: undefined, previous: [], revoked: [] }, undefined)).toBeUndefined();
});

const gateway = { id: 'service:central', kind: 'service', trust_domain: 'fleet.test' };
const host = {
  gateway,
  principal: { id: 'agent:demo', kind: 'agent', trust_domain: 'fleet.test', did: 'did:key:z6MkHost' },
  capabilities: new Map([['cap:demo:echo', {}]]),
  callbackUrl: 'https://gateway.test/callbacks',
};
const facts = (over: object): Facts => ({ host, signer: 'did:key:z6MkGateway', ...over }) as unknown as Facts;

test.each([
  ['did:key:z6MkGateway', undefined],
  ['did:key:z6MkOther', 'connector_host.route_mismatch'],
  [undefined, 'connector_host.route_mismatch'],
])('an envelope that %s signed is of the gateway or is refused: %s', (signer, code) => {
  const situation = { gatewayDids: ['did:key:z6MkGateway'] };
  expect(signature(facts({ signer, situation }))?.code).toBe(code);
});

test.each([
  [{}, undefined],
  [{ did: 'did:key:z6MkGateway' }, undefined],
  [{ id: 'service:other' }, 'is not the central gateway'],
  [{ trust_domain: 'elsewhere' }, 'is of another trust domain'],
  [{ trust_domain: undefined }, 'is of another trust domain'],
  [{ did: 'did:key:z6MkOther' }, 'has another DID'],
])('a sender with %j is the gateway or is refused: %s', (change, why) => {
  const refusal = sender(facts({ envelope: { from: { ...gateway, ...change } } }));
  expect(refusal?.message).toBe(why === undefined ? undefined : `from ${why}`);
});

test.each([
  [{}, undefined],
  [{ trust_domain: 'fleet.test', did: 'did:key:z6MkHost' }, undefined],
  [{ id: 'agent:other' }, 'to is not this host'],
  [{ trust_domain: 'elsewhere' }, 'to is of another trust domain'],
  [{ did: 'did:key:z6MkOther' }, 'to has another DID'],
])('a recipient with %j is this host or is refused: %s', (change, why) => {
  const refusal = recipient(facts({ envelope: { to: { id: 'agent:demo', kind: 'agent', ...change } } }));
  expect(refusal?.message).toBe(why);
});

test('work belongs to its route: the same action and capability, which this host has', async () => {
  const action = { id: 'act_1', capability_id: 'cap:demo:echo' };
  const route = { action_id: 'act_1', capability_id: 'cap:demo:echo' };
  const refusal = async (over: object) => (await work(facts({ action, route, ...over })))?.message;
  expect(await refusal({})).toBeUndefined();
  expect(await refusal({ route: { ...route, action_id: 'act_2' } })).toContain('another action');
  expect(await refusal({ route: { ...route, capability_id: 'cap:demo:count' } })).toContain('another capability');
  const unknown = { id: 'act_1', capability_id: 'cap:demo:none' };
  expect(await refusal({ action: unknown, route: { ...route, capability_id: 'cap:demo:none' } })).toContain('no such');
});

test('a streaming action names the one callback that this host was configured with', () => {
  const metadata = { connector_callback: {}, connector_callback_recipient: gateway };
  const route = { original_mode: 'streaming' };
  const refusal = (callback: object) =>
    streaming(
      facts({
        envelope: { from: gateway },
        route,
        action: {
          mode: 'streaming',
          callback: {
            profile: 'aip.native.http.v1',
            metadata: { ...metadata, connector_callback: route },
            ...callback,
          },
        },
      }),
    );
  expect(refusal({ target: host.callbackUrl })).toBeUndefined();
  expect(refusal({ target: 'https://elsewhere.test/callbacks' })).toBeDefined();
  expect(refusal({ target: host.callbackUrl, profile: 'other' })).toBeDefined();
});
