import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  cancelAction,
  followAction,
  type Gateway,
  getAction,
  getReceipts,
  getResult,
  listActions,
  openGateway,
} from '@aip/runtime/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { findPython } from '../../../scripts/install/python-venv.ts';
import {
  actionEnvelope,
  type HttpGateway,
  principalEntry,
  startHttpGateway,
} from '../../runtime/gateway/support/gateway.ts';
import { runProgram } from '../../system/clients/fleet.ts';
import { runCli } from '../support/run-cli.ts';

const PYTHON = findPython();
const TENANTS = ['acme', 'globex'];
let gateway: HttpGateway;
let folder: string;
/** An action of this id is in each tenant. */
const id = newId('action');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-tenants-'));
  await writeFile(join(folder, 'token'), 'operator', { mode: 0o600 });
  gateway = await startHttpGateway({
    principals: [
      ...TENANTS.map((tenant_id) => principalEntry(tenant_id, { tenant_id, scopes: ['*'] })),
      principalEntry('operator', { scopes: ['*'] }),
    ],
  });
  for (const token of TENANTS) {
    const { status } = await gateway.call('POST', '/aip/v1/actions', { token, body: actionEnvelope({ id }) });
    expect(status).toBe(200);
  }
});
afterAll(async () => {
  await gateway?.stop();
  await rm(folder, { recursive: true, force: true });
});

const operator = (tenantId?: string): Gateway => openGateway({ url: gateway.url, token: 'operator', tenantId });
const aip = (...args: string[]) =>
  runCli([...args, '--gateway', gateway.url, '--token-file', join(folder, 'token'), '--json']);

test('a client of several tenants names the tenant once, and reads, follows and cancels its record of an id', async () => {
  await expect(getAction(operator(), id)).rejects.toMatchObject({ code: 'query.invalid' });
  for (const tenant of TENANTS) {
    const client = operator(tenant);
    expect((await getAction(client, id, { receipts: true })).receipt_chain?.receipts[0]?.actor.id).toBe(
      `human:${tenant}`,
    );
    expect((await getResult(client, id)).status).toBe('completed');
    expect((await getReceipts(client, id)).receipts[0]?.actor.id).toBe(`human:${tenant}`);
    expect((await cancelAction(client, id)).status).toBe('completed');
    expect((await listActions(client)).actions.map(({ action_id }) => action_id)).toEqual([id]);
    const kinds = [];
    for await (const item of followAction(client, id)) kinds.push(item.kind);
    expect(kinds.at(-1)).toBe('terminal');
  }
  // A route without the parameter gets none.
  expect(await operator('acme').request({ path: '/aip/v1/events', query: { limit: 1 } })).toHaveProperty('events');
});

test.each(TENANTS)('--tenant %s names the record that a command of an operator means', async (tenant) => {
  const receipts = await aip('receipts', 'get', id, '--tenant', tenant);
  expect([receipts.code, JSON.parse(receipts.stdout).receipts[0].actor.id]).toEqual([0, `human:${tenant}`]);
  const shown = await aip('actions', 'get', id, '--receipts', '--tenant', tenant);
  expect([shown.code, JSON.parse(shown.stdout).receipt_chain.receipts[0].actor.id]).toEqual([0, `human:${tenant}`]);
});

test('without --tenant an id that several tenants use is refused with the advice to name one', async () => {
  const refused = await aip('actions', 'get', id);
  expect(refused.code).not.toBe(0);
  expect(`${refused.stdout}${refused.stderr}`).toContain('tenant_id');
});

test.skipIf(PYTHON === undefined)('the Python client names the tenant once too', async () => {
  const source = `
import sys
from aip_fleet import AipError, Client
url, id = sys.argv[1:]
with Client(url, token="operator") as client:
    try:
        client.get(id)
    except AipError as error:
        print(error.code)
for tenant in ("acme", "globex"):
    with Client(url, token="operator", tenant_id=tenant) as client:
        chain = client.get(id, receipts=True)["receipt_chain"]
        print(chain["receipts"][0]["actor"]["id"], client.receipts("action:" + id)["receipts"][0]["actor"]["id"])
        print(client.result(id)["status"], client.cancel(id)["status"], len(client.list()["actions"]))
`;
  const env = { ...process.env, PYTHONPATH: 'clients/python/src', PYTHONDONTWRITEBYTECODE: '1' };
  const ran = await runProgram(PYTHON as string, ['-c', source, gateway.url, id], { cwd: process.cwd(), env });
  expect(ran).toEqual({
    code: 0,
    output: [
      'query.invalid',
      'human:acme human:acme',
      'completed completed 1',
      'human:globex human:globex',
      'completed completed 1',
      '',
    ].join('\n'),
  });
});
