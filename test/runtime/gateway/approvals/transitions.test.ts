import { afterAll, beforeAll, expect, test } from 'vitest';
import { expireApprovals } from '#runtime/gateway/approvals/expiry.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { ApprovalRequest } from '#runtime/protocol/types.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { freshDatabase } from '../../../support/database.ts';
import { capability, contractOf, startActions, type TestGateway } from '../support/actions.ts';
import {
  approver,
  chainOf,
  decide,
  decideDeps,
  policyOf,
  stored,
  voteCount,
  waitingAction,
} from '../support/approvals.ts';

// Each row of the table in docs/protocol/records.md#states-of-an-approval that approvals-decide.test.ts leaves open.

const runs = new Map<string, number>();
const governed = (name: string, minimum_distinct_principals: number) =>
  capability(
    `cap:pay:${name}`,
    async ({ id }) => {
      runs.set(id, (runs.get(id) ?? 0) + 1);
      return { done: true };
    },
    { contract: contractOf({ approval: policyOf({ minimum_distinct_principals }) }) },
  );
const capabilities = [governed('one', 1), governed('two', 2)];
const lee = approver('human:lee');
const kim = approver('human:kim');
const max = approver('human:max');

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

const here = () => decideDeps(gateway);
const there = () => decideDeps(other);
const waiting = (name: 'one' | 'two') => waitingAction(gateway, { capability_id: `cap:pay:${name}`, mode: 'async' });
const lapse = ({ id }: ApprovalRequest) =>
  gateway.pool.query('UPDATE runtime.approvals SET expires_at = 1 WHERE approval_id = $1', [id]);
const expire = (at = gateway) => {
  const log = openLogger({ component: 'test', level: 'silent' });
  return expireApprovals({ pool: at.pool, clock: Date.now, log, gateway: { id: 'service:gateway', kind: 'service' } });
};
const fulfilled = (answers: PromiseSettledResult<unknown>[]) =>
  answers.filter(({ status }) => status === 'fulfilled').length;

type Second = Parameters<typeof decide>[3];
const ENDS: Record<string, { second?: Second; code?: string; receipt: string }> = {
  approved: { second: {}, receipt: 'approval_granted' },
  denied: { second: { decision: 'denied' }, code: 'policy.approval_denied', receipt: 'approval_denied' },
  revoked: {
    second: { decision: 'revoked', target_decision_id: 'first' },
    code: 'policy.approval_revoked',
    receipt: 'approval_revoked',
  },
  expired: { code: 'policy.approval_expired', receipt: 'approval_expired' },
};

test.each(Object.entries(ENDS))(
  'an approval that is %s refuses every further decision at every gateway, and its chain has one end',
  async (end, { second, code, receipt }) => {
    const { actionId, request } = await waiting('two');
    await decide(here(), lee, request, { decision_id: 'first' });
    if (second) await decide(here(), kim, request, second);
    else {
      await lapse(request);
      await expire();
    }
    const votes = await voteCount(gateway, request.id);
    for (const deps of [here(), there()])
      for (const changes of [
        { decision: 'approved' },
        { decision: 'denied' },
        { decision: 'revoked', target_decision_id: 'first' },
      ] as const)
        await expect(decide(deps, max, request, changes)).rejects.toMatchObject({
          code: 'policy.approval_not_pending',
          status: 403,
          details: { status: end },
        });
    expect(await expire(other)).toBe(0);
    expect(await stored(gateway, request.id)).toMatchObject({ status: end });
    expect(await voteCount(gateway, request.id)).toBe(votes);
    expect((await gateway.ended(actionId)).result?.error?.code).toBe(code);
    expect(runs.get(actionId)).toBe(end === 'approved' ? 1 : undefined);
    const chain = await chainOf(gateway, request.id);
    expect(verifyReceiptChain(chain)).toEqual({ ok: true });
    const types = chain.receipts.map(({ receipt_type }) => receipt_type);
    expect(types).toEqual(['policy_decision', 'approval_requested', receipt]);
  },
);

test('a decision and the expiry that come together at two gateways end an approval once', async () => {
  for (let round = 0; round < 8; round += 1) {
    const { actionId, request } = await waiting('one');
    await lapse(request);
    // The decision was taken in time: its gateway's clock is behind.
    const early = decideDeps(gateway, undefined, () => 0);
    const [decided] = await Promise.allSettled([decide(early, lee, request), expire(other)]);
    const { status } = await stored(gateway, request.id);
    expect([decided.status, status]).toBeOneOf([
      ['fulfilled', 'approved'],
      ['rejected', 'expired'],
    ]);
    const { state } = await gateway.ended(actionId);
    expect([state, runs.get(actionId)]).toEqual(status === 'approved' ? ['completed', 1] : ['expired', undefined]);
    expect((await chainOf(gateway, request.id)).receipts).toHaveLength(3);
  }
});

test('of votes that come together at two gateways the one that suffices approves, the next is refused, one run follows', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { actionId, request } = await waiting('two');
    const votes = [decide(here(), lee, request), decide(there(), kim, request), decide(here(), max, request)];
    expect(fulfilled(await Promise.allSettled(votes))).toBe(2);
    await gateway.ended(actionId);
    expect(await stored(gateway, request.id)).toMatchObject({ status: 'approved' });
    expect(runs.get(actionId)).toBe(1);
  }
});

test('a veto and the approving vote that come together leave one end, and the action follows it', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { actionId, request } = await waiting('two');
    await decide(here(), lee, request);
    const votes = [decide(here(), kim, request), decide(there(), max, request, { decision: 'denied' })];
    expect(fulfilled(await Promise.allSettled(votes))).toBe(1);
    const { state } = await gateway.ended(actionId);
    expect([(await stored(gateway, request.id)).status, state]).toBeOneOf([
      ['approved', 'completed'],
      ['denied', 'failed'],
    ]);
  }
});

test('an approval that does not exist is not found, whatever is decided', async () => {
  const { request } = await waiting('one');
  const unknown = { ...request, id: newId('approval') };
  for (const decision of ['approved', 'denied', 'revoked'] as const)
    await expect(decide(here(), lee, unknown, { decision })).rejects.toMatchObject({ code: 'approval.not_found' });
});
