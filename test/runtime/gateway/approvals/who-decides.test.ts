import { afterAll, beforeAll, expect, test } from 'vitest';
import { findApproval } from '#runtime/gateway/approvals/read/find.js';
import { listApprovals } from '#runtime/gateway/approvals/read/list.js';
import type { Identity } from '#runtime/gateway/edge/identity.js';
import type { ApprovalPolicy, EvidenceArtifact, EvidenceRequirement } from '#runtime/protocol/types.js';
import { actionsOverFreshDatabase, caller, capability, contractOf, type TestGateway } from '../support/actions.ts';
import { approver, decide, decideDeps, policyOf, stored, voteCount, waitingAction } from '../support/approvals.ts';

// Who may decide, with what: docs/protocol/records.md#approvals, each selector, duty and piece of evidence on both sides.

const DUTIES = [true, false].flatMap((requester_must_differ) =>
  [true, false].flatMap((operator_must_differ) =>
    [true, false].map((allow_self_approval) => ({ requester_must_differ, operator_must_differ, allow_self_approval })),
  ),
);
const SELECTORS: Record<string, ApprovalPolicy['approver_selector']> = {
  principal: { type: 'principal', id: 'human:lee' },
  role: { type: 'role', name: 'finance' },
  group: { type: 'group', name: 'board' },
  external_system: { type: 'external_system', system: 'sap' },
  tenant_policy: { type: 'tenant_policy' },
};
const EVIDENCE: readonly EvidenceRequirement[] = [
  'reason',
  'input_snapshot',
  'policy_decision',
  'external_ticket',
  'attachment',
];
const governed = (name: string, changes: Partial<ApprovalPolicy>) =>
  capability(`cap:pay:${name}`, async () => ({}), { contract: contractOf({ approval: policyOf(changes) }) });
const dutyName = (duties: (typeof DUTIES)[number]): string => Object.values(duties).join('-');

let gateway: TestGateway;
let end: () => Promise<void>;
beforeAll(async () => {
  ({ gateway, end } = await actionsOverFreshDatabase([
    ...DUTIES.map((separation_of_duties) => governed(dutyName(separation_of_duties), { separation_of_duties })),
    ...Object.entries(SELECTORS).map(([name, approver_selector]) => governed(name, { approver_selector })),
    ...EVIDENCE.map((each) => governed(each, { evidence_requirements: [each] })),
    governed('plain', {}),
  ]));
});
afterAll(() => end?.());

const lee = approver('human:lee');
const codeOf = (decided: Promise<unknown>): Promise<string> =>
  decided.then(
    () => 'admitted',
    (error) => (error as { code: string }).code,
  );

test.each(DUTIES)(
  'separation of duties: requester differs $requester_must_differ, operator differs $operator_must_differ, self-approval $allow_self_approval',
  async (duties) => {
    const { request } = await waitingAction(gateway, { capability_id: `cap:pay:${dutyName(duties)}` });
    // The requester of an action is also who operates it.
    const self: Identity = { ...caller(), roles: ['finance-lead'] };
    const own = await codeOf(decide(decideDeps(gateway), self, request));
    const mayItself = duties.allow_self_approval && !duties.requester_must_differ;
    const refusedAs = mayItself ? 'policy.separation_of_duties.operator' : 'policy.separation_of_duties.requester';
    const admitted = mayItself && !duties.operator_must_differ;
    expect(own).toBe(admitted ? 'admitted' : refusedAs);
    expect(await voteCount(gateway, request.id)).toBe(admitted ? 1 : 0);
    expect((await stored(gateway, request.id)).status).toBe(admitted ? 'approved' : 'pending');
    expect(await codeOf(decide(decideDeps(gateway), lee, request))).toBe(
      admitted ? 'policy.approval_not_pending' : 'admitted',
    );
  },
);

/** What each selector asks of an authority, and the same of another name. */
const MEMBERSHIPS: Record<string, readonly [fits: object, other: object]> = {
  principal: [{}, { principal_id: 'human:kim' }],
  role: [{ roles: ['finance'] }, { roles: ['board'], groups: ['finance'] }],
  group: [{ groups: ['board'] }, { groups: ['finance'], roles: ['board'] }],
  external_system: [{ external_systems: ['sap'] }, { external_systems: ['erp'], groups: ['sap'] }],
  tenant_policy: [{ tenant_policies: ['payments'] }, { roles: ['tenant_policy'], groups: ['payments'] }],
};

test.each(Object.keys(SELECTORS))(
  'a selector of type %s admits the authority that it names and no other',
  async (type) => {
    const { request } = await waitingAction(gateway, { capability_id: `cap:pay:${type}` });
    const [fits, other] = MEMBERSHIPS[type] as readonly [object, object];
    const entry = { principal_id: 'human:lee', tenant_id: 'acme', revision: 1 };
    const wrong = { ...entry, ...other };
    const wrongCaller = approver(wrong.principal_id, []);
    for (const decision of ['approved', 'denied'] as const)
      expect(await codeOf(decide(decideDeps(gateway, [wrong]), wrongCaller, request, { decision }))).toBe(
        'policy.approver_unauthorized',
      );
    expect(await stored(gateway, request.id)).toMatchObject({ status: 'pending' });
    await decide(decideDeps(gateway, [{ ...entry, ...fits }]), approver('human:lee', []), request);
    expect(await stored(gateway, request.id)).toMatchObject({ status: 'approved' });
  },
);

const artifact = (kind: string): EvidenceArtifact => ({ id: `evidence:${kind}`, kind, redacted: false });
/** What a decision must bring for each requirement; the gateway's own request has the input and the policy decision. */
const BROUGHT: Partial<Record<EvidenceRequirement, object>> = {
  reason: { reason: 'checked' },
  external_ticket: { evidence: [artifact('external_ticket')] },
  attachment: { evidence: [artifact('attachment')] },
};

test.each(EVIDENCE)('evidence %s is required: a decision without it is refused, one with it counts', async (kind) => {
  const { request } = await waitingAction(gateway, { capability_id: `cap:pay:${kind}` });
  const brought = BROUGHT[kind];
  if (brought) {
    const wrong = { reason: ' ', evidence: [artifact('photo')] };
    for (const changes of [{}, wrong])
      await expect(decide(decideDeps(gateway), lee, request, changes)).rejects.toMatchObject({
        code: 'policy.approval_evidence_missing',
        details: { missing: [kind] },
      });
    expect(await voteCount(gateway, request.id)).toBe(0);
  }
  await decide(decideDeps(gateway), lee, request, brought ?? {});
  expect(await stored(gateway, request.id)).toMatchObject({ status: 'approved' });
});

test('a revocation names an approving vote of this approval: neither one of another approval nor a revocation', async () => {
  const [first, second] = [
    await waitingAction(gateway, { capability_id: 'cap:pay:plain' }),
    await waitingAction(gateway, { capability_id: 'cap:pay:plain' }),
  ];
  await decide(decideDeps(gateway), lee, first.request, { decision_id: 'elsewhere' });
  const revoke = { decision: 'revoked', target_decision_id: 'elsewhere' } as const;
  expect(await codeOf(decide(decideDeps(gateway), lee, second.request, revoke))).toBe(
    'policy.approval_revocation_target_missing',
  );
  expect(await stored(gateway, second.request.id)).toMatchObject({ status: 'pending' });
});

test('an approval shows to requester, subject, who may decide it and who voted, and to nobody else of its tenant', async () => {
  const { request } = await waitingAction(gateway, { capability_id: 'cap:pay:role' });
  await gateway.pool.query(`UPDATE runtime.approvals SET subject_id = 'human:subject' WHERE approval_id = $1`, [
    request.id,
  ]);
  const entries = (roles: string[]) => [
    { principal_id: 'human:lee', tenant_id: 'acme', roles, revision: 1 },
    { principal_id: 'human:kim', tenant_id: 'acme', roles: ['other'], revision: 1 },
  ];
  const seenBy = async (as: Identity, authority: object[]): Promise<boolean> => {
    const deps = { pool: gateway.pool, authorityOf: decideDeps(gateway, authority).authorityOf };
    const list = await listApprovals(deps, as, { limit: 1000 }, Date.now());
    const listed = list.approvals.some((each) => each.request.id === request.id);
    const found = await codeOf(findApproval(deps, as, { approvalId: request.id }, Date.now()));
    expect(found).toBe(listed ? 'admitted' : 'approval.not_found');
    return listed;
  };
  const reader = (id: string, tenant = 'acme') => approver(id, [], tenant);
  const desk: Identity = { ...caller(), scopes: new Set(['approval:read']) };
  const both = entries(['finance']);
  for (const [as, sees] of [
    [desk, true],
    [reader('human:subject'), true],
    [reader('human:lee'), true],
    [reader('human:kim'), false],
    [reader('human:nobody'), false],
    [reader('human:subject', 'globex'), false],
  ] as const)
    expect([as.principal.id, await seenBy(as, both)]).toEqual([as.principal.id, sees]);
  await decide(decideDeps(gateway, both), reader('human:lee'), request, { decision: 'denied' });
  expect(await seenBy(reader('human:lee'), entries([]))).toBe(true);
  expect(await seenBy(reader('human:kim'), entries([]))).toBe(false);
});
