import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newEnvelope, signEnvelope } from '#runtime/protocol/envelope.js';
import { actionInputHash } from '#runtime/protocol/hashes.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { formatTime } from '#runtime/protocol/time.js';
import type { ApprovalList, ApprovalRecordView, ApprovalRequest, Body } from '#runtime/protocol/types.js';
import { until } from '../../../support/until.ts';
import { actionsOverFreshDatabase, caller, capability, contractOf, resultOf } from '../support/actions.ts';
import { policyOf } from '../support/approvals.ts';
import { type Answer, errorOf, type HttpGateway, principalEntry, startHttpGateway } from '../support/gateway.ts';

const HEALTH = 'cap:aip:server:health';
const TENANTED = { tenant_id: 'acme' };
const PRINCIPALS = [
  principalEntry('desk', { ...TENANTED, principal_id: 'agent:desk', scopes: ['approval:read'] }),
  principalEntry('reader', { ...TENANTED, principal_id: 'agent:desk', scopes: ['approval:read', 'action:read'] }),
  principalEntry('other', { ...TENANTED, scopes: ['approval:read'] }),
  principalEntry('lee', { ...TENANTED, scopes: ['approval:read'] }),
  principalEntry('auditor', { ...TENANTED, scopes: ['approval:read:any'] }),
  principalEntry('audit', { ...TENANTED, scopes: ['audit:read:any', 'audit:sensitive'] }),
  principalEntry('stranger', { tenant_id: 'globex', scopes: ['*'] }),
  principalEntry('scopeless', { ...TENANTED, principal_id: 'agent:desk', scopes: [] }),
  ...[
    ['sensitive', ['approval:sensitive']],
    ['exporter', ['approval:export']],
    ['both', ['approval:export', 'approval:sensitive']],
    ['root', ['*']],
    ['almost', ['approval:export', 'approval:sensitive:any', 'Approval:sensitive', 'approval:sensitive ', 'approval']],
  ].map(([token, more]) =>
    principalEntry(token as string, {
      ...TENANTED,
      principal_id: 'agent:desk',
      scopes: ['approval:read', ...(more as string[])],
    }),
  ),
];
const AUTHORITY = [{ principal_id: 'human:lee', tenant_id: 'acme', tenant_policies: ['any'], revision: 1 }];

let folder: string;
let authorityFile: string;
let local: Awaited<ReturnType<typeof actionsOverFreshDatabase>>;
let gateway: HttpGateway;
/** A waiting action of agent:desk, whose input only the evidence payload shows. */
let waiting: { actionId: string; request: ApprovalRequest };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-approvals-'));
  authorityFile = join(folder, 'authority.json');
  await writeFile(authorityFile, JSON.stringify(AUTHORITY));
  local = await actionsOverFreshDatabase([
    capability('cap:pay:refund', async () => ({}), { contract: contractOf({ approval: policyOf() }) }),
    capability('cap:pay:kim', async () => ({}), {
      contract: contractOf({ approval: policyOf({ approver_selector: { type: 'principal', id: 'human:kim' } }) }),
    }),
  ]);
  gateway = await startHttpGateway({
    databaseUrl: local.url,
    principals: PRINCIPALS,
    env: { AIP_GATEWAY_APPROVAL_AUTHORITY_FILE: authorityFile },
  });
  const actionId = newId('action');
  const pending = resultOf(
    await local.gateway.submit({ id: actionId, capability_id: 'cap:pay:refund', input: { amount: 5 } }),
  );
  waiting = { actionId, request: (pending.output as { approval_request: ApprovalRequest }).approval_request };
});
afterAll(async () => {
  await gateway?.stop();
  await local?.end();
  await rm(folder, { recursive: true, force: true });
});

const send = (token: string | undefined, body: Body): Promise<Answer> =>
  gateway.call('POST', '/aip/v1/messages', { token, body: newEnvelope(body, {}, { clock: Date.now }) });

const get = async (token: string, path: string): Promise<Answer> =>
  gateway.call('GET', `/aip/v1/approvals${path}`, { token });

function requestFor(actionId: string, input: object, changes: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const desk = { id: 'agent:desk', kind: 'agent' } as const;
  const hash = actionInputHash({ capability_id: HEALTH, input });
  return {
    id: newId('approval'),
    action_id: actionId,
    capability_id: HEALTH,
    requester: desk,
    subject: desk,
    approver_selector: { type: 'tenant_policy' },
    reason: 'may I look?',
    evidence: [{ id: 'input', kind: 'input_snapshot', hash, redacted: true }],
    ...changes,
  };
}

async function requested(changes: Partial<ApprovalRequest> = {}): Promise<ApprovalRequest> {
  const request = requestFor(newId('action'), {}, changes);
  const answer = await send('desk', { approval_request: request });
  expect(answer.status).toBe(200);
  return (await get('desk', `/${request.id}`)).body.request as ApprovalRequest;
}

const decision = (request: ApprovalRequest, changes: object = {}): Body => ({
  approval_decision: {
    approval_id: request.id,
    decision: 'approved',
    approver: { id: 'human:lee', kind: 'human' },
    decided_at: formatTime(Date.now()),
    decision_id: newId('message'),
    policy_hash: request.policy_hash as string,
    ...changes,
  },
});

test('N-169 N-170 an approval is requested and decided by envelopes, then its action runs with the decision', async () => {
  const kindsOf = (answer: Answer): string[] =>
    answer.body.body.event_stream.events.map((event: { kind: string }) => event.kind);
  const granted = async (input: object) => {
    const request = requestFor(newId('action'), input);
    expect(kindsOf(await send('desk', { approval_request: request }))).toEqual(['aip.approval.requested']);
    const pending = (await get('desk', `/${request.id}`)).body as ApprovalRecordView;
    expect(pending).toMatchObject({ status: 'pending', request: { action_id: request.action_id } });
    expect(pending.decision).toBeUndefined();
    expect(kindsOf(await send('lee', decision(pending.request, { reason: 'fine' })))).toEqual(['aip.approval.granted']);
    const view = (await get('desk', `/${request.id}`)).body as ApprovalRecordView;
    expect(view).toMatchObject({
      status: 'approved',
      decision: { decision: 'approved', reason: 'fine', approver: { id: 'human:lee', kind: 'human' } },
    });
    return view;
  };
  const submit = ({ request, decision: approval }: ApprovalRecordView) =>
    send('desk', { action: { id: request.action_id, capability_id: HEALTH, input: {}, approval } } as Body);
  const done = await submit(await granted({}));
  expect(done.body.body.action_result).toMatchObject({ status: 'completed' });
  const other = await submit(await granted({ another: 'input' }));
  expect(other.body.body.action_result).toMatchObject({
    status: 'failed',
    error: { code: 'policy.approval_unverified', message: expect.stringContaining('another input') },
  });
});

test('a decision that is not admitted is refused with its policy code and 403', async () => {
  const request = await requested();
  const refused = await send('other', decision(request, { approver: { id: 'human:other', kind: 'human' } }));
  expect([refused.status, errorOf(refused)]).toMatchObject([401, { code: 'auth.not_authorized', category: 'auth' }]);
  const wrong = await send('lee', decision(request, { policy_hash: 'ab'.repeat(32) }));
  expect([wrong.status, errorOf(wrong)]).toMatchObject([
    403,
    { code: 'policy.approval_hash_mismatch', category: 'policy' },
  ]);
  const unknown = await send('lee', decision({ ...request, id: newId('approval') }));
  expect([unknown.status, errorOf(unknown)]).toMatchObject([400, { code: 'approval.not_found' }]);
});

test('D-05 N-159 N-160 N-163 N-164 action status and receipts come only on request', async () => {
  const { id } = waiting.request;
  for (const value of ['', '?include_action_status=false&include_receipts=false']) {
    const { body } = await get('reader', `/${id}${value}`);
    expect(Object.keys(body)).toEqual(['request', 'status', 'created_at', 'updated_at']);
  }
  const one = (await get('reader', `/${id}?include_action_status=true&include_receipts=true`))
    .body as ApprovalRecordView;
  expect(one.action_status).toMatchObject({
    action_id: waiting.actionId,
    state: 'pending_approval',
    approval_id: id,
    result: { status: 'pending_approval' },
  });
  expect(one.receipt_chain && verifyReceiptChain(one.receipt_chain)).toEqual({ ok: true });
  const list = (await get('reader', '?requester=agent:desk&limit=1&include_action_status=true&include_receipts=true'))
    .body as ApprovalList;
  expect(list.approvals[0]).toEqual(one);
  await local.gateway.submit({ capability_id: 'cap:pay:refund', input: { amount: 6 } });
  const several = (await get('reader', '?include_action_status=true&include_receipts=true')).body as ApprovalList;
  expect(several.approvals.filter(({ action_status }) => action_status !== undefined).length).toBeGreaterThan(1);
  for (const { request, action_status: status, receipt_chain: chain } of several.approvals) {
    if (status !== undefined) expect(status.action_id).toBe(request.action_id);
    expect(chain?.chain_id).toBe(`approval:${request.id}`);
  }
  const [plain] = ((await get('reader', '?limit=1')).body as ApprovalList).approvals;
  expect(Object.keys(plain as object)).toEqual(['request', 'status', 'created_at', 'updated_at']);
  for (const [flag, member] of [
    ['include_action_status', 'action_status'],
    ['include_receipts', 'receipt_chain'],
  ] as const) {
    const single = (await get('reader', `/${id}?${flag}=true`)).body as ApprovalRecordView;
    const [row] = ((await get('reader', `?requester=agent:desk&limit=1&${flag}=true`)).body as ApprovalList).approvals;
    for (const view of [single, row]) expect(view).toEqual({ ...plain, [member]: one[member] });
  }
});

test('the status of an action comes without its result to a caller that may not read the action', async () => {
  const { action_status } = (await get('desk', `/${waiting.request.id}?include_action_status=true`))
    .body as ApprovalRecordView;
  expect(action_status).toMatchObject({ state: 'pending_approval' });
  expect(action_status?.result).toBeUndefined();
});

test('N-165 N-166 N-167 N-168 N-351 the exact input comes only with approval:export and approval:sensitive', async () => {
  const path = `/${waiting.request.id}`;
  const asked = `${path}?include_evidence_payload=true`;
  expect((await get('both', asked)).body.evidence_payload).toEqual({
    action_id: waiting.actionId,
    capability_id: 'cap:pay:refund',
    input_hash: actionInputHash({ capability_id: 'cap:pay:refund', input: { amount: 5 } }),
    input: { amount: 5 },
    identity: { tenant: { id: 'acme' } },
  });
  for (const token of ['desk', 'sensitive', 'exporter', 'almost']) {
    const answer = await get(token, asked);
    expect([answer.status, errorOf(answer).code]).toEqual([401, 'auth.not_authorized']);
  }
  for (const token of ['desk', 'sensitive', 'exporter', 'both', 'almost', 'root'])
    for (const query of ['', '?include_evidence_payload=false']) {
      const { status, body } = await get(token, `${path}${query}`);
      expect([token, status, 'evidence_payload' in body]).toEqual([token, 200, false]);
    }
});

test('N-152 N-161 an approval shows to requester, approver and auditor of its tenant, and to no other', async () => {
  const request = await requested();
  const seen = async (token: string): Promise<boolean> => {
    const list = ((await get(token, '?limit=1000')).body as ApprovalList).approvals.some(
      (each) => each.request.id === request.id,
    );
    const one = await get(token, `/${request.id}`);
    expect(one.status).toBe(list ? 200 : 400);
    if (list) expect(one.body.request.id).toBe(request.id);
    else expect(errorOf(one)).toMatchObject({ code: 'approval.not_found', category: 'permanent' });
    return list;
  };
  for (const [token, sees] of [
    ['desk', true],
    ['lee', true],
    ['auditor', true],
    ['other', false],
    ['stranger', false],
  ] as const)
    expect([token, await seen(token)]).toEqual([token, sees]);
  for (const path of ['', `/${request.id}`]) {
    const answer = await get('scopeless', path);
    expect([answer.status, errorOf(answer).code]).toEqual([401, 'auth.not_authorized']);
  }
});

test('an approver keeps seeing what it decided after its authority has ended', async () => {
  const request = await requested();
  await send('lee', decision(request, { decision: 'denied' }));
  await writeFile(authorityFile, '[]');
  await until(
    'the entry is gone',
    async () => errorOf(await send('lee', decision(request))).code === 'auth.not_authorized',
  );
  expect((await get('lee', `/${request.id}`)).body).toMatchObject({ status: 'denied' });
  await writeFile(authorityFile, '[{"nonsense":1}]');
  await writeFile(authorityFile, JSON.stringify(AUTHORITY));
  await until(
    'the entry is back',
    async () => errorOf(await send('lee', decision(request))).code === 'policy.approval_not_pending',
  );
});

const ids = async (token: string, query: string) =>
  ((await get(token, `?limit=1000&${query}`)).body as ApprovalList).approvals.map((each) => each.request.id);

test('D-19 N-153 N-154 N-155 the list filters by status, approver and requester', async () => {
  const denied = await requested();
  await send('lee', decision(denied, { decision: 'denied' }));
  const open = await requested();
  expect(await ids('desk', 'status=denied')).toContain(denied.id);
  expect(await ids('desk', 'status=denied')).not.toContain(open.id);
  expect(await ids('desk', 'status=pending')).toContain(open.id);
  expect(await ids('desk', 'status=revoked')).toEqual([]);
  expect(await ids('auditor', 'requester=agent:desk')).toEqual(await ids('desk', ''));
  expect(await ids('auditor', 'requester=agent:nobody')).toEqual([]);
  expect(await ids('auditor', 'approver=human:nobody')).toEqual([]);
  const forKim = newId('action');
  await local.gateway.submit({ id: forKim, capability_id: 'cap:pay:kim', input: {} });
  const [named, ...others] = await ids('auditor', 'approver=human:kim');
  expect(others).toEqual([]);
  expect((await get('auditor', `/${named}`)).body.request).toMatchObject({
    action_id: forKim,
    approver_selector: { type: 'principal', id: 'human:kim' },
  });
  expect(await ids('other', 'requester=agent:desk')).toEqual([]);
  const wrong = await get('desk', '?status=unheard_of');
  expect([wrong.status, errorOf(wrong).code]).toEqual([400, 'query.invalid']);
});

test('N-156 N-162 the own tenant may be named; another one reveals nothing', async () => {
  const { id } = waiting.request;
  expect(await ids('reader', 'tenant_id=acme')).toContain(id);
  expect(await ids('reader', 'tenant_id=acme')).toEqual(await ids('reader', ''));
  expect((await get('reader', `/${id}?tenant_id=acme`)).status).toBe(200);
  for (const path of ['?tenant_id=globex', `/${id}?tenant_id=globex`]) {
    const answer = await get('reader', path);
    expect([answer.status, errorOf(answer).code]).toEqual([401, 'auth.tenant_mismatch']);
  }
  const foreign = await get('stranger', `/${id}?tenant_id=globex`);
  expect([foreign.status, errorOf(foreign).code]).toEqual([400, 'approval.not_found']);
});

test('N-157 N-158 the list continues at its cursor without loss or repeat, for its own caller and filter alone', async () => {
  for (let n = 0; n < 5; n += 1) await requested();
  const all = ((await get('desk', '?limit=1000')).body as ApprovalList).approvals.map((each) => each.request.id);
  const walked: string[] = [];
  let cursor: string | undefined;
  do {
    const page = (await get('desk', `?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`)).body as ApprovalList;
    expect(page.approvals.length).toBeLessThanOrEqual(2);
    walked.push(...page.approvals.map((each) => each.request.id));
    ({ cursor } = page);
  } while (cursor !== undefined);
  expect(walked).toEqual(all);
  const issued = ((await get('desk', '?limit=1')).body as ApprovalList).cursor;
  for (const [token, path] of [
    ['auditor', `?limit=1&cursor=${issued}`],
    ['desk', `?limit=1&status=pending&cursor=${issued}`],
    ['desk', '?cursor=offset:1'],
  ] as const) {
    const answer = await get(token, path);
    expect([answer.status, errorOf(answer).code]).toEqual([400, 'query.cursor_invalid']);
  }
});

test('N-415 approvals come by 100 rows by default; limit is clamped to 1 through 1000', async () => {
  await local.gateway.pool.query(
    `INSERT INTO runtime.approvals (approval_id, action_id, capability_id, tenant_id, requester_id, subject_id, status, request,
       policy_hash, created_at, updated_at)
     SELECT 'appr_many' || n, 'act_many' || n, $2, 'acme', 'human:auditor', 'human:auditor', 'denied',
       (SELECT request FROM runtime.approvals WHERE approval_id = $1), 'x', 1, 1 FROM generate_series(1, 1001) n`,
    [waiting.request.id, HEALTH],
  );
  for (const [query, rows] of [
    ['', 100],
    ['limit=0', 1],
    ['limit=-5', 1],
    ['limit=1000', 1000],
    ['limit=1001', 1000],
  ] as const) {
    const page = (await get('auditor', `?status=denied&requester=human:auditor&${query}`)).body as ApprovalList;
    expect([query, page.approvals.length, page.cursor === undefined]).toEqual([query, rows, false]);
  }
});

test('N-171 approvals change by envelopes alone: every other method is refused and changes nothing', async () => {
  const request = await requested();
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    for (const path of [
      '',
      `/${request.id}`,
      `/${request.id}/approve`,
      `/${request.id}:approve`,
      `/${request.id}/decision`,
    ]) {
      const answer = await gateway.call(method, `/aip/v1/approvals${path}`, {
        token: 'lee',
        body: { decision: 'approved' },
      });
      expect([404, 405]).toContain(answer.status);
    }
  expect((await get('desk', `/${request.id}`)).body).toMatchObject({ status: 'pending' });
});

test('part of N-388: an approval id of another form is refused with 400', async () => {
  for (const id of ['act_1', 'appr_', 'appr_%00', `appr_${'x'.repeat(300)}`]) {
    const answer = await get('desk', `/${id}`);
    expect([answer.status, errorOf(answer).code]).toEqual([400, 'query.invalid']);
  }
});

test('a request takes policy, approvers and requester from the server, whatever it says', async () => {
  const lax = { required: true, approver_selector: { type: 'principal', id: 'agent:desk' } } as const;
  const request = await requested({
    approver_selector: lax.approver_selector,
    policy_snapshot: { ...policyOf(), ...lax },
    subject: { id: 'human:boss', kind: 'human' },
    operator: { id: 'human:boss', kind: 'human' },
    identity: { tenant: { id: 'globex' } },
    risk: 'low',
  });
  expect(request).toMatchObject({
    approver_selector: { type: 'tenant_policy' },
    policy_snapshot: { approver_selector: { type: 'tenant_policy' } },
    requester: { id: 'agent:desk', kind: 'agent' },
    subject: { id: 'agent:desk', kind: 'agent' },
    operator: { id: 'agent:desk', kind: 'agent' },
    identity: { tenant: { id: 'acme' } },
  });
});

test.each<[string, Partial<ApprovalRequest>, number, string]>([
  ['for another requester', { requester: { id: 'human:boss', kind: 'human' } }, 401, 'auth.not_authorized'],
  ['for an unknown capability', { capability_id: 'cap:none' }, 400, 'resource.not_found'],
  ['with an id of another form', { id: 'approval-1' }, 400, 'action.invalid_input'],
  ['without the hash of the input', { evidence: [] }, 403, 'policy.approval_evidence_missing'],
  ['with a policy hash of its own', { policy_hash: 'ab'.repeat(32) }, 403, 'policy.approval_hash_mismatch'],
  ['that has expired', { expires_at: '2020-01-01T00:00:00Z' }, 400, 'action.invalid_input'],
  ['above 64 KiB', { reason: 'x'.repeat(65_536) }, 400, 'action.invalid_input'],
])('a request %s is refused and stores nothing', async (_what, changes, status, code) => {
  const request = requestFor(newId('action'), {}, changes);
  const answer = await send('desk', { approval_request: request });
  expect([answer.status, errorOf(answer).code]).toEqual([status, code]);
  const { rows } = await local.gateway.pool.query('SELECT 1 FROM runtime.approvals WHERE action_id = $1', [
    request.action_id,
  ]);
  expect(rows).toEqual([]);
});

test('the same request again is one request; its id with other content, or for an action that exists, is refused', async () => {
  const request = requestFor(newId('action'), {});
  for (const kinds of [['aip.approval.requested'], []]) {
    const answer = await send('desk', { approval_request: request });
    expect(answer.body.body.event_stream.events.map((event: { kind: string }) => event.kind)).toEqual(kinds);
  }
  const changed = await send('desk', { approval_request: { ...request, reason: 'another one' } });
  expect([changed.status, errorOf(changed).code]).toEqual([403, 'policy.approval_mismatch']);
  const colleague = await send('other', {
    approval_request: { ...request, requester: { id: 'human:other', kind: 'human' } },
  });
  expect([colleague.status, errorOf(colleague).code]).toEqual([403, 'policy.approval_mismatch']);
  const late = await send('desk', { approval_request: requestFor(waiting.actionId, {}) });
  expect([late.status, errorOf(late).code]).toEqual([403, 'policy.approval_action_mismatch']);
});

test('an authority file that is wrong stops the start and names the entry', async () => {
  for (const [entry, message] of [
    [{ principal_id: 'human:lee' }, 'revision must be'],
    [{ principal_id: 'human:lee', revision: 1, role: [] }, 'role is not known'],
    [{ principal_id: 'human:lee', revision: 1, roles: 'x' }, 'roles must be'],
    [{ principal_id: 'human:lee', revision: 1, delegated_scopes: [{ scope: 'a' }] }, 'expires_at of delegated_scopes'],
  ] as const) {
    const path = join(folder, 'wrong.json');
    await writeFile(path, JSON.stringify([entry]));
    await expect(
      startHttpGateway({ databaseUrl: local.url, env: { AIP_GATEWAY_APPROVAL_AUTHORITY_FILE: path } }),
    ).rejects.toThrow(message);
  }
});

test('each decision leaves one audit event of its approver, the expiry one of the system, and a refused decision none', async () => {
  const auditOf = async (request: ApprovalRequest) => {
    const found = await gateway.call('GET', `/aip/v1/audit/events?action_id=${request.action_id}`, { token: 'audit' });
    return found.body.events;
  };
  const voted = await requested();
  const decisionId = newId('message');
  const vote = decision(voted, { decision_id: decisionId, reason: 'checked' });
  for (let sent = 0; sent < 2; sent += 1) expect((await send('lee', vote)).status).toBe(200);
  expect(await auditOf(voted)).toMatchObject([
    {
      id: `audit:approval:${voted.id}:1`,
      action: 'aip.approval.decision',
      actor: { id: 'human:lee', kind: 'human' },
      data: {
        approval_id: voted.id,
        action_id: voted.action_id,
        capability_id: HEALTH,
        decision_id: decisionId,
        decision: 'approved',
        reason: 'checked',
        status: 'approved',
        receipt_chain_id: `approval:${voted.id}`,
      },
    },
  ]);
  const refused = await requested();
  expect((await send('lee', decision(refused, { policy_hash: 'wrong' }))).status).toBe(403);
  expect(await auditOf(refused)).toEqual([]);
  const lapsing = await requested({ expires_at: formatTime(Date.now() + 3_600_000) });
  await local.gateway.pool.query('UPDATE runtime.approvals SET expires_at = 1 WHERE approval_id = $1', [lapsing.id]);
  const [expiry] = await until('the expiry is audited', async () => {
    const found = await auditOf(lapsing);
    return found.length > 0 && found;
  });
  expect(expiry).toMatchObject({
    actor: { id: 'system:aip-runtime' },
    data: { decision: 'expired', status: 'expired' },
  });
});

test('an undecided request expires, and a late decision is refused', async () => {
  const request = await requested({ expires_at: formatTime(Date.now() + 3_600_000) });
  await local.gateway.pool.query('UPDATE runtime.approvals SET expires_at = 1 WHERE approval_id = $1', [request.id]);
  const late = await send('lee', decision(request));
  expect(['policy.approval_expired', 'policy.approval_not_pending']).toContain(errorOf(late).code);
  const view = await until('it has expired', async () => {
    const { body } = await get('desk', `/${request.id}`);
    return body.status === 'expired' && (body as ApprovalRecordView);
  });
  expect(view.decision).toMatchObject({ decision: 'expired', approver: { id: 'system:aip-runtime', kind: 'system' } });
});

test('without an authority file a caller that signs decides with the roles of its live entries in the principals file', async () => {
  const key = signingKeyFromSeed(newSeedHex());
  const lead = { ...TENANTED, principal_id: 'human:signer', scopes: [], roles: ['finance-lead'] };
  const signer = { id: 'human:signer', kind: 'human' } as const;
  const denied = async (entries: object[]): Promise<Answer> => {
    const other = await startHttpGateway({
      databaseUrl: local.url,
      principals: entries,
      signers: [{ signer_did: key.did, principal_id: signer.id, tenant_id: 'acme' }],
    });
    const body = decision(waiting.request, { decision: 'denied', approver: signer });
    const envelope = await signEnvelope(newEnvelope(body, {}, { clock: Date.now }), signer, key);
    return other.call('POST', '/aip/v1/messages', { body: envelope }).finally(() => other.stop());
  };
  for (const entry of [
    { ...lead, roles: ['other'] },
    { ...lead, tenant_id: 'globex' },
    { ...lead, expires_at: '2020-01-01T00:00:00Z' },
  ])
    expect(errorOf(await denied([principalEntry('signer', entry)])).code).toBe('policy.approver_unauthorized');
  expect((await denied([principalEntry('signer', lead)])).status).toBe(200);
  expect((await get('reader', `/${waiting.request.id}`)).body).toMatchObject({
    status: 'denied',
    decision: { approver: signer },
  });
});

test('the caller of a waiting action is the requester of its approval', () => {
  expect(waiting.request.requester).toEqual(caller().principal);
});
