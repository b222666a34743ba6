import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApprovalPolicy } from '#runtime/protocol/types.js';
import { startTestbed, type Testbed, TRUST_DOMAIN } from '../../runtime/gateway/dispatch/testbed.ts';
import { probeCapability } from '../../support/external-host.ts';
import { until } from '../../support/until.ts';
import { startSetGateway } from './support.ts';

/** A capability whose actions wait for an approver, for so long as its policy says. */
function awaited(name: string, ttl: Pick<ApprovalPolicy, 'ttl_ms'>) {
  const approval: ApprovalPolicy = {
    required: true,
    reason: 'a test wants to be asked',
    approver_selector: { type: 'role', name: 'approver' },
    minimum_distinct_principals: 1,
    separation_of_duties: { requester_must_differ: true, operator_must_differ: false, allow_self_approval: false },
    ...ttl,
  };
  const made = probeCapability(name);
  return { ...made, contract: { ...made.contract, approval } } as typeof made;
}

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed(
    [{}],
    [awaited('brief', { ttl_ms: 1 }), awaited('long', { ttl_ms: 3_600_000 }), awaited('open', {})],
  );
});
afterAll(() => testbed?.close());

test('a gateway process lets an approval expire after the ttl_ms of its policy, and no other', async () => {
  const { client } = await startSetGateway(testbed.databaseUrl, { TRUST_DOMAIN });
  const submitted = async (name: string): Promise<string> => {
    const { id, body } = await client.submit({ capability_id: `cap:probe:${name}`, mode: 'async' });
    expect([name, JSON.stringify(body).includes('"pending_approval"')]).toEqual([name, true]);
    return id;
  };
  const [open, long] = [await submitted('open'), await submitted('long')];
  const brief = await submitted('brief');
  const ended = await until('it expired', async () => {
    const status = await client.status(brief);
    return status.completed_at !== undefined && status;
  });
  expect(ended).toMatchObject({ state: 'expired', result: { error: { code: 'policy.approval_expired' } } });
  expect(await client.get(`/aip/v1/approvals/${ended.approval_id}`)).toMatchObject({
    status: 200,
    body: { status: 'expired', decision: { decision: 'expired' } },
  });
  for (const id of [open, long]) expect(await client.status(id)).toMatchObject({ state: 'pending_approval' });
  expect(testbed.hosts[0]?.received).toEqual([]);
});
