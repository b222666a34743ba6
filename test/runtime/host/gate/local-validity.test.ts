import { rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { until } from '../../../support/until.ts';
import { approvedRefund } from '../support/approval.ts';
import { callsOf, isJournaled } from '../support/calls.ts';
import type { Changes } from '../support/central.ts';
import { startTestbed, type Testbed } from '../support/testbed.ts';

let testbed: Testbed;
let policyFile: string;

beforeAll(async () => {
  testbed = await startTestbed({ idle: true });
  policyFile = join(testbed.folder, 'policy.json');
  await policy(['credential-v1'], ['credential-v0']);
  Object.assign(testbed.env, {
    AIP_CONNECTOR_HOST_CREDENTIAL_ID: 'cred-1',
    AIP_CONNECTOR_HOST_CREDENTIAL_ISSUER: 'vault',
    AIP_CONNECTOR_HOST_CREDENTIAL_REVISION: 'credential-v2',
    AIP_CONNECTOR_HOST_CREDENTIAL_SCOPES: 'demo:read,demo:write',
    AIP_CONNECTOR_HOST_CREDENTIAL_POLICY_FILE: policyFile,
  });
  await testbed.start();
  await testbed.ready();
});
afterAll(async () => {
  await testbed?.stop();
});

/** Replaces the policy the way an operator does: a new file, renamed over the old one. */
async function policy(previous: string[], revoked: string[]): Promise<void> {
  const text = JSON.stringify({
    current_revision_ref: 'credential-v2',
    accepted_previous_revisions: previous,
    revoked_revisions: revoked,
  });
  await writeFile(`${policyFile}.new`, text, { mode: 0o644 });
  await rename(`${policyFile}.new`, policyFile);
}

const current = { credential_revision_ref: 'credential-v2' };
const pinned = (reference: string | null): Changes => ({ route: { credential_revision_ref: reference } });

async function flaky(changes: Changes) {
  const id = newId('action');
  const answer = await testbed.central.send({ id, capability_id: 'cap:demo:flaky', input: { mode: 'ok' } }, changes);
  return { answer, calls: await callsOf(testbed, id) };
}

test('F-159 F-270 F-246 a revision that is revoked, unknown or not pinned is denied with its own code, at once', async () => {
  for (const accepted of ['credential-v2', 'credential-v1']) {
    expect(await flaky(pinned(accepted))).toMatchObject({ answer: { status: 200 }, calls: 1 });
  }
  const { rejected_total: before = 0 } = await testbed.metrics();
  for (const denied of ['credential-v0', 'credential-v9', null]) {
    expect(await flaky(pinned(denied))).toMatchObject({
      answer: {
        status: 403,
        signer: testbed.key.did,
        error: { code: 'connector_host.credential_revision_denied', category: 'auth', retryable: false },
      },
      calls: 0,
    });
  }
  expect((await testbed.metrics()).rejected_total).toBe(before + 3);
  await policy([], ['credential-v0', 'credential-v1']);
  expect(await flaky(pinned('credential-v1'))).toMatchObject({ answer: { status: 403 }, calls: 0 });
  await policy(['credential-v1'], ['credential-v0']);
  expect(await flaky(pinned('credential-v1'))).toMatchObject({ answer: { status: 200 }, calls: 1 });
});

test('F-159 F-270 a policy that cannot be read denies nothing permanently: 503, and a cancellation is checked too', async () => {
  const unreadable = [
    async () => unlink(policyFile),
    async () => writeFile(policyFile, '{"current_revision_ref":"credential-v2"}', { mode: 0o644 }),
    async () =>
      writeFile(policyFile, '{"current_revision_ref":"a","accepted_previous_revisions":["a"],"revoked_revisions":[]}', {
        mode: 0o644,
      }),
  ];
  for (const make of unreadable) {
    await make();
    expect(await flaky(pinned('credential-v2'))).toMatchObject({
      answer: {
        status: 503,
        signer: testbed.key.did,
        error: { code: 'connector_host.credential_revision_unavailable', retryable: true, retry_after_ms: 1000 },
      },
      calls: 0,
    });
  }
  const cancel = await testbed.central.cancel(newId('action'), 'cap:demo:flaky', pinned('credential-v2'));
  expect(await testbed.central.post(cancel)).toMatchObject({
    status: 503,
    error: { code: 'connector_host.credential_revision_unavailable' },
  });
  await policy(['credential-v1'], ['credential-v0']);
});

test('F-159 a cancellation under an outdated revision is refused with 403, and the work continues', async () => {
  const id = newId('action');
  const report = { id, capability_id: 'cap:demo:report', input: { seconds: 60 } };
  const running = testbed.central.send(report, pinned('credential-v2'));
  await until('it runs', () => isJournaled(testbed, id));
  const cancel = async (revision: string) =>
    testbed.central.post(await testbed.central.cancel(id, 'cap:demo:report', pinned(revision)));
  expect(await cancel('credential-v0')).toMatchObject({
    status: 403,
    signer: testbed.key.did,
    error: { code: 'connector_host.credential_revision_denied' },
  });
  expect((await testbed.metrics()).in_flight).toBe(1);
  expect(await cancel('credential-v1')).toMatchObject({ status: 200, result: { status: 'cancelled' } });
  expect(await running).toMatchObject({ result: { action_id: id, status: 'cancelled' } });
});

test('F-163 F-164 an envelope that fails recipient, route, work, credential and approval is refused for the first of them', async () => {
  const { action, record } = approvedRefund(1100);
  const kept = { route: { ...current, approval_authorization: record } };
  expect(await testbed.central.send(action, kept)).toMatchObject({ status: 200 });
  const conflict = { ...record, updated_at: [2026, 1, 0, 0, 0, 0, 0, 0, 0] };
  const denied = { credential_revision_ref: 'credential-v0' };
  const unfit = { ...denied, approval_authorization: conflict, action_id: newId('action') };
  const elsewhere = { to: { id: 'agent:else', kind: 'agent' as const } };
  const code = async (changes: Changes) => (await testbed.central.send(action, changes)).error?.code;
  const mismatch = 'connector_host.route_mismatch';
  expect(await code({ envelope: elsewhere, route: { ...unfit, tenant_id: 'tenant-b' } })).toBe(mismatch);
  expect(await code({ route: { ...unfit, tenant_id: 'tenant-b' } })).toBe(mismatch);
  expect(await code({ route: unfit })).toBe(mismatch);
  expect(await code({ route: { ...denied, approval_authorization: conflict } })).toBe(
    'connector_host.credential_revision_denied',
  );
  expect(await code({ route: { ...current, approval_authorization: conflict } })).toBe(
    'connector_host.approval_authorization_conflict',
  );
});

test('F-164 F-163 route and work decide before credential and approval', async () => {
  const mismatch = { status: 403, error: { code: 'connector_host.route_mismatch' } };
  const route = { action_id: newId('action'), credential_revision_ref: 'credential-v0' };
  expect((await flaky({ route })).answer).toMatchObject(mismatch);
  expect((await flaky({ route: { ...route, tenant_id: 'tenant-b' } })).answer).toMatchObject(mismatch);
});

test('F-160 an action with its exact approval record is executed, again with the same result', async () => {
  const { action, record } = approvedRefund(1200);
  const send = () => testbed.central.send(action, { route: { ...current, approval_authorization: record } });
  const first = await send();
  expect(first).toMatchObject({ status: 200, result: { status: 'completed', output: { amount_minor: 1200 } } });
  expect((await send()).result).toEqual(first.result);
});

test.each<[string, (made: ReturnType<typeof approvedRefund>) => unknown]>([
  ['is missing', () => undefined],
  ['is not approved', ({ record }) => ({ ...record, status: 'pending' })],
  ['holds another decision', ({ record }) => ({ ...record, decision: { ...record.decision, reason: 'other' } })],
  ['belongs to another action', ({ record }) => ({ ...record, request: { ...record.request, action_id: 'act_x' } })],
  [
    'belongs to another capability',
    ({ record }) => ({ ...record, request: { ...record.request, capability_id: 'x' } }),
  ],
  [
    'belongs to another tenant',
    ({ record }) => ({ ...record, request: { ...record.request, identity: { tenant: { id: 'tenant-b' } } } }),
  ],
  ['has another policy hash', ({ record }) => ({ ...record, request: { ...record.request, policy_hash: 'x' } })],
  ['holds no vote', ({ record }) => ({ ...record, decisions: [] })],
  [
    'holds a vote of somebody without authority',
    ({ record }) => ({
      ...record,
      decisions: record.decisions.map((vote) => ({ ...vote, authority: { ...vote.authority, roles: ['guest'] } })),
    }),
  ],
  [
    'holds too few approvers',
    ({ record }) => ({
      ...record,
      request: {
        ...record.request,
        policy_snapshot: { required: true, minimum_distinct_principals: 2, separation_of_duties: {} },
      },
    }),
  ],
])('F-160 F-165 an approval record that %s is refused with 403 and nothing is called', async (_what, change) => {
  const made = approvedRefund(1300);
  const answer = await testbed.central.send(made.action, {
    route: { ...current, approval_authorization: change(made) },
  });
  expect(answer).toMatchObject({
    status: 403,
    signer: testbed.key.did,
    error: { code: 'connector_host.route_mismatch', retryable: false },
  });
  expect(await isJournaled(testbed, made.action.id)).toBe(false);
});

test('F-160 an approval record without an approval, and a capability that needs one without it, are refused with 403', async () => {
  const { action, record } = approvedRefund(1400);
  const { approval: _, ...bare } = action;
  const mismatch = { status: 403, error: { code: 'connector_host.route_mismatch' } };
  const unapproved = await testbed.central.send(bare, { route: { ...current, approval_authorization: record } });
  expect(unapproved).toMatchObject(mismatch);
  expect(await testbed.central.send(bare, { route: current })).toMatchObject(mismatch);
});

test('F-160 F-270 F-246 another record under a known approval id is a conflict with its own code', async () => {
  const { action, record } = approvedRefund(1500);
  const send = (approval: unknown) =>
    testbed.central.send(action, { route: { ...current, approval_authorization: approval } });
  expect(await send(record)).toMatchObject({ status: 200 });
  const { rejected_total: before = 0 } = await testbed.metrics();
  expect(await send({ ...record, updated_at: [2026, 1, 0, 0, 0, 0, 0, 0, 0] })).toMatchObject({
    status: 403,
    signer: testbed.key.did,
    error: { code: 'connector_host.approval_authorization_conflict', category: 'auth', retryable: false },
  });
  expect((await testbed.metrics()).rejected_total).toBe(before + 1);
});

test('F-160 F-246 F-270 an approval that cannot be kept is refused with 503 and its own code, and taken once it can', async () => {
  const { action, record } = approvedRefund(1600);
  const send = () => testbed.central.send(action, { route: { ...current, approval_authorization: record } });
  await testbed.pool.query(`
    CREATE FUNCTION aip_host.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'disk' USING ERRCODE = '53100'; END $$`);
  await testbed.pool.query(
    'CREATE TRIGGER refuse BEFORE INSERT ON aip_host.approvals FOR EACH ROW EXECUTE FUNCTION aip_host.refuse()',
  );
  const { rejected_total: before = 0 } = await testbed.metrics();
  expect(await send()).toMatchObject({
    status: 503,
    signer: testbed.key.did,
    error: { code: 'connector_host.approval_authorization_unavailable', retryable: true },
  });
  expect((await testbed.metrics()).rejected_total).toBe(before + 1);
  expect(await isJournaled(testbed, action.id)).toBe(false);
  await testbed.pool.query('DROP TRIGGER refuse ON aip_host.approvals');
  expect(await send()).toMatchObject({ status: 200, result: { status: 'completed' } });
});
