import { afterAll, beforeAll, expect, test } from 'vitest';
import { newEnvelope, signEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Body } from '#runtime/protocol/types.js';
import { appendReceipt } from '../../../support/receipt-chain.ts';
import { actionsOverFreshDatabase, capability, contractOf } from '../support/actions.ts';
import { policyOf, waitingAction } from '../support/approvals.ts';
import { type Answer, errorOf, type HttpGateway, principalEntry, startHttpGateway } from '../support/gateway.ts';

// Rights over records of another principal, docs/protocol/client-api.md#authorization: what they open and what they never do.

/** The owner of all records here. */
const DESK = 'agent:desk';
const grantOf = (...scopes: string[]) => ({ delegated_authority: [{ principal_id: DESK, scopes }] });
const key = signingKeyFromSeed(newSeedHex());

let local: Awaited<ReturnType<typeof actionsOverFreshDatabase>>;
let gateway: HttpGateway;
beforeAll(async () => {
  const approved = contractOf({ approval: policyOf() });
  local = await actionsOverFreshDatabase([capability('cap:pay:refund', async () => ({}), { contract: approved })]);
  const acme = { tenant_id: 'acme' };
  const everything = ['action', 'session', 'approval', 'audit', 'receipt', 'resource', 'events'].flatMap((object) => [
    `${object}:read`,
    `${object}:write`,
    `${object}:export`,
  ]);
  gateway = await startHttpGateway({
    databaseUrl: local.url,
    principals: [
      principalEntry('desk', { ...acme, principal_id: DESK, scopes: ['*'] }),
      principalEntry('deputy', { ...acme, scopes: [], ...grantOf(...everything) }),
      principalEntry('reader', { ...acme, scopes: ['action:read', 'principal:read:any'] }),
      principalEntry('exporter', {
        ...acme,
        scopes: ['approval:sensitive'],
        ...grantOf('approval:read', 'approval:export'),
      }),
      principalEntry('mixed', {
        ...acme,
        scopes: ['approval:sensitive', 'approval:read:any'],
        delegated_authority: [{ principal_id: 'agent:else', scopes: ['approval:export'] }],
      }),
    ],
    signers: [{ signer_did: key.did, principal_id: 'agent:signer', tenant_id: 'acme', ...grantOf('action:read') }],
  });
});
afterAll(async () => {
  await gateway?.stop();
  await local?.end();
});

const get = (path: string, token: string): Promise<Answer> => gateway.call('GET', `/aip/v1${path}`, { token });
const send = (body: Body, token: string): Promise<Answer> =>
  gateway.call('POST', '/aip/v1/messages', { token, body: newEnvelope(body, {}, { clock: Date.now }) });
const refusal = (answer: Answer): [number, string] => [answer.status, errorOf(answer).code];
const waiting = () => waitingAction(local.gateway, { capability_id: 'cap:pay:refund', input: { amount: 5 } });

test('N-342 a deputy with a grant to write cancels an action of its principal; who only reads for others does not', async () => {
  const { actionId } = await waiting();
  const cancel = (token: string) => gateway.call('POST', `/aip/v1/actions/${actionId}/cancel`, { token, body: {} });
  expect(refusal(await cancel('reader'))).toEqual([401, 'auth.not_authorized']);
  expect((await get(`/actions/${actionId}`, 'reader')).body.state).toBe('pending_approval');
  expect((await cancel('deputy')).status).toBe(200);
  expect((await get(`/actions/${actionId}`, 'deputy')).body.state).toBe('cancelled');
});

test('N-340 a deputy may name its principal in a filter, and neither itself nor another one', async () => {
  const { actionId } = await waiting();
  for (const query of ['', '&principal_id=agent:desk']) {
    const { status, body } = await get(`/actions?limit=1000${query}`, 'deputy');
    expect([status, body.actions.map((each: { action_id: string }) => each.action_id)]).toEqual([
      200,
      expect.arrayContaining([actionId]),
    ]);
  }
  for (const named of ['human:deputy', 'agent:else'])
    for (const path of ['/actions', '/sessions'])
      expect(refusal(await get(`${path}?principal_id=${named}`, 'deputy'))).toEqual([401, 'auth.not_authorized']);
});

test('a grant makes nobody the owner of a session: a deputy sees it and neither closes nor resumes it', async () => {
  const client = { id: DESK, kind: 'agent' as const };
  const opened = await send({ handshake: { client, purpose: 'tests', profiles: ['aip.native.http.v1'] } }, 'desk');
  const { session_id: id, resume_token } = opened.body.body.handshake_response;
  expect((await get(`/sessions/${id}`, 'deputy')).body.status).toBe('active');
  for (const [end, body] of [
    ['close', {}],
    ['resume', { resume_token }],
  ] as const) {
    const answer = await gateway.call('POST', `/aip/v1/sessions/${id}/${end}`, { token: 'deputy', body });
    expect(refusal(answer)).toEqual([401, 'auth.not_authorized']);
  }
  expect((await get(`/sessions/${id}`, 'desk')).body.status).toBe('active');
});

test('a grant gives the deputy no scope for work of its own: it stores no audit event and no receipt chain, and reads no resource', async () => {
  const event = {
    id: newId('event'),
    actor: { id: 'human:deputy', kind: 'human' as const },
    action: 'order.viewed',
    occurred_at: '2026-03-02T09:00:00Z',
  };
  expect(refusal(await send({ audit_event: event }, 'deputy'))).toEqual([401, 'audit.not_authorized']);
  expect(refusal(await get('/audit/events', 'deputy'))).toEqual([401, 'audit.not_authorized']);
  const receipt = {
    id: newId('receipt'),
    receipt_type: 'tool_executed' as const,
    actor: event.actor,
    occurred_at: event.occurred_at,
  };
  const chain = appendReceipt({ chain_id: `proof:${newId('message')}`, receipts: [] }, receipt);
  expect(refusal(await send({ receipt_chain: chain }, 'deputy'))).toEqual([401, 'auth.not_authorized']);
  for (const path of ['/resources', '/resources/res:none'])
    expect(refusal(await get(path, 'deputy'))).toEqual([401, 'auth.not_authorized']);
});

test('N-165 part: the exact input of an approval comes by a grant of its own requester, and by no other grant', async () => {
  const { request } = await waiting();
  const path = `/approvals/${request.id}?include_evidence_payload=true`;
  expect((await get(path, 'exporter')).body.evidence_payload).toMatchObject({ input: { amount: 5 } });
  expect((await get(`/approvals/${request.id}`, 'mixed')).status).toBe(200);
  expect(refusal(await get(path, 'mixed'))).toEqual([401, 'auth.not_authorized']);
  // The grant is one to read: the extra scope must be the deputy's own.
  expect(refusal(await get(path, 'deputy'))).toEqual([401, 'auth.not_authorized']);
});

test('N-342 a signer has the grants of its entry, and none that its envelope claims', async () => {
  const { actionId } = await waiting();
  const signer = { id: 'agent:signer', kind: 'agent' } as const;
  const claiming = { ...signer, delegated_authority: [{ principal_id: DESK, scopes: ['*'] }] };
  const asked = async (body: Body): Promise<Answer> => {
    const envelope = await signEnvelope(newEnvelope(body, {}, { clock: Date.now }), claiming, key);
    return gateway.call('POST', '/aip/v1/messages', { body: envelope });
  };
  const seen = await asked({ action_status_request: { action_id: actionId } } as Body);
  expect(seen.body.body.action_status).toMatchObject({ action_id: actionId, state: 'pending_approval' });
  expect(refusal(await asked({ cancel: { target: { action: actionId } } } as Body))).toEqual([
    401,
    'auth.not_authorized',
  ]);
});
