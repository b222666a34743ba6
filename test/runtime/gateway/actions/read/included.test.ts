import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import type { Body } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';
import { actionEnvelope, type HttpGateway, startHttpGateway, TOKEN } from '../../support/gateway.ts';

let gateway: HttpGateway;
let pool: Pool;
let id: string;
beforeAll(async () => {
  gateway = await startHttpGateway({ env: { AIP_GATEWAY_POSTGRES_STATEMENT_TIMEOUT_MS: '60000' } });
  pool = openPool({ url: gateway.databaseUrl, max: 1 });
  const envelope = actionEnvelope();
  id = (envelope.body as { action: { id: string } }).action.id;
  expect((await gateway.call('POST', '/aip/v1/actions', { token: TOKEN, body: envelope })).status).toBe(200);
  // Another tenant has an action of the same id.
  for (const [sequence, tenant] of ['acme', 'globex'].entries())
    await pool.query(
      `INSERT INTO runtime.chunks (action_id, tenant_key, sequence, kind, received_at, record) VALUES ($1, $2, $3, 'data', 1, $4)`,
      [id, tenant, sequence, JSON.stringify({ action_id: id, sequence, kind: 'data', data: { of: tenant } })],
    );
});
afterAll(async () => {
  await pool?.close();
  await gateway?.stop();
});

/** The members of one action or result as a route gives it. */
async function membersOf(path: string, of = (body: Record<string, unknown>) => body): Promise<string[]> {
  const { status, body } = await gateway.call('GET', `/aip/v1/actions${path}`, { token: TOKEN });
  expect([path, status]).toEqual([path, 200]);
  return Object.keys(of(body));
}
const MEMBERS = { include_result: 'result', include_receipts: 'receipt_chain', include_chunks: 'chunks' };

test('N-108 N-109 N-110 each flag of the status route adds its own member, and the view has none of them without it', async () => {
  const added = Object.values(MEMBERS);
  const plain = await membersOf(`/${id}`);
  expect(plain.filter((name) => added.includes(name))).toEqual([]);
  for (const [flag, member] of Object.entries(MEMBERS)) {
    expect((await membersOf(`/${id}?${flag}=true`)).filter((name) => !plain.includes(name))).toEqual([member]);
    expect(await membersOf(`/${id}?${flag}=false`)).toEqual(plain);
  }
});

test('the chunks in a status are those of the caller’s tenant alone, whatever other tenant has an action of the same id', async () => {
  const { body } = await gateway.call('GET', `/aip/v1/actions/${id}?include_chunks=true`, { token: TOKEN });
  expect(body.chunks).toEqual([{ action_id: id, sequence: 0, kind: 'data', data: { of: 'acme' } }]);
});

test('N-105 N-106 each flag of the list adds its own member to the rows, and they have none of them without it', async () => {
  const row = (body: Record<string, unknown>) => (body.actions as [Record<string, unknown>])[0];
  const plain = await membersOf('', row);
  for (const [flag, member] of [
    ['include_results', 'result'],
    ['include_receipts', 'receipt_chain'],
  ]) {
    expect(plain).not.toContain(member);
    expect((await membersOf(`?${flag}=true`, row)).filter((name) => !plain.includes(name))).toEqual([member]);
  }
});

test('N-114 a result that has a receipt shows it with include_receipt=true, and leaves it out with false', async () => {
  const envelope = actionEnvelope();
  const { id: other } = (envelope.body as { action: { id: string } }).action;
  expect((await gateway.call('POST', '/aip/v1/actions', { token: TOKEN, body: envelope })).status).toBe(200);
  const ofConnector = { id: 'rcpt_connector', hash: 'ab'.repeat(32) };
  await pool.query(
    `UPDATE runtime.actions SET result = (result::jsonb || jsonb_build_object('receipt', $2::jsonb))::json WHERE action_id = $1`,
    [other, JSON.stringify(ofConnector)],
  );
  const resultWith = async (flag: string) => {
    const { status, body } = await gateway.call('GET', `/aip/v1/actions/${other}/result?include_receipt=${flag}`, {
      token: TOKEN,
    });
    expect([flag, status, body.status]).toEqual([flag, 200, 'completed']);
    return body;
  };
  expect((await resultWith('true')).receipt).toMatchObject({ id: `rcpt_${other}_result_returned` });
  const without = await resultWith('false');
  for (const member of ['receipt', 'receipts']) expect(without).not.toHaveProperty(member);
});

test('N-114 N-115 D-08 each flag of the result route adds its own members, and no answer in an envelope has them', async () => {
  const plain = await membersOf(`/${id}/result`);
  const with_ = async (flag: string) =>
    (await membersOf(`/${id}/result?${flag}=true`)).filter((name) => !plain.includes(name)).sort();
  expect(await with_('include_terminal_events')).toEqual(['terminal_events']);
  expect(await with_('include_receipt')).toContain('receipts');
  const request = { action_id: id, include_receipt: true, include_terminal_events: true };
  const body = newEnvelope({ action_result_request: request } as Body, {}, { clock: Date.now });
  const answer = await gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body });
  expect([answer.status, check('Envelope', answer.body)]).toEqual([200, []]);
  const { action_result: result } = answer.body.body as { action_result: Record<string, unknown> };
  for (const member of ['receipts', 'terminal_events']) expect(result).not.toHaveProperty(member);
});
