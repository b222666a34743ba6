import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { json, type ScriptedGateway, scriptedGateway } from '../support/scripted-gateway.ts';

const ID = `appr_${'a'.repeat(32)}`;
const REQUEST = {
  id: ID,
  action_id: 'act_1',
  capability_id: 'cap:shop:pay',
  reason: 'money leaves the account',
  risk: 'high',
  requester: { id: 'agent:planner', kind: 'agent' },
  approver_selector: {},
  policy_hash: `sha256:${'b'.repeat(64)}`,
};

let folder: string;
let gateway: ScriptedGateway;
let status: string;
let refused: Record<string, unknown> | undefined;
/** The token of a context is an operator's; one from elsewhere does not say whose it is. */
let env: Record<string, string>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-approver-'));
  status = 'pending';
  refused = undefined;
  gateway = await scriptedGateway(({ method, path }, response) => {
    if (method === 'POST') return refused ? json(response, { error: refused }, 403) : json(response, {});
    const view = { request: REQUEST, status, created_at: '2026-11-21T15:00:00Z' };
    json(response, path.endsWith(ID) ? view : { approvals: [view], total_size: 1 });
  });
  const context = { name: 'shop', gateway_url: gateway.url, token: 't', tenant: 'acme' };
  const file = join(folder, 'contexts.yaml');
  await writeFile(file, JSON.stringify({ current: 'shop', contexts: [context] }), { mode: 0o600 });
  env = { AIP_CONFIG: file, XDG_STATE_HOME: folder };
});
afterEach(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

const decisions = (): unknown[] =>
  gateway.seen
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => (body as { body: { approval_decision: unknown } }).body.approval_decision);

test("aip approvals list --mine lists what the context's operator may decide", async () => {
  const run = await runCli(['approvals', 'list', '--mine', '--status', 'pending', '-o', 'name'], { env });
  expect(run.stdout).toBe(`${ID}\n`);
  const [asked] = gateway.seen;
  expect(Object.fromEntries(asked?.query ?? [])).toMatchObject({ approver: 'human:operator:acme', status: 'pending' });
  await runCli(['approvals', 'list', '--approver', 'human:boss', '--requester', 'agent:planner'], { env });
  expect(Object.fromEntries(gateway.seen[1]?.query ?? [])).toMatchObject({
    approver: 'human:boss',
    requester: 'agent:planner',
  });
});

test('a decision names its id, who decides, why, and the policy that was shown', async () => {
  const args = ['approvals', 'approve', ID, '--yes', '--reason', 'checked', '--decision-id', 'msg_7'];
  const run = await runCli(args, { env });
  expect(run.code, run.stderr).toBe(0);
  await runCli(['approvals', 'deny', ID, '--yes', '--as', 'service:rules'], { env });
  expect(decisions()).toMatchObject([
    {
      approval_id: ID,
      decision: 'approved',
      decision_id: 'msg_7',
      reason: 'checked',
      approver: { id: 'human:operator:acme', kind: 'human' },
      policy_hash: REQUEST.policy_hash,
    },
    {
      decision: 'denied',
      decision_id: expect.stringMatching(/^msg_/),
      approver: { id: 'service:rules', kind: 'service' },
    },
  ]);
});

test.each<[string, () => string[], Record<string, string>, RegExp]>([
  ['without --yes in a pipe', () => [], {}, /--yes/],
  ['by a token that does not say whose it is', () => ['--yes'], { AIP_TOKEN: 'other' }, /Add --as PRINCIPAL/],
])('nothing is decided %s', async (_, more, changed, expected) => {
  const run = await runCli(['approvals', 'approve', ID, ...more()], { env: { ...env, ...changed } });
  expect(run.code).toBe(2);
  expect(run.stderr).toMatch(expected);
  expect(decisions()).toEqual([]);
});

test('what was decided before is not decided again', async () => {
  status = 'denied';
  const run = await runCli(['approvals', 'approve', ID, '--yes'], { env });
  expect(run.code).toBe(2);
  expect(run.stderr).toContain(`${ID} is denied; only a pending approval is decided.`);
  expect(decisions()).toEqual([]);
});

test('somebody who may not decide learns where it is said who may', async () => {
  refused = {
    code: 'policy.approver_unauthorized',
    message: 'the approver may not decide this approval',
    category: 'policy',
    retryable: false,
  };
  const run = await runCli(['approvals', 'approve', ID, '--yes'], { env });
  expect(run.code).not.toBe(0);
  expect(run.stderr).toContain('the approver may not decide this approval');
  expect(run.stderr).toContain('aip approvals get ID');
  expect(run.stderr).toContain('APPROVAL_AUTHORITY_FILE');
});
