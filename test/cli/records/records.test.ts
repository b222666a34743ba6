import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertTransaction, newTransaction } from '#runtime/gateway/actions/transaction/record.js';
import { receiptOf } from '#runtime/gateway/actions/transaction/step/evidence.js';
import { insertDeliveries } from '#runtime/gateway/callbacks/record.js';
import { appendReceipts } from '#runtime/gateway/records/receipts/append.js';
import { openPool } from '#runtime/postgres/pool.js';
import { newEnvelope, signEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Body, Handshake, ReceiptChain } from '#runtime/protocol/types.js';
import { newDelivery } from '../../runtime/gateway/callbacks/support.ts';
import { CLI, type Dev, startDev } from '../../support/dev.ts';
import { isOnPath } from '../../support/process/on-path.ts';
import { openOnTerminal } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';
import { runCli, startCli } from '../support/run-cli.ts';

let dev: Dev;
let folder: string;
/** An action that ended, and one that waits for a person. */
let ended: string;
let waiting: string;
let approval: string;
let session: string;
let delivery: string;
let transaction: string;

/** The demo, and a connector that offers resources. */
const DOCUMENTS = [
  { name: 'demo', annotations: {}, type: 'demo', config: {}, replicas: 2 },
  {
    name: 'library',
    annotations: {
      'fleet.aip.dev/module': resolve(import.meta.dirname, '..', '..', 'support', 'connectors', 'library-connector.ts'),
    },
    type: 'library',
    config: { edition: 'first' },
    replicas: 1,
  },
]
  .map(({ name, annotations, type, config, replicas }) =>
    JSON.stringify({
      apiVersion: 'fleet.aip.dev/v1alpha1',
      kind: 'ConnectorInstance',
      metadata: { name, annotations },
      spec: { connector: { type, version: '1.0.0' }, tenantId: 'demo', replicas, config },
    }),
  )
  .join('\n---\n');

/** Opens a session of the operator, as a client does. */
async function openSession(): Promise<string> {
  const handshake = {
    client: { id: 'human:operator:demo', kind: 'human' },
    purpose: 'records',
    profiles: ['aip.native.http.v1'],
  } satisfies Handshake;
  const answer = await fetch(`${dev.ready.gateway_url}/aip/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${dev.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(newEnvelope({ handshake }, {}, { clock: Date.now })),
  });
  const { body } = (await answer.json()) as { body: { handshake_response: { session_id: string } } };
  return body.handshake_response.session_id;
}

const OPERATOR = { tenant_id: 'demo', principal_id: 'human:operator:demo', principal_kind: 'human' } as const;

/** A committed transaction of the operator, with its receipt. */
async function storeTransaction(): Promise<string> {
  const id = newId('transaction');
  const action_id = newId('action');
  const made = newTransaction(OPERATOR, id, {
    action_id,
    capability_id: 'cap:demo:refund',
    mode: 'commit',
    status: 'committed',
    request: { id: action_id, capability_id: 'cap:demo:refund', input: {}, transaction: { mode: 'commit' } },
    result: { action_id, status: 'completed', output: { paid: true } },
    effect: true,
    created_at: Date.now(),
    updated_at: Date.now(),
  });
  const pool = openPool({ url: dev.ready.database_url, max: 1 });
  await pool
    .tx(async (client) => {
      await insertTransaction(client, made);
      const owner = { tenantId: OPERATOR.tenant_id, principalId: OPERATOR.principal_id };
      const receipt = receiptOf(made, { id: OPERATOR.principal_id, kind: OPERATOR.principal_kind }, null);
      await appendReceipts(client, owner, [receipt]);
    })
    .finally(() => pool.close());
  return id;
}

/** A delivery of the operator that waits for its attempt. */
async function storeDelivery(): Promise<string> {
  const pool = openPool({ url: dev.ready.database_url, max: 1 });
  const stored = newDelivery(
    { profile: 'aip.native.http.v1', target: 'https://client.example/callback' },
    { ...OPERATOR, action_id: ended },
  );
  await insertDeliveries(pool, [stored]).finally(() => pool.close());
  return stored.delivery_id;
}

const aip = (...args: string[]) => runCli([...args, '--data', dev.dataDir]);
const json = async <T = Record<string, unknown>>(...args: string[]): Promise<T> =>
  (await aip(...args, '--json')).json() as T;
const submit = async (capability: string, input: unknown, ...more: string[]) =>
  (await json<{ action_id: string }>('actions', 'submit', capability, '--input', JSON.stringify(input), ...more))
    .action_id;
const refund = (order: string) =>
  submit('cap:demo:refund', { order, amount_minor: 100, currency: 'EUR' }, '--idempotency-key', order);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-records-'));
  dev = await startDev({ documents: DOCUMENTS });
  ended = await submit('cap:demo:echo', { text: 'hello' });
  waiting = await refund('o-1');
  approval = (await aip('approvals', 'list', '--status', 'pending', '-o', 'name')).stdout.trim();
  session = await openSession();
  delivery = await storeDelivery();
  transaction = await storeTransaction();
});
afterAll(async () => {
  await dev?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('approvals', () => {
  test('one that is approved lets its action run; the requester is not who decides', async () => {
    const id = await refund('o-2');
    const action = await json<{ approval_id: string }>('actions', 'get', id);
    const asked = await aip('approvals', 'approve', action.approval_id);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('--yes');
    expect(asked.stderr).toContain('cap:demo:refund');
    const decided = await json<{ status: string; decision: { approver: { id: string }; reason: string } }>(
      ...['approvals', 'approve', action.approval_id, '--yes', '--reason', 'checked'],
    );
    expect(decided).toMatchObject({
      status: 'approved',
      decision: { approver: { id: 'human:approver:demo' }, reason: 'checked' },
    });
    await until('it ran', async () => (await json('actions', 'get', id)).state === 'completed');
    const explained = await aip('actions', 'explain', id);
    expect(explained.stdout).toContain('human:approver:demo approved');
    // Accepted before it was approved, though it started afterwards.
    const [accepted = '', approved = ''] = [/accepted at (\S+)\./, /approved at (\S+):/].map(
      (pattern) => pattern.exec(explained.stdout)?.[1],
    );
    expect(Date.parse(accepted)).toBeLessThan(Date.parse(approved));
    const again = await aip('approvals', 'approve', action.approval_id, '--yes');
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('is approved');
  });

  test('get --evidence shows the input, as the approver of aip dev; a token that was given stays', async () => {
    const seen = await aip('approvals', 'get', approval, '--evidence');
    expect(seen.code).toBe(0);
    expect(seen.stdout).toContain('"currency": "EUR"');
    const token = join(dev.dataDir, 'tokens', 'demo');
    expect((await aip('approvals', 'get', approval, '--evidence', '--token-file', token)).code).toBe(8);
  });

  test('one that is denied ends its action; waiting for it exits with 8', async () => {
    const id = await refund('o-3');
    const { approval_id: named } = await json<{ approval_id: string }>('actions', 'get', id);
    expect((await aip('approvals', 'deny', named, '--yes', '--reason', 'no receipt')).code).toBe(0);
    await until('it ended', async () => (await aip('actions', 'get', id, '--exit-status')).code === 8);
  });

  test('a submit that waits names the command that approves', async () => {
    const run = await aip(
      'actions',
      'submit',
      'cap:demo:refund',
      '--idempotency-key',
      'o-4',
      '--input',
      '{"order":"o-4","amount_minor":1,"currency":"EUR"}',
    );
    expect(run.code).toBe(6);
    expect(run.stdout).toMatch(/aip approvals approve appr_[0-9a-f]{32}/);
  });

  test('on a terminal the question is asked, and no is no', async () => {
    const terminal = openOnTerminal(['approvals', 'approve', approval, '--data', dev.dataDir], { columns: 100 });
    await until('it asks', () => terminal.screen().includes('[y/N]'));
    terminal.type('n\n');
    const { screen, code } = await terminal.ended;
    // Whoever decides sees what about.
    expect(screen).toContain('"currency": "EUR"');
    expect(screen).toContain('Nothing was done.');
    expect(code).toBe(1);
    expect(await json('approvals', 'get', approval)).toMatchObject({ status: 'pending' });
  });
});

describe('receipts offline', () => {
  test('a chain in a file verifies without a gateway; one that was changed does not', async () => {
    const file = join(folder, 'receipts.json');
    expect((await aip('receipts', 'get', ended, '--output-file', file)).code).toBe(0);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const alone = { env: { XDG_STATE_HOME: folder, AIP_CONFIG: join(folder, 'none.yaml') } };
    const good = await runCli(['receipts', 'verify', file, '--json'], alone);
    expect(good.json()).toMatchObject({ verified: true, chains: [{ verified: true }] });
    expect(good.code).toBe(0);
    await writeFile(file, (await readFile(file, 'utf8')).replace('human:operator:demo', 'human:someone:else'));
    const bad = await runCli(['receipts', 'verify', file], alone);
    expect(bad.code).toBe(8);
    expect(bad.stdout).toContain('was changed: its hash is wrong');
    const none = await runCli(['receipts', 'verify', join(folder, 'nothing.json')], alone);
    const id = await runCli(['receipts', 'verify', 'act_01a2051a8f767add84f7216b9aabe178'], alone);
    expect(id.stderr).toContain('receipts get act_01a2051a8f767add84f7216b9aabe178` reads its receipts');
    expect(none.code).toBe(2);
    const typed = await runCli(['receipts', 'verify', '-'], { ...alone, input: 'no chain\n' });
    expect(typed.code).toBe(2);
    expect(typed.stderr).toContain('Standard input is not JSON: ');
  });
});

test('receipts are found by the beginning of a receipt, of what they are about, or of their chain', async () => {
  const chain = await json<{ chain_id: string; receipts: { id: string }[] }>('receipts', 'get', ended);
  const receipt = chain.receipts[0]?.id as string;
  for (const text of [ended.slice(0, -3), `action:${ended.slice(0, -3)}`, receipt, receipt.slice(0, -3)])
    expect(await json<object>('receipts', 'get', text), text).toMatchObject({ chain_id: chain.chain_id });
  const [approval] = (await json<{ approvals: { request: { id: string } }[] }>('approvals', 'list')).approvals;
  const id = approval?.request.id as string;
  expect(await json<object>('receipts', 'get', id)).toMatchObject({ chain_id: `approval:${id}` });
  const none = await aip('receipts', 'get', 'rcpt_zzz');
  expect(none.code).toBe(2);
  expect(none.stderr).toMatch(/There is no receipt rcpt_zzz that you may see\.\s+`.*receipts get ACTION -o name`/);
  const several = await aip('receipts', 'get', 'rcpt_');
  expect(several.code).toBe(2);
});

describe('receipts in a signed envelope', () => {
  const key = signingKeyFromSeed('cd'.repeat(32));

  test('verify when a trusted DID signed it, and not when a stranger did or something was changed', async () => {
    const file = join(folder, 'envelope.json');
    const chain = (await aip('receipts', 'get', ended, '--json')).json();
    const body: Body = { audit_query_result: { events: [], receipt_chains: [chain as unknown as ReceiptChain] } };
    const envelope = await signEnvelope(
      newEnvelope(body, {}, { clock: Date.now }),
      { id: 'service:archive', kind: 'service' },
      key,
    );
    await writeFile(file, JSON.stringify(envelope));
    const verify = (...more: string[]) =>
      runCli(['receipts', 'verify', file, ...more], { env: { XDG_STATE_HOME: folder } });
    const good = await verify('--trust', key.did);
    expect(good.stdout).toContain(`✓ signed by ${key.did}`);
    expect(good.code).toBe(0);
    const stranger = await verify('--trust', dev.ready.gateway.did, '--json');
    expect(stranger.json()).toMatchObject({ verified: false, signature: { did: key.did } });
    expect(stranger.code).toBe(8);
    await writeFile(file, JSON.stringify({ ...envelope, sent_at: '2026-01-01T00:00:00Z' }));
    const changed = await verify('--trust', key.did);
    expect(changed.stdout).toContain(`the signature of ${key.did} is wrong`);
    expect(changed.code).toBe(8);
  });
});

describe('sessions', () => {
  test('one that is closed is cancelled permanently', async () => {
    const id = await openSession();
    const closed = await aip('sessions', 'close', id, '--reason', 'the desk is closed');
    expect(closed.stdout).toBe(`cancelled ${id}\n`);
    expect(await json('sessions', 'get', id)).toMatchObject({ session_id: id, status: 'cancelled' });
    const unknown = await aip('sessions', 'close', newId('session'));
    expect(unknown.code).toBe(1);
    expect((await aip('sessions', 'get', ended)).stderr).toContain('those begin with sess_');
  });
});

test('a transaction is found by the id of its action too, and shows verified receipts', async () => {
  const { action_id: action } = await json<{ action_id: string }>('transactions', 'get', transaction);
  const shown = await aip('transactions', 'get', action, '--receipts');
  expect(shown.stdout).toContain(transaction);
  expect(shown.stdout).toContain('chain verified');
  const none = await aip('transactions', 'get', newId('transaction'));
  expect(none.code).toBe(1);
  expect(none.stderr).toContain('transaction.not_found');
});

test('a resource is read in one form; one that does not exist is an error', async () => {
  expect(await json('resources', 'read', 'res:library:handbook')).toMatchObject({
    resource: { id: 'res:library:handbook' },
  });
  expect((await aip('resources', 'read', 'res:library:none')).code).toBe(1);
});

test('a transaction that an action belongs to is named by the beginning of its id', async () => {
  const pool = openPool({ url: dev.ready.database_url, max: 1 });
  const { action_id: action } = await json<{ action_id: string }>('transactions', 'get', transaction);
  await pool
    .query({
      text: 'UPDATE runtime.actions SET transaction_id = $1 WHERE action_id = $2',
      values: [transaction, ended],
    })
    .finally(() => pool.close());
  const named = async (text: string) => (await aip('transactions', 'get', text, '-o', 'name')).stdout.trim();
  expect(await named(transaction.slice(0, -3))).toBe(transaction);
  expect(await named(action)).toBe(transaction);
  const listed = await aip('actions', 'list', '--transaction', transaction.slice(0, -3), '-o', 'name');
  expect(listed.stdout.trim()).toBe(ended);
  const none = await aip('transactions', 'get', 'txn_zzz');
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('There is no transaction txn_zzz');
});

test('an export without the right to data says that data was left out, and so does its verification', async () => {
  const { token } = await json<{ token: string }>(
    ...['tokens', 'create', '--tenant', 'demo', '--scopes', 'audit:export', '--principal', 'human:operator:demo'],
  );
  const run = await until('the gateway knows the token', async () => {
    const found = await runCli(['audit', '--export', '--gateway', dev.ready.gateway_url], {
      env: { AIP_TOKEN: token },
    });
    return found.code === 0 && found;
  });
  expect(run.stderr).toMatch(/The data of \d+ receipts was left out.*audit:sensitive/);
  const file = join(folder, 'audit-without-data.ndjson');
  await writeFile(file, run.stdout);
  const verified = await runCli(['receipts', 'verify', file]);
  expect(verified.code).toBe(8);
  expect(verified.stdout).toContain('was left out, so their hashes cannot be checked');
  expect(verified.stdout).not.toContain('was changed');
});

test('an export of the audit is JSON lines whose receipts verify offline', async () => {
  const file = join(folder, 'audit.ndjson');
  const { token } = await json<{ token: string }>(
    ...['tokens', 'create', '--tenant', 'demo', '--scopes', 'audit:export,audit:sensitive,audit:read', '--principal'],
    'human:operator:demo',
  );
  const run = await until('the gateway knows the token', async () => {
    const found = await runCli(['audit', '--export', '--gateway', dev.ready.gateway_url], {
      env: { AIP_TOKEN: token },
    });
    return found.code === 0 && found;
  });
  const lines = run.lines();
  expect(lines.some(({ event }) => event !== undefined)).toBe(true);
  const chains = lines.flatMap(({ receipt_chain: chain }) => (chain === undefined ? [] : [chain]));
  expect(chains.length).toBeGreaterThan(0);
  await writeFile(file, run.stdout);
  const verified = await runCli(['receipts', 'verify', file, '--json']);
  expect(verified.json()).toMatchObject({ verified: true });
  expect(verified.json().chains).toHaveLength(chains.length);
  const wrong = await aip('audit', '--export', '--since', 'soon');
  expect(wrong.code).toBe(2);
});

test('dev psql asks the database of the fleet and never shows its password', async () => {
  const psql = (query: string) => runCli(['dev', 'psql', '--data', dev.dataDir, '--', '-Atc', query]);
  const run = await psql('select count(*) > 0 from runtime.actions');
  const several = ['-At', '-c', 'select 1', '-c', 'select 2', '-F', ','];
  const both = await runCli(['dev', 'psql', '--data', dev.dataDir, '--', ...several]);
  if (isOnPath('psql')) expect([run.stdout, both.stdout, run.code, both.code]).toEqual(['t\n', '1\n2\n', 0, 0]);
  else expect([run.stderr, run.code]).toEqual([expect.stringContaining('There is no psql on this machine'), 2]);
  const failed = await psql('nonsense');
  expect(failed.code).not.toBe(0);
  expect(failed.stderr).not.toContain(new URL(dev.ready.database_url).password);
  expect((await runCli(['dev', 'psql', '--data', folder])).code).not.toBe(0);
});

test('dev logs continues with what comes, and knows no other programs', async () => {
  const following = startCli(['dev', 'logs', '-f', '--tail', '0', '--json', '--level', 'trace', '--data', dev.dataDir]);
  await until('a new line is shown', async () => {
    await submit('cap:demo:flaky', { mode: 'permanent' });
    return following.text().includes('\n');
  });
  expect((await following.stop()).code).toBe(130);
  const none = await aip('dev', 'logs', 'librari');
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('Did you mean');
});

test('dev reset empties no folder in use, and asks before it empties another', async () => {
  const busy = await aip('dev', 'reset', '--yes');
  expect(busy.code).toBe(2);
  expect(busy.stderr).toContain('aip dev stop');
  const left = join(folder, 'left');
  await mkdir(join(left, 'keys'), { recursive: true, mode: 0o700 });
  await writeFile(join(left, 'keys', 'gateway.seed'), 'seed');
  expect((await runCli(['dev', 'reset', '--data', left])).stderr).toContain('--yes');
  expect(await readdir(join(left, 'keys'))).toHaveLength(1);
  const emptied = await runCli(['dev', 'reset', '--data', left, '--yes']);
  expect(emptied.stdout).toContain(`Emptied ${left}`);
  await expect(stat(join(left, 'keys', 'gateway.seed'))).rejects.toThrow('ENOENT');
});

test('an expired token is reported with its end, unlike a wrong one', async () => {
  const made = await json<{ token: string; expires_at: string }>(
    ...['tokens', 'create', '--tenant', 'demo', '--scopes', 'operator', '--expires-in', '1s'],
  );
  const list = (token: string) =>
    runCli(['actions', 'list', '--gateway', dev.ready.gateway_url], { env: { AIP_TOKEN: token } });
  const expired = await until('it is expired', async () => {
    const run = await list(made.token);
    return run.stderr.includes('expired at') && run;
  });
  expect(expired.code).toBe(8);
  expect(expired.stderr).toContain('the token of AIP_TOKEN was sent');
  const wrong = await list('nonsense');
  expect(wrong.code).toBe(8);
  expect(wrong.stderr).not.toContain('expired');
});

test('doctor without a fleet says so once, and how to start one', async () => {
  const run = await runCli(['doctor', '--json'], {
    env: { XDG_STATE_HOME: folder, AIP_CONFIG: join(folder, 'none.yaml'), AIP_DEV_DATA: join(folder, 'none') },
  });
  expect(run.code).toBe(1);
  const { findings } = run.json() as { findings: { check: string; verdict: string; advice?: string }[] };
  expect(findings.map(({ check, verdict }) => `${check} ${verdict}`)).toEqual(['node ok', 'contexts ok', 'fleet fail']);
  expect(findings.at(-1)?.advice).toContain('aip dev --demo');
});

test('the example call of every capability is accepted as it is printed', async () => {
  const { capabilities } = await json<{ capabilities: { capability: { id: string } }[] }>('capabilities');
  const { execFile } = await import('node:child_process');
  for (const { capability } of capabilities.filter(({ capability: { id } }) => id.startsWith('cap:demo:'))) {
    const shown = (await aip('capabilities', 'get', capability.id)).stdout;
    const words = shown.split('\n').find((line) => line.includes(`actions submit ${capability.id}`)) ?? '';
    const call = words.slice(words.indexOf('actions submit')).replace(' --follow', '');
    const answer = await new Promise<string>((done) =>
      execFile(
        'bash',
        ['-c', `"$0" "$1" ${call} --json --data "$2"`, process.execPath, CLI, dev.dataDir],
        (_error, out) => done(out),
      ),
    );
    expect(JSON.parse(answer), `${call}: ${answer}`).toMatchObject({
      state: expect.stringMatching(/^(completed|accepted|queued|running|pending_approval)$/),
    });
  }
});

describe('streams of the whole tenant', () => {
  test('events follow shows what comes, once, and only the requested kinds', async () => {
    const following = startCli(['events', 'follow', '--json', '--kind', 'aip.action.result', '--data', dev.dataDir]);
    let id = '';
    await until('an event of a new action is shown', async () => {
      id = await submit('cap:demo:echo', { text: 'followed' });
      return following.lines().some((line) => (line.event as { action_id?: string } | undefined)?.action_id === id);
    });
    const run = await following.stop();
    expect(run.code).toBe(130);
    const kinds = new Set(run.lines().map((line) => (line.event as { kind: string }).kind));
    expect([...kinds]).toEqual(['aip.action.result']);
  });

  test('events follow --since begins earlier', async () => {
    const following = startCli(['events', 'follow', '--json', '--since', '1h', '--data', dev.dataDir]);
    await until('an earlier event is shown', () =>
      following.lines().some((line) => (line.event as { action_id?: string } | undefined)?.action_id === ended),
    );
    expect((await following.stop()).code).toBe(130);
  });
});

test('approvals, sessions and deliveries are named by the beginning of their id, when it is that of one alone', async () => {
  expect((await aip('approvals', 'get', approval.slice(0, -3), '-o', 'name')).stdout.trim()).toBe(approval);
  expect((await aip('sessions', 'get', session.slice(0, -3), '-o', 'name')).stdout.trim()).toBe(session);
  const order = await refund('o-prefix');
  const { approval_id: named } = await json<{ approval_id: string }>('actions', 'get', order);
  expect(await json('approvals', 'deny', named.slice(0, -3), '--yes')).toMatchObject({
    status: 'denied',
    request: { id: named },
  });
  expect((await aip('deliveries', 'get', delivery.slice(0, -3), '-o', 'name')).stdout.trim()).toBe(delivery);
  const ofSession = await aip('actions', 'list', '--session', session.slice(0, -3), '--json');
  expect(ofSession.json(), ofSession.stderr).toMatchObject({ total_size: 0 });
  const ofApproval = await json<{ actions: object[] }>('actions', 'list', '--approval', approval.slice(0, -3));
  expect(ofApproval.actions).toMatchObject([{ action_id: waiting }]);
  const many = await aip('approvals', 'get', 'appr_0');
  expect(many.code).toBe(2);
  expect(many.stderr).toContain('is the beginning of several approvals');
  const none = await aip('sessions', 'get', 'sess_zzz');
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('There is no session sess_zzz');
});

describe('results', () => {
  test('are passed on as they come, to a file or a pipe', async () => {
    const file = join(folder, 'result.json');
    expect((await aip('actions', 'result', ended, '--output-file', file)).code).toBe(0);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ action_id: ended, status: 'completed' });
    expect(JSON.parse((await aip('actions', 'result', ended, '--raw')).stdout)).toMatchObject({ action_id: ended });
    const nowhere = await aip('actions', 'result', ended, '--output-file', join(folder, 'no', 'where.json'));
    expect(nowhere.code).toBe(2);
    expect(nowhere.stderr).toContain('no such file or folder');
  });
});

test('fleet status names what a replica failed at, its open circuit and the version that is wanted', async () => {
  const pool = openPool({ url: dev.ready.database_url, max: 1 });
  const [replica] = dev.ready.instances.find(({ name }) => name === 'library')?.replicas ?? [];
  const id = replica?.replica_id as string;
  const change = (sql: string, values: unknown[]) => pool.query(sql, values);
  try {
    // The route of an action that fails stays.
    await submit('cap:library:broken', {});
    await change(`UPDATE registry.assignments SET settlement = 'unreached', reserved = false WHERE replica_id = $1`, [
      id,
    ]);
    await change(
      `UPDATE registry.replicas SET consecutive_failures = 3, circuit_open_until = extract(epoch FROM now()) * 1000 + 3600000 WHERE id = $1`,
      [id],
    );
    const all = await json<{ replicas: { replica_id: string }[] }>('fleet', 'status');
    const row = all.replicas.find(({ replica_id }) => replica_id === id);
    expect(row).toMatchObject({
      consecutive_failures: 3,
      last_failure: { kind: 'unreached', at: expect.stringMatching(/Z$/) },
      wanted_version: '1.0.0',
    });
    expect((row as unknown as { circuit_open_ms: number }).circuit_open_ms).toBeGreaterThan(0);
    const shown = await aip('fleet', 'status');
    expect(shown.stdout).toMatch(/CIRCUIT +LAST FAILURE/);
    expect(shown.stdout).toMatch(/library-\S+ +ready +\d+s +\S+ +open \S+.* +unreached \d+\w ago/);
    for (const columns of [60, 100]) {
      const { lines } = await openOnTerminal(['fleet', 'status', '--data', dev.dataDir], { columns, rows: 200 }).ended;
      for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(columns);
    }
    await change('UPDATE registry.assignments SET updated_at = updated_at - 86400000 WHERE replica_id = $1', [id]);
    const later = await json<typeof all>('fleet', 'status');
    expect(later.replicas.find(({ replica_id }) => replica_id === id)).toMatchObject({ last_failure: null });
  } finally {
    await change('UPDATE registry.replicas SET consecutive_failures = 0, circuit_open_until = 0 WHERE id = $1', [id]);
    await pool.close();
  }
});

describe('replicas', () => {
  test('one that is drained takes no work until it is resumed, and its instance says that it was drained', async () => {
    const [name = ''] = (await aip('fleet', 'replicas', '-o', 'name')).stdout.trim().split('\n');
    const fleet = () =>
      json<{
        replicas: { replica: string; state: string; desired: string }[];
        instances: { name: string; conditions: { type: string; reason: string; message: string }[] }[];
      }>('fleet', 'status');
    const shown = async () => (await fleet()).replicas.find(({ replica }) => replica === name);
    const ready = async () =>
      (await fleet()).instances
        .find((instance) => name.startsWith(`${instance.name}-`))
        ?.conditions.find(({ type }) => type === 'Ready');
    expect(await shown()).toMatchObject({ state: 'ready', desired: 'ready' });
    expect((await aip('fleet', 'drain', name)).code).toBe(0);
    await until('it is offline', async () => (await shown())?.state === 'offline');
    expect((await shown())?.desired).toBe('drained');
    expect((await aip('fleet', 'status')).stdout).toContain('offline (cordoned)');
    await until('its instance says why', async () => (await ready())?.reason === 'ReplicasCordoned');
    expect((await ready())?.message).toContain(`drained by hand: ${name}`);
    expect((await aip('fleet', 'resume', name)).code).toBe(0);
    await until('it is ready again', async () => (await shown())?.state === 'ready');
    expect((await shown())?.desired).toBe('ready');
    const wrong = await aip('fleet', 'drain', `${name}x`);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain(`Did you mean ${name}`);
  });
});

describe('tokens and keys', () => {
  test('a token is listed without itself, and refused once it is revoked', async () => {
    const created = await json<{ token: string; expires_at: string }>(
      'tokens',
      'create',
      '--tenant',
      'demo',
      '--scopes',
      'action:read',
      '--principal',
      'agent:reader',
    );
    const days = (Date.parse(created.expires_at) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(90);
    const { tokens } = await json<{ tokens: { id: string; principal_id: string }[] }>('tokens', 'list');
    const mine = tokens.find(({ principal_id }) => principal_id === 'agent:reader');
    expect(JSON.stringify(tokens)).not.toContain(created.token);
    const list = () =>
      runCli(['actions', 'list', '--gateway', dev.ready.gateway_url], { env: { AIP_TOKEN: created.token } });
    await until('it is known', async () => (await list()).code === 0);
    expect((await aip('tokens', 'revoke', mine?.id as string, '--yes')).code).toBe(0);
    const refused = await until('it is refused', async () => {
      const run = await list();
      return run.code === 8 && run;
    });
    expect(refused.stderr).toContain('the token of AIP_TOKEN was sent');
    expect((await aip('tokens', 'revoke', 'agent:reader', '--yes')).code).toBe(2);
  });

  test('a scope that no gateway knows is named with the one that was meant', async () => {
    const run = await aip('tokens', 'create', '--tenant', 'demo', '--scopes', 'action:raed');
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('Did you mean action:read?');
  });

  test('a key has a private seed and a public DID, and is never overwritten', async () => {
    const file = join(folder, 'agent.seed');
    const made = await runCli(['keys', 'generate', '--output-file', file]);
    expect(made.stdout.trim()).toMatch(/^did:key:z6Mk/);
    expect(made.stdout + made.stderr).not.toContain((await readFile(file, 'utf8')).trim());
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await runCli(['keys', 'did', file])).stdout).toBe(made.stdout);
    const again = await runCli(['keys', 'generate', '--output-file', file]);
    expect(again.code).toBe(2);
    expect((await runCli(['keys', 'did', join(folder, 'none')])).code).toBe(2);
  });
});

describe('the raw API', () => {
  test('answers as the gateway does, errors too', async () => {
    expect((await aip('api', 'GET', `/aip/v1/actions/${ended}`)).json()).toMatchObject({ action_id: ended });
    const missing = await aip('api', 'get', '/aip/v1/actions?nonsense=1');
    expect(missing.json()).toMatchObject({ error: { code: 'query.invalid' } });
    expect(missing.code).toBe(1);
    expect((await aip('api', 'PUT', '/')).code).toBe(2);
  });

  test('a submit is printed as a curl command that works', async () => {
    const { stdout } = await aip(
      'actions',
      'submit',
      'cap:demo:echo',
      '--input',
      '{"text":"it\'s curl"}',
      '--print-curl',
    );
    expect(stdout).toContain('curl --fail-with-body');
    expect(stdout).not.toContain(dev.token);
    const { execFile } = await import('node:child_process');
    const answer = await new Promise<string>((done) =>
      execFile('bash', ['-c', `${stdout} -s`.replace('\n -s', ' -s')], (_error, out) => done(out)),
    );
    expect(JSON.parse(answer)).toMatchObject({ body: { action_result: { status: 'completed' } } });
  });
});

test('a capability that is mistyped is named; a missing input is shown as an example', async () => {
  const near = await aip('actions', 'submit', 'cap:demo:ecko', '--input', '{}');
  expect(near.code).not.toBe(0);
  const unknown = await aip('capabilities', 'get', 'cap:demo:ecko');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('Did you mean cap:demo:echo');
  const missing = await aip('actions', 'submit', 'cap:demo:count');
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain(`actions submit cap:demo:count --input '{"n":3}'`);
  const keyed = await aip('actions', 'submit', 'cap:demo:refund');
  expect(keyed.code).toBe(2);
  expect(keyed.stderr).toMatch(/submit cap:demo:refund --input '.*' --idempotency-key \S+/);
});

describe('an input that is missing on a terminal', () => {
  const ask = (capability: string) =>
    openOnTerminal(['actions', 'submit', capability, '--data', dev.dataDir], { columns: 100 });

  test('is prompted for member by member, again until it fits, and then sent', async () => {
    const terminal = ask('cap:demo:count');
    await until('it asks', () => terminal.screen().includes('n: '));
    expect(terminal.screen()).toContain('such as 3');
    terminal.type('many\n');
    await until('it asks again', () => /n is not JSON.*n: /s.test(terminal.screen()));
    terminal.type('-1\n');
    await until('it asks a third time', () => terminal.screen().split('n: ').length === 4);
    terminal.type('2\n');
    const { code, screen } = await terminal.ended;
    expect(code, screen).toBe(0);
    expect(screen).toMatch(/completed act_/);
  });

  test('is prompted for only once there is the idempotency key that the capability needs', async () => {
    const { code, screen } = await ask('cap:demo:refund').ended;
    expect(code).toBe(2);
    expect(screen).toContain('cap:demo:refund needs an idempotency key.');
    expect(screen).toContain('--idempotency-key KEY');
    expect(screen).not.toContain('order: ');
  });

  test('is sent nowhere after Ctrl-C or at the end of what is typed', async () => {
    const interrupted = ask('cap:demo:count');
    await until('it asks', () => interrupted.screen().includes('n: '));
    interrupted.interrupt();
    const first = await interrupted.ended;
    expect(first.code).toBe(130);
    expect(first.screen).toContain('nothing was done');
    const closed = ask('cap:demo:count');
    await until('it asks', () => closed.screen().includes('n: '));
    closed.type('\u0004');
    expect((await closed.ended).code).toBe(1);
  });
});

test('a member of a resource file that is mistyped is named with the one that was meant', async () => {
  const file = join(folder, 'mistyped.yaml');
  await writeFile(file, DOCUMENTS.replaceAll('"tenantId"', '"tenantID"'));
  const run = await aip('dev', 'apply', '-f', file);
  expect(run.code).toBe(2);
  expect(run.stderr).toMatch(/mistyped\.yaml:1.*unknown member "tenantID"\. Did you mean tenantId\?/);
});

test('https against a port that speaks http says so', async () => {
  const run = await runCli(['actions', 'list', '--gateway', dev.ready.gateway_url.replace('http:', 'https:')]);
  expect(run.code).toBe(7);
  expect(run.stderr).toContain('that port speaks http, not https');
  expect(run.stderr).toContain(dev.ready.gateway_url);
  expect(run.stderr).not.toContain('SSL routines');
});

test('a refused submit names no action that nobody stored', async () => {
  const run = await aip('actions', 'submit', 'cap:demo:count', '--input', '{"m":1}');
  expect(run.stdout).not.toMatch(/act_/);
  expect(run.stdout).toContain('nothing was stored');
  expect(run.stdout).toContain('aip capabilities get cap:demo:count');
});

test('a submit that lacks its idempotency key says how to give one', async () => {
  const run = await aip('actions', 'submit', 'cap:demo:refund', '--input', '{"order":"o-1","amount_minor":3}');
  expect(run.code).toBe(8);
  expect(run.stdout).toContain('nothing was stored');
  expect(run.stdout).toContain('--idempotency-key KEY');
});

test('completion offers ids and capabilities of the fleet', async () => {
  const complete = async (...words: string[]) => (await runCli(['__complete', ...words])).stdout.split('\n');
  expect(await complete('actions', 'submit', '--data', dev.dataDir, 'cap:demo:e')).toContain('cap:demo:echo');
  expect(await complete('actions', 'get', '--data', dev.dataDir, 'act_')).toContain(ended);
  expect(await complete('approvals', 'approve', '--data', dev.dataDir, 'appr_')).toContain(approval);
});
