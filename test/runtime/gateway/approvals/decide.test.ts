import { afterAll, beforeAll, expect, test } from 'vitest';
import { decideApproval } from '#runtime/gateway/approvals/decide/decide.js';
import { expireApprovals } from '#runtime/gateway/approvals/expiry.js';
import { actionInputHash } from '#runtime/protocol/hashes.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { Action, ApprovalPolicy, ApprovalRule } from '#runtime/protocol/types.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { freshDatabase } from '../../../support/database.ts';
import { caller, capability, contractOf, resultOf, startActions, type TestGateway } from '../support/actions.ts';
import {
  approver,
  chainOf,
  decide,
  decideDeps,
  policyOf,
  stored,
  vote,
  voteCount,
  waitingAction,
} from '../support/approvals.ts';

/** How often each action ran, over all gateways. */
const runs = new Map<string, number>();
const seen = new Map<string, Action>();
const run = async (action: Action): Promise<unknown> => {
  runs.set(action.id, (runs.get(action.id) ?? 0) + 1);
  seen.set(action.id, action);
  return { done: true };
};
const governed = (name: string, changes: Partial<ApprovalPolicy> = {}) =>
  capability(`cap:pay:${name}`, run, { contract: contractOf({ approval: policyOf(changes) }) });
const role = (name: string): ApprovalRule => ({ operator: 'role', name });
const capabilities = [
  governed('refund'),
  governed('two', { minimum_distinct_principals: 2 }),
  governed('both', { rule: { operator: 'all', rules: [role('a'), role('b')], allow_decision_reuse: false } }),
  governed('either', { rule: { operator: 'any', rules: [role('a'), { operator: 'group', name: 'board' }] } }),
  governed('quorum', {
    rule: { operator: 'quorum', required: 2, rules: [role('a'), role('b')], distinct_principals: true },
  }),
  governed('named', { approver_selector: { type: 'principal', id: 'human:lee' } }),
  governed('tenant', { approver_selector: { type: 'tenant_policy' } }),
  governed('limited', {
    rule: { operator: 'delegated_authority', scope: 'refunds', max_value: 1000 },
    approver_selector: { type: 'group', name: 'nobody' },
  }),
  governed('self', {
    separation_of_duties: { requester_must_differ: false, operator_must_differ: false, allow_self_approval: true },
  }),
  governed('operator', {
    separation_of_duties: { requester_must_differ: false, operator_must_differ: true, allow_self_approval: true },
  }),
  governed('proven', { evidence_requirements: ['reason', 'external_ticket'] }),
  governed('forever', { ttl_ms: undefined }),
];

const lee = approver('human:lee');
const kim = approver('human:kim');

let gateway: TestGateway;
let other: TestGateway;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  gateway = await startActions(database.url, capabilities);
  other = await startActions(database.url, capabilities);
});
afterAll(async () => {
  await gateway?.stop();
  await other?.stop();
  await drop?.();
});

const deps = (authority?: object[]) => decideDeps(gateway, authority);
const refused = (code: string) => expect.objectContaining({ code });

test.each(['sync', 'async', 'streaming'] as const)(
  'an approved %s action runs once, with its approval, on whichever gateway takes it',
  async (mode) => {
    const { actionId, request } = await waitingAction(gateway, {
      capability_id: 'cap:pay:refund',
      mode,
      input: { amount: 5 },
    });
    expect(runs.get(actionId)).toBeUndefined();
    const { events } = await decide(deps(), lee, request, { reason: 'receipt checked' });
    expect(events.map(({ kind }) => kind)).toEqual(['aip.approval.granted', 'aip.approval.resumed_action']);
    const record = await gateway.ended(actionId);
    expect(record).toMatchObject({
      state: 'completed',
      result: { status: 'completed', output: { done: true } },
      approval_id: request.id,
    });
    expect(runs.get(actionId)).toBe(1);
    expect(seen.get(actionId)?.approval).toMatchObject({
      approval_id: request.id,
      decision: 'approved',
      approver: { id: 'human:lee' },
    });
    expect(await stored(gateway, request.id)).toMatchObject({
      status: 'approved',
      decision: {
        reason: 'receipt checked',
        authority_path: expect.arrayContaining([
          'principal:human:lee',
          'tenant:acme',
          'role:finance-lead',
          'authority_revision:1',
        ]),
      },
    });
    const kinds = await eventKinds(actionId);
    expect(kinds).toEqual([
      'aip.approval.requested',
      'aip.approval.granted',
      'aip.approval.resumed_action',
      'aip.action.resumed_result',
      'aip.action.worker_result',
      'aip.action.result',
    ]);
  },
);

test('decisions of both gateways that arrive together end an approval once, and its action runs once', async () => {
  const waiting = await Promise.all(
    Array.from({ length: 12 }, () => waitingAction(gateway, { capability_id: 'cap:pay:refund', mode: 'async' })),
  );
  for (const { actionId, request } of waiting) {
    const answers = await Promise.allSettled([
      decide(decideDeps(gateway), lee, request),
      decide(decideDeps(other), kim, request, { decision: 'denied' }),
      decide(decideDeps(other), lee, request),
    ]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers)
      if (answer.status === 'rejected')
        expect(answer.reason).toMatchObject({ code: 'policy.approval_not_pending', status: 403 });
    const record = await gateway.ended(actionId);
    const { status } = await stored(gateway, request.id);
    expect([status, record.state]).toBeOneOf([
      ['approved', 'completed'],
      ['denied', 'failed'],
    ]);
    expect(runs.get(actionId)).toBe(status === 'approved' ? 1 : undefined);
    expect(verifyReceiptChain(await chainOf(gateway, request.id))).toEqual({ ok: true });
  }
});

test('one veto fails the action with policy.approval_denied', async () => {
  const { actionId, request } = await waitingAction(gateway, { capability_id: 'cap:pay:two', mode: 'async' });
  await decide(deps(), lee, request);
  await decide(deps(), kim, request, { decision: 'denied', reason: 'wrong order' });
  expect(await gateway.record(actionId)).toMatchObject({
    state: 'failed',
    result: {
      status: 'failed',
      error: { code: 'policy.approval_denied', category: 'policy', details: { approval_id: request.id } },
    },
  });
  expect(await eventKinds(actionId)).toEqual([
    'aip.approval.requested',
    'aip.approval.vote_recorded',
    'aip.approval.denied',
    'aip.action.approval_terminal',
    'aip.action.result',
  ]);
  expect(runs.get(actionId)).toBeUndefined();
});

test('an approval chain proves request and decision, each receipt linked to the one before it', async () => {
  for (const [decision, type] of [
    ['approved', 'approval_granted'],
    ['denied', 'approval_denied'],
  ] as const) {
    const { request } = await waitingAction(gateway, { capability_id: 'cap:pay:refund' });
    const constraints = [{ field: 'amount', operator: 'lte', value: 9 }];
    await decide(deps(), lee, request, {
      decision,
      reason: 'checked twice',
      ...(decision === 'denied' && { constraints }),
    });
    const chain = await chainOf(gateway, request.id);
    expect(verifyReceiptChain(chain)).toEqual({ ok: true });
    expect(chain.receipts.map((receipt) => receipt.id)).toEqual(
      ['policy_decision', 'approval_requested', type].map((each) => `rcpt_${request.id}_${each}`),
    );
    expect(chain.receipts.at(-1)).toMatchObject({
      actor: { id: 'human:lee', kind: 'human' },
      data: { decision, reason: 'checked twice', constraints: decision === 'denied' ? constraints : [], evidence: [] },
    });
  }
});

test('a minimum of different principals holds: the same one twice is not two', async () => {
  const { actionId, request } = await waitingAction(gateway, { capability_id: 'cap:pay:two' });
  expect((await decide(deps(), lee, request)).events.map(({ kind }) => kind)).toEqual(['aip.approval.vote_recorded']);
  await decide(deps(), lee, request);
  expect(await stored(gateway, request.id)).toMatchObject({ status: 'pending' });
  await decide(deps(), kim, request);
  expect(await stored(gateway, request.id)).toMatchObject({ status: 'approved' });
  expect((await gateway.ended(actionId)).state).toBe('completed');
});

test.each<[string, string, [ReturnType<typeof approver>, string][]]>([
  [
    'all: two roles by two principals',
    'both',
    [
      [approver('human:1', ['a']), 'pending'],
      [approver('human:2', ['b']), 'approved'],
    ],
  ],
  [
    'all: one principal with both roles counts once',
    'both',
    [
      [approver('human:1', ['a', 'b']), 'pending'],
      [approver('human:2', ['a']), 'approved'],
    ],
  ],
  ['any: one of them', 'either', [[approver('human:1', ['a']), 'approved']]],
  [
    'quorum: two votes that each match',
    'quorum',
    [
      [approver('human:1', ['a']), 'pending'],
      [approver('human:1', ['a']), 'pending'],
      [approver('human:2', ['a']), 'approved'],
    ],
  ],
  ['principal: the named one', 'named', [[approver('human:lee', []), 'approved']]],
])('rule %s', async (_what, name, votes) => {
  const { request } = await waitingAction(gateway, { capability_id: `cap:pay:${name}` });
  for (const [as, status] of votes) {
    await decide(deps(), as, request);
    expect((await stored(gateway, request.id)).status).toBe(status);
  }
});

test.each<[string, string, ReturnType<typeof approver>, string]>([
  ['without the role', 'refund', approver('human:1', ['other']), 'policy.approver_unauthorized'],
  ['who is not the named principal', 'named', kim, 'policy.approver_unauthorized'],
  ['in another tenant', 'refund', approver('human:1', ['finance-lead'], 'globex'), 'approval.not_found'],
  ['outside every tenant', 'refund', approver('human:1', ['finance-lead'], ''), 'approval.not_found'],
  ['who requested it', 'refund', { ...caller(), roles: ['finance-lead'] }, 'policy.separation_of_duties.requester'],
  ['who operates it', 'operator', { ...caller(), roles: ['finance-lead'] }, 'policy.separation_of_duties.operator'],
])('a vote of a principal %s is refused and changes nothing', async (_who, name, as, code) => {
  const { request } = await waitingAction(gateway, { capability_id: `cap:pay:${name}` });
  const identity = as.tenantId === '' ? { ...as, tenantId: undefined as never } : as;
  for (const decision of ['approved', 'denied'] as const)
    await expect(decide(deps(), identity, request, { decision })).rejects.toEqual(refused(code));
  expect(await stored(gateway, request.id)).toMatchObject({ status: 'pending' });
  expect(await voteCount(gateway, request.id)).toBe(0);
});

test('a policy may allow the requester to decide', async () => {
  const { request } = await waitingAction(gateway, { capability_id: 'cap:pay:self' });
  await decide(deps(), { ...caller(), roles: ['finance-lead'] }, request);
  expect(await stored(gateway, request.id)).toMatchObject({ status: 'approved' });
});

test('tenant_policy needs an entry that names a tenant policy', async () => {
  const { request } = await waitingAction(gateway, { capability_id: 'cap:pay:tenant' });
  const entry = { principal_id: 'human:lee', tenant_id: 'acme', roles: ['finance-lead'], revision: 1 };
  await expect(decide(deps(), lee, request)).rejects.toEqual(refused('policy.approver_unauthorized'));
  await expect(decide(deps([]), lee, request)).rejects.toEqual(refused('auth.not_authorized'));
  await expect(decide(deps([entry]), lee, request)).rejects.toEqual(refused('policy.approver_unauthorized'));
  await decide(deps([{ ...entry, tenant_policies: ['payments'] }]), lee, request);
  expect(await stored(gateway, request.id)).toMatchObject({ status: 'approved' });
});

test('with an authority file the roles of the credential count for nothing, and an entry only while it lives in the right tenant', async () => {
  const entry = { principal_id: 'human:lee', tenant_id: 'acme', roles: ['finance-lead'], revision: 3 };
  const { request } = await waitingAction(gateway, { capability_id: 'cap:pay:refund' });
  for (const entries of [
    [],
    [{ ...entry, principal_id: 'human:other' }],
    [{ ...entry, tenant_id: 'globex' }],
    [{ ...entry, tenant_id: undefined }],
    [{ ...entry, revoked: true }],
    [{ ...entry, expires_at: '2020-01-01T00:00:00Z' }],
  ])
    await expect(decide(deps(entries), lee, request)).rejects.toEqual(refused('auth.not_authorized'));
  await expect(decide(deps([{ ...entry, roles: [] }]), lee, request)).rejects.toEqual(
    refused('policy.approver_unauthorized'),
  );
  await decide(deps([entry]), { ...lee, roles: [] }, request);
  expect(await stored(gateway, request.id)).toMatchObject({
    status: 'approved',
    decision: { authority_path: expect.arrayContaining(['role:finance-lead', 'authority_revision:3']) },
  });
});

test('a delegated authority decides within its own limits and those of the rule', async () => {
  const scope = (changes: object = {}) => ({ scope: 'refunds', expires_at: '2999-01-01T00:00:00Z', ...changes });
  const entry = (delegated: object) => [
    { principal_id: 'human:lee', tenant_id: 'acme', revision: 1, delegated_scopes: [delegated] },
  ];
  const small = await waitingAction(gateway, { capability_id: 'cap:pay:limited', input: { amount_minor: 900 } });
  const large = await waitingAction(gateway, { capability_id: 'cap:pay:limited', input: { amount_minor: 1001 } });
  for (const delegated of [
    scope({ scope: 'other' }),
    scope({ max_value: 899 }),
    scope({ revoked: true }),
    scope({ expires_at: '2020-01-01T00:00:00Z' }),
  ])
    await expect(decide(deps(entry(delegated)), lee, small.request)).rejects.toEqual(
      refused('policy.approver_unauthorized'),
    );
  await expect(decide(deps(entry(scope({ max_value: 5000 }))), lee, large.request)).rejects.toEqual(
    refused('policy.approver_unauthorized'),
  );
  await decide(deps(entry(scope({ max_value: 900 }))), lee, small.request);
  expect(await stored(gateway, small.request.id)).toMatchObject({ status: 'approved' });
});

test('the approver is the authenticated caller, whatever the decision claims', async () => {
  const { request } = await waitingAction(gateway, { capability_id: 'cap:pay:refund' });
  for (const claimed of [
    { id: 'human:kim', kind: 'human' },
    { id: 'human:lee', kind: 'service' },
  ] as const)
    await expect(decide(deps(), lee, request, { approver: claimed })).rejects.toEqual(refused('auth.not_authorized'));
  await decide(deps(), lee, request, {
    approver: {
      ...lee.principal,
      display_name: 'Lee',
      delegated_authority: [{ principal_id: 'human:kim', scopes: ['*'] }],
    },
    authority_path: ['role:emperor'],
  });
  const { decision } = await stored(gateway, request.id);
  expect(decision?.approver).toEqual({ id: 'human:lee', kind: 'human' });
  expect(decision?.authority_path).not.toContain('role:emperor');
});

test('a decision is bound to the policy hash, which covers the exact input', async () => {
  const first = await waitingAction(gateway, { capability_id: 'cap:pay:refund', input: { amount: 10 } });
  const second = await waitingAction(gateway, { capability_id: 'cap:pay:refund', input: { amount: 10_000 } });
  expect(first.request.policy_hash).not.toBe(second.request.policy_hash);
  expect(first.request.evidence?.find(({ kind }) => kind === 'input_snapshot')?.hash).toBe(
    actionInputHash({ capability_id: 'cap:pay:refund', input: { amount: 10 } }),
  );
  for (const policy_hash of [second.request.policy_hash, undefined])
    await expect(decide(deps(), lee, first.request, { policy_hash })).rejects.toEqual(
      refused('policy.approval_hash_mismatch'),
    );
  expect(await voteCount(gateway, first.request.id)).toBe(0);
});

test.each<[string, object, string]>([
  ['no decision_id', { decision_id: undefined }, 'policy.approval_decision_id_required'],
  ['a decision_id of another form', { decision_id: 'a\nb' }, 'action.invalid_input'],
  ['expired, which only the gateway says', { decision: 'expired' }, 'policy.approver_unauthorized'],
  ['a revocation without target', { decision: 'revoked' }, 'policy.approval_revocation_target_required'],
  [
    'a revocation of no vote',
    { decision: 'revoked', target_decision_id: 'x' },
    'policy.approval_revocation_target_missing',
  ],
  [
    'a constraint that the input breaks',
    { constraints: [{ field: 'amount', operator: 'lte', value: 4 }] },
    'policy.approval_constraint_failed',
  ],
  [
    'a constraint on a missing member',
    { constraints: [{ field: '/total', operator: 'lte', value: 4 }] },
    'policy.approval_constraint_missing_field',
  ],
  ['a zero character', { constraints: [{ field: 'amount', operator: 'neq', value: '\0' }] }, 'action.invalid_input'],
  ['more than 64 KiB', { reason: 'x'.repeat(65_536) }, 'action.invalid_input'],
])('a decision with %s is refused', async (_what, changes, code) => {
  const { request } = await waitingAction(gateway, { capability_id: 'cap:pay:refund', input: { amount: 5 } });
  await expect(decide(deps(), lee, request, changes)).rejects.toEqual(refused(code));
  expect(await stored(gateway, request.id)).toMatchObject({ status: 'pending' });
});

test('evidence that the policy requires must come with the request or the decision', async () => {
  const { request } = await waitingAction(gateway, { capability_id: 'cap:pay:proven' });
  const ticket = [{ id: 'T-1', kind: 'external_ticket', redacted: false }];
  for (const [given, missing] of [
    [{}, ['reason', 'external_ticket']],
    [{ reason: 'fine' }, ['external_ticket']],
    [{ reason: ' ', evidence: ticket }, ['reason']],
  ] as const)
    await expect(decide(deps(), lee, request, given as object)).rejects.toMatchObject({
      code: 'policy.approval_evidence_missing',
      details: { missing },
    });
  await decide(deps(), lee, request, { reason: 'fine', evidence: ticket });
  expect(await stored(gateway, request.id)).toMatchObject({ status: 'approved' });
});

test('a vote can be revoked while votes are collected; a granted approval cannot', async () => {
  const { actionId, request } = await waitingAction(gateway, { capability_id: 'cap:pay:two', mode: 'async' });
  await decide(deps(), lee, request, { decision_id: 'first' });
  await decide(deps(), lee, request, { decision: 'revoked', target_decision_id: 'first' });
  expect(await gateway.record(actionId)).toMatchObject({
    state: 'failed',
    result: { error: { code: 'policy.approval_revoked' } },
  });
  expect((await chainOf(gateway, request.id)).receipts.at(-1)?.receipt_type).toBe('approval_revoked');
  const granted = await waitingAction(gateway, { capability_id: 'cap:pay:refund' });
  await decide(deps(), lee, granted.request, { decision_id: 'first' });
  await expect(
    decide(deps(), lee, granted.request, { decision: 'revoked', target_decision_id: 'first' }),
  ).rejects.toEqual(refused('policy.approval_not_pending'));
});

test('the same decision again changes nothing and is answered alike; its id with other content is refused', async () => {
  const { actionId, request } = await waitingAction(gateway, { capability_id: 'cap:pay:two' });
  const first = vote(request, lee);
  await decideApproval(deps(), lee, first);
  expect(await decideApproval(deps(), lee, first)).toEqual({ events: [] });
  await expect(decideApproval(deps(), lee, { ...first, reason: 'other' })).rejects.toEqual(
    refused('policy.approval_mismatch'),
  );
  await expect(
    decideApproval(deps(), kim, vote(request, kim, { decision_id: first.decision_id as string })),
  ).rejects.toEqual(refused('policy.approval_mismatch'));
  expect(await voteCount(gateway, request.id)).toBe(1);
  const last = vote(request, kim);
  const answer = await decideApproval(deps(), kim, last);
  await gateway.ended(actionId);
  expect(await decideApproval(decideDeps(other), kim, last)).toEqual(answer);
  expect(runs.get(actionId)).toBe(1);
});

test('silence is rejection: an undecided approval expires, and a late vote does not count', async () => {
  const { actionId, request } = await waitingAction(gateway, { capability_id: 'cap:pay:refund', mode: 'async' });
  await gateway.pool.query('UPDATE runtime.approvals SET expires_at = $2 WHERE approval_id = $1', [
    request.id,
    Date.now(),
  ]);
  await expect(decide(deps(), lee, request)).rejects.toEqual(refused('policy.approval_expired'));
  const expiry = {
    pool: gateway.pool,
    clock: Date.now,
    log: openLogger({ component: 'test', level: 'silent' }),
    gateway: { id: 'service:gateway', kind: 'service' } as const,
  };
  const passes = await Promise.all([expireApprovals(expiry), expireApprovals({ ...expiry, pool: other.pool })]);
  expect(passes.toSorted()).toEqual([0, 1]);
  expect(await gateway.record(actionId)).toMatchObject({
    state: 'expired',
    result: { error: { code: 'policy.approval_expired' } },
  });
  expect(await stored(gateway, request.id)).toMatchObject({
    status: 'expired',
    decision: {
      decision: 'expired',
      decision_id: `decision:${request.id}:expired`,
      approver: { id: 'system:aip-runtime', kind: 'system' },
      authority_path: ['system:approval-expiry'],
    },
  });
  expect(runs.get(actionId)).toBeUndefined();
});

test('an approval without a time to live never expires', async () => {
  const { request } = await waitingAction(gateway, { capability_id: 'cap:pay:forever' });
  expect(request.expires_at).toBeUndefined();
  expect(await stored(gateway, request.id)).toMatchObject({ expires_at: null, status: 'pending' });
});

test('an action that is cancelled and approved at once ends as one of the two, and never runs after its cancellation', async () => {
  for (let round = 0; round < 8; round += 1) {
    const { actionId, request } = await waitingAction(gateway, { capability_id: 'cap:pay:refund', mode: 'async' });
    const [, decided] = await Promise.allSettled([
      other.actions.cancel(caller(), { actionId }),
      decide(deps(), lee, request),
    ]);
    const record = await gateway.ended(actionId);
    const { status } = await stored(gateway, request.id);
    if (decided.status === 'rejected') expect([record.state, status]).toEqual(['cancelled', 'expired']);
    else expect(status).toBe('approved');
    if (status === 'expired') expect(runs.get(actionId)).toBeUndefined();
    expect(verifyReceiptChain(await chainOf(gateway, request.id))).toEqual({ ok: true });
  }
});

test('the time that an action waited for its approval is not time in the queue', async () => {
  const slow = capability('cap:pay:prompt', run, {
    contract: contractOf({ approval: policyOf(), sla: { max_queue_delay_ms: 60_000 } }),
  });
  const database = await freshDatabase();
  let now = Date.now();
  const late = await startActions(database.url, [slow], () => now);
  const { actionId, request } = await waitingAction(late, { capability_id: 'cap:pay:prompt', mode: 'async' });
  now += 600_000;
  await decide(
    decideDeps(late, undefined, () => now),
    lee,
    request,
  );
  expect((await late.ended(actionId)).state).toBe('completed');
  await late.stop();
  await database.drop();
});

test('a granted approval counts for the very action again and for nothing else', async () => {
  const { actionId, request } = await waitingAction(gateway, { capability_id: 'cap:pay:refund', input: { amount: 7 } });
  await decide(deps(), lee, request);
  await gateway.ended(actionId);
  const approval = (await stored(gateway, request.id)).decision as never;
  const submit = async (action: Partial<Action>) =>
    resultOf(
      await gateway.submit({
        capability_id: 'cap:pay:refund',
        input: { amount: 7 },
        id: actionId,
        approval,
        ...action,
      }),
    );
  expect(await submit({})).toMatchObject({ status: 'completed' });
  const unverified = { status: 'failed', error: { code: 'policy.approval_unverified' } };
  expect(await submit({ id: newId('action') })).toMatchObject(unverified);
  expect(await submit({ input: { amount: 8 } })).toMatchObject(unverified);
  expect(await submit({ capability_id: 'cap:pay:named' })).toMatchObject(unverified);
  expect(await submit({ approval: { ...(approval as object), reason: 'forged' } as never })).toMatchObject(unverified);
  expect(runs.get(actionId)).toBe(1);
});

async function eventKinds(actionId: string): Promise<string[]> {
  const { rows } = await gateway.pool.query<{ kind: string }>(
    'SELECT kind FROM runtime.events WHERE action_id = $1 ORDER BY xid, seq',
    [actionId],
  );
  return rows.map((row) => row.kind);
}
