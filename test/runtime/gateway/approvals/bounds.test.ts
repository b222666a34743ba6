import { expect, test } from 'vitest';
import { MAX_DECISION_BYTES, MAX_VOTES, voteRefusal } from '#runtime/gateway/actions/approval/decision/checks.js';
import type { ApprovalRow, Vote } from '#runtime/gateway/actions/approval/record.js';
import type { ApprovalDecision } from '#runtime/protocol/types.js';

const APPROVAL = {
  approval_id: 'appr_1',
  status: 'pending',
  policy_hash: 'sha256:0',
  requester_id: 'agent:a',
  expires_at: null,
  request: { approver_selector: { type: 'role', name: 'finance' } },
} as unknown as ApprovalRow;

/** Why a vote of an approver is refused, with these votes before it. */
function refusal(reason: string, before = 0): string | undefined {
  const decision = {
    approval_id: 'appr_1',
    decision_id: 'd-1',
    decision: 'approved',
    approver: { id: 'human:lee', kind: 'human' },
    decided_at: '2026-01-01T00:00:00Z',
    policy_hash: 'sha256:0',
    reason,
  } as ApprovalDecision;
  const votes = Array.from({ length: before }, () => ({ decision }) as Vote);
  const authority = { principal_id: 'human:lee', roles: ['finance'] };
  return voteRefusal({ decision, authority, approval: APPROVAL, votes, action: undefined, nowMs: 0 })?.message;
}
const room = MAX_DECISION_BYTES - Buffer.byteLength(decisionText());

/** The JSON of the decision with an empty reason. */
function decisionText(): string {
  return JSON.stringify({
    approval_id: 'appr_1',
    decision_id: 'd-1',
    decision: 'approved',
    approver: { id: 'human:lee', kind: 'human' },
    decided_at: '2026-01-01T00:00:00Z',
    policy_hash: 'sha256:0',
    reason: '',
  });
}

test('an approval takes 256 votes, and no vote after them', () => {
  expect(MAX_VOTES).toBe(256);
  expect(refusal('', 255)).toBeUndefined();
  expect(refusal('', 256)).toBe('an approval takes at most 256 votes');
});

test('a decision has at most 65,536 bytes', () => {
  expect(MAX_DECISION_BYTES).toBe(65_536);
  expect(refusal('x'.repeat(room))).toBeUndefined();
  expect(refusal('x'.repeat(room + 1))).toBe('a decision must have at most 65536 bytes');
});
