import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keysOfAuthority, keysOfRequest } from '#runtime/gateway/actions/approval/authority/keys.js';
import { constraintRefusal } from '#runtime/gateway/actions/approval/decision/constraints.js';
import { approvalOutcome } from '#runtime/gateway/actions/approval/decision/status.js';
import type { Vote } from '#runtime/gateway/actions/approval/record.js';
import { parseAuthorityFile } from '#runtime/gateway/approvals/authority/file.js';
import type { ApprovalAuthority, VerifiedDecision } from '#runtime/protocol/approvals/record.js';
import { mayContribute, votesSatisfy } from '#runtime/protocol/approvals/rule.js';
import { parseJson } from '#runtime/protocol/json.js';
import type { ApprovalPolicy, ApprovalRequest, ApprovalRule } from '#runtime/protocol/types.js';
import { policyOf } from '../support/approvals.ts';

const role = (name: string): ApprovalRule => ({ operator: 'role', name });
const all = (rules: ApprovalRule[], allow_decision_reuse = false): ApprovalRule => ({
  operator: 'all',
  rules,
  allow_decision_reuse,
});
const quorum = (required: number, rules: ApprovalRule[], distinct_principals = true): ApprovalRule => ({
  operator: 'quorum',
  required,
  rules,
  distinct_principals,
});

const asked = (policy: Partial<ApprovalPolicy>): ApprovalRequest => ({
  id: 'appr_1',
  action_id: 'act_1',
  capability_id: 'cap:x',
  requester: { id: 'agent:a', kind: 'agent' },
  subject: { id: 'agent:a', kind: 'agent' },
  approver_selector: policy.approver_selector ?? { type: 'group', name: 'nobody' },
  reason: 'why not',
  policy_snapshot: policyOf(policy),
  risk: 'high',
  governed_value: 100,
});

/** A vote of a principal with roles; `more` changes its authority. */
function vote(
  principal_id: string,
  roles: string[] = [],
  more: Partial<ApprovalAuthority> = {},
  decision = 'approved',
): Vote {
  return {
    decision: {
      approval_id: 'appr_1',
      decision,
      approver: { id: principal_id, kind: 'human' },
      decided_at: '2026-01-01T00:00:00Z',
    },
    authority: { principal_id, roles, ...more },
    evidence_hash: '',
    recorded_at: 0,
  } as Vote;
}

test.each<[string, ApprovalRule, VerifiedDecision[], boolean]>([
  ['all needs one match for each rule', all([role('a'), role('b')]), [vote('1', ['a'])], false],
  [
    'all takes matches of different principals',
    all([role('a'), role('b')]),
    [vote('1', ['a']), vote('2', ['b'])],
    true,
  ],
  ['all counts a principal once', all([role('a'), role('b')]), [vote('1', ['a', 'b'])], false],
  [
    'all counts a principal once, also with two votes',
    all([role('a'), role('b')]),
    [vote('1', ['a', 'b']), vote('1', ['a', 'b'])],
    false,
  ],
  ['all with reuse takes one vote for all', all([role('a'), role('b')], true), [vote('1', ['a', 'b'])], true],
  [
    'all finds the assignment that a first choice would miss',
    all([role('a'), role('b')]),
    [vote('1', ['a', 'b']), vote('2', ['a'])],
    true,
  ],
  [
    'all in all',
    all([all([role('a'), role('b')]), role('a')]),
    [vote('1', ['a', 'b']), vote('2', ['a']), vote('3', ['a'])],
    true,
  ],
  ['any takes one', { operator: 'any', rules: [role('a'), role('b')] }, [vote('1', ['b'])], true],
  ['any of none is nothing', { operator: 'any', rules: [] }, [vote('1', ['b'])], false],
  ['quorum counts leaves', quorum(2, [role('a'), role('b')]), [vote('1', ['a']), vote('2', ['b'])], true],
  ['quorum counts a principal once', quorum(2, [role('a')]), [vote('1', ['a']), vote('1', ['a'])], false],
  ['quorum may count votes', quorum(2, [role('a')], false), [vote('1', ['a']), vote('1', ['a'])], true],
  ['quorum has no groups', quorum(1, [all([role('a')])]), [vote('1', ['a'])], false],
  [
    'quorum in all leaves votes for the others',
    all([quorum(2, [role('a')]), role('b')]),
    [vote('1', ['a', 'b']), vote('2', ['a']), vote('3', ['a'])],
    true,
  ],
  ['principal', { operator: 'principal', id: '1' }, [vote('1')], true],
  ['group', { operator: 'group', name: 'g' }, [vote('1', [], { groups: ['g'] })], true],
  ['tenant policy', { operator: 'tenant_policy', policy_id: 'p' }, [vote('1', [], { tenant_policies: ['q'] })], false],
  ['external system', { operator: 'external_system', system: 's' }, [vote('1', [], { external_systems: ['s'] })], true],
])('rule: %s', (_what, rule, votes, satisfied) => {
  expect(votesSatisfy(asked({ rule }), votes)).toBe(satisfied);
});

test.each<[string, object, object, boolean]>([
  ['the scope', {}, {}, true],
  ['another scope', { scope: 'other' }, {}, false],
  ['a revoked grant', { revoked: true }, {}, false],
  ['the rank at its limit', { max_risk_rank: 3 }, {}, true],
  ['the rank below the risk', { max_risk_rank: 2 }, {}, false],
  ['the value at its limit', { max_value: 100 }, {}, true],
  ['the value below', { max_value: 99 }, {}, false],
  ['the risk of the rule below', {}, { max_risk: 'medium' }, false],
  ['the value of the rule below', {}, { max_value: 99 }, false],
])('delegated authority: %s', (_what, grant, leaf, satisfied) => {
  const rule = { operator: 'delegated_authority', scope: 'refunds', ...leaf } as ApprovalRule;
  const delegated_scopes = [{ scope: 'refunds', ...grant }];
  expect(votesSatisfy(asked({ rule }), [vote('1', [], { delegated_scopes })])).toBe(satisfied);
});

test.each<[string, Partial<ApprovalAuthority>, boolean]>([
  ['the tenant of the request', { tenant_id: 'acme' }, true],
  ['another tenant', { tenant_id: 'globex' }, false],
  ['no tenant', { tenant_id: null }, false],
  ['no tenant but a tenant policy', { tenant_id: null, tenant_policies: ['p'] }, true],
])('the selector tenant_policy: %s', (_what, authority, satisfied) => {
  const request = asked({ approver_selector: { type: 'tenant_policy' } });
  const votes = [vote('1', [], authority)];
  expect(votesSatisfy({ ...request, identity: { tenant: { id: 'acme' } } } as ApprovalRequest, votes)).toBe(satisfied);
});

test('a rule that takes too many steps to satisfy counts as not satisfied', () => {
  const rule = all(Array.from({ length: 12 }, () => quorum(6, [role('a')])));
  const votes = Array.from({ length: 60 }, (_, n) => vote(`${n}`, ['a']));
  expect(votesSatisfy(asked({ rule }), votes)).toBe(false);
});

test('another vote never takes an approval away: more approving votes satisfy whatever fewer did', () => {
  const leaf = fc.constantFrom('a', 'b', 'c').map(role);
  const rules = fc.array(leaf, { minLength: 1, maxLength: 3 });
  const rule = fc.oneof(
    leaf,
    rules.map((list) => all(list)),
    fc.tuple(fc.integer({ min: 1, max: 3 }), rules).map(([n, list]) => quorum(n, list)),
    fc.tuple(rules, rules).map(([x, y]) => all([...x, { operator: 'any', rules: y }])),
  );
  const voter = fc
    .tuple(fc.integer({ min: 1, max: 5 }), fc.subarray(['a', 'b', 'c']))
    .map(([n, roles]) => vote(`${n}`, roles));
  fc.assert(
    fc.property(rule, fc.array(voter, { maxLength: 6 }), voter, (one, votes, further) => {
      const request = asked({ rule: one });
      if (votesSatisfy(request, votes)) expect(votesSatisfy(request, [...votes, further])).toBe(true);
    }),
  );
});

test.each<[string, Vote[], string]>([
  ['no vote', [], 'pending'],
  ['one approving vote', [vote('1', ['finance-lead'])], 'approved'],
  ['one of the wrong role', [vote('1', ['other'])], 'pending'],
  ['an approval and a denial', [vote('1', ['finance-lead']), vote('2', [], {}, 'denied')], 'denied'],
  ['a denial and an expiry', [vote('1', [], {}, 'denied'), vote('2', [], {}, 'expired')], 'expired'],
  ['an expiry and a revocation', [vote('1', [], {}, 'revoked'), vote('2', [], {}, 'expired')], 'revoked'],
])('votes decide: %s', (_what, votes, status) => {
  const outcome = approvalOutcome(asked({ approver_selector: { type: 'role', name: 'finance-lead' } }), votes);
  expect(outcome.status).toBe(status);
  if (status !== 'pending') expect(outcome.decision?.decision).toBe(status);
});

test('whoever has a key of a request may contribute, and no other authority', () => {
  const rule = all([role('a'), { operator: 'group', name: 'g' }, { operator: 'principal', id: 'human:p' }]);
  const request = asked({ rule, approver_selector: { type: 'tenant_policy' } });
  expect(keysOfRequest(request).toSorted()).toEqual(['group:g', 'principal:human:p', 'role:a', 'tenant_policy']);
  for (const authority of [
    { principal_id: '1', roles: ['a'] },
    { principal_id: '1', groups: ['g'] },
    { principal_id: 'human:p' },
    { principal_id: '1', tenant_policies: ['any'] },
    { principal_id: '1', roles: ['b'] },
    { principal_id: '1', groups: ['a'] },
  ] satisfies ApprovalAuthority[]) {
    const shared = keysOfAuthority(authority).some((key) => keysOfRequest(request).includes(key));
    expect(mayContribute(request, { ...authority, tenant_id: null })).toBe(shared);
  }
});

const KEPT: [string, string, unknown, string][] = [
  ['amount', 'eq', 5, '{"amount":5.0}'],
  ['/amount', 'neq', 4, '{"amount":5}'],
  ['amount', 'lt', 6, '{"amount":5}'],
  ['amount', 'lte', 5, '{"amount":5}'],
  ['amount', 'gt', 4, '{"amount":5}'],
  ['amount', 'gte', 5, '{"amount":5}'],
  ['note', 'contains', 'und', '{"note":"refund"}'],
  ['note', 'max_length', 2, '{"note":"😀é"}'],
  ['note', 'min_length', 2, '{"note":"😀é"}'],
  ['note', 'in', ['a', 'b'], '{"note":"b"}'],
  ['lines/1/sku', 'eq', 'B', '{"lines":[{},{"sku":"B"}]}'],
  ['a~1b', 'eq', { c: [1, null] }, '{"a/b":{"c":[1,null]}}'],
];
const BROKEN: [string, string, unknown, string][] = [
  ['amount', 'eq', 5, '{"amount":6}'],
  ['amount', 'eq', '5', '{"amount":5}'],
  ['amount', 'neq', 5, '{"amount":5.0}'],
  ['amount', 'lt', 5, '{"amount":5}'],
  ['amount', 'lte', 5, '{"amount":"4"}'],
  ['amount', 'lte', '9', '{"amount":4}'],
  ['amount', 'eq', 9007199254740992, '{"amount":9007199254740993}'],
  ['amount', 'neq', 9007199254740992, '{"amount":9007199254740993}'],
  ['note', 'contains', '', '{"note":5}'],
  ['note', 'max_length', 1, '{"note":"ab"}'],
  ['note', 'min_length', 'x', '{"note":"ab"}'],
  ['note', 'in', 'ab', '{"note":"a"}'],
  ['amount', 'about', 5, '{"amount":5}'],
  ['amount', 'constructor', 5, '{"amount":5}'],
];

test.each(KEPT)('the constraint %s %s %j holds for %s', (field, operator, value, input) => {
  expect(constraintRefusal([{ field, operator, value }], parseJson(input))).toBeUndefined();
});

test.each(BROKEN)('the constraint %s %s %j does not hold for %s', (field, operator, value, input) => {
  expect(constraintRefusal([{ field, operator, value }], parseJson(input))).toMatchObject({
    code: 'policy.approval_constraint_failed',
    details: { field, operator },
  });
});

test.each(['total', 'lines/2', 'lines/01', 'lines/length', 'amount/x', 'toString', '__proto__'])(
  'a constraint on %s, which the input lacks, is reported as that',
  (field) => {
    const input = parseJson('{"amount":5.0,"lines":[1,2]}');
    expect(constraintRefusal([{ field, operator: 'eq', value: 1 }], input)).toMatchObject({
      code: 'policy.approval_constraint_missing_field',
    });
  },
);

test('an authority file gives each principal one authority in each tenant', () => {
  const entries = [
    { principal_id: 'human:lee', tenant_id: 'acme', roles: ['b', 'a'], revision: 4 },
    { principal_id: 'human:lee', revision: 1 },
  ];
  const table = parseAuthorityFile(JSON.stringify(entries));
  expect([...table.values()]).toMatchObject([
    { principal_id: 'human:lee', tenant_id: 'acme', roles: ['a', 'b'], groups: [], revision: 4, revoked: false },
    { principal_id: 'human:lee', tenant_id: null, revision: 1 },
  ]);
});

test.each<[string, unknown, string]>([
  ['no list', {}, 'must hold an array'],
  ['a text', ['x'], 'Entry 0 of the approval authority file: must be an object'],
  ['an unknown member', [{ principal_id: 'p', revision: 1, admin: true }], 'admin is not known'],
  ['no principal', [{ revision: 1 }], 'principal_id must be text'],
  ['no revision', [{ principal_id: 'p' }], 'revision must be a whole number above 0'],
  ['revision 0', [{ principal_id: 'p', revision: 0 }], 'revision must be a whole number above 0'],
  ['roles as text', [{ principal_id: 'p', revision: 1, roles: 'a' }], 'roles must be a list of texts'],
  [
    'a time of another form',
    [{ principal_id: 'p', revision: 1, expires_at: 'soon' }],
    'expires_at must be an RFC 3339 time',
  ],
  ['revoked as text', [{ principal_id: 'p', revision: 1, revoked: 'no' }], 'revoked must be true or false'],
  [
    'a repeated principal',
    [
      { principal_id: 'p', revision: 1 },
      { principal_id: 'p', revision: 2 },
    ],
    'given twice',
  ],
  [
    'a scope without its end',
    [{ principal_id: 'p', revision: 1, delegated_scopes: [{ scope: 's' }] }],
    'expires_at of delegated_scopes',
  ],
  [
    'a risk rank of 5',
    [
      {
        principal_id: 'p',
        revision: 1,
        delegated_scopes: [{ scope: 's', expires_at: '2999-01-01T00:00:00Z', max_risk_rank: 5 }],
      },
    ],
    'max_risk_rank must be a whole number from 1 to 4',
  ],
])('an authority file with %s is refused', (_what, value, message) => {
  expect(() => parseAuthorityFile(JSON.stringify(value))).toThrow(message);
});
