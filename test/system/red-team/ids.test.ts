import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendEvents } from '#runtime/gateway/events/log/append.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { formatTime } from '#runtime/protocol/time.js';
import {
  actionEnvelope,
  errorOf,
  type HttpGateway,
  principalEntry,
  startHttpGateway,
} from '../../runtime/gateway/support/gateway.ts';
import { until } from '../../support/until.ts';

let gateway: HttpGateway;
let pool: Pool;

beforeAll(async () => {
  const entry = (token: string, tenant_id: string) => principalEntry(token, { tenant_id, scopes: ['*'] });
  gateway = await startHttpGateway({
    principals: [entry('ann', 'acme'), entry('gus', 'globex'), entry('gil', 'globex')],
  });
  pool = openPool({ url: gateway.databaseUrl, max: 2 });
});
afterAll(async () => {
  await pool?.close();
  await gateway?.stop();
});

const submit = (token: string, messageId: string) =>
  gateway.call('POST', '/aip/v1/actions', { token, body: actionEnvelope({}, { message_id: messageId }) });

test('N-335 a message id of one tenant is neither taken nor revealed to another; within the tenant it is used once', async () => {
  const id = newId('message');
  const both = await Promise.all([submit('ann', id), submit('gus', id)]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  for (const token of ['ann', 'gus', 'gil']) {
    const again = await submit(token, id);
    expect([again.status, errorOf(again).code]).toEqual([401, 'replay.message_id']);
  }
});

test('an action id of one tenant is neither taken nor revealed to another; within the tenant it names one action', async () => {
  const id = newId('action');
  const submit = (token: string) => gateway.call('POST', '/aip/v1/actions', { token, body: actionEnvelope({ id }) });
  // The attacker is first; a stranger's probe before and after gets one answer.
  expect((await submit('gus')).status).toBe(200);
  const probe = async (of: string, path: string) => {
    const { status, body } = await gateway.call('GET', `/aip/v1/actions/${of}${path}`, { token: 'ann' });
    return JSON.stringify([status, body.body ?? body]).replaceAll(of, 'ID');
  };
  for (const path of ['', '/result', '/events', '/chunks'])
    expect(await probe(id, path)).toBe(await probe(newId('action'), path));
  const own = await submit('ann');
  expect([own.status, own.body.body.action_result]).toMatchObject([200, { action_id: id, status: 'completed' }]);
  for (const token of ['ann', 'gus']) {
    const found = await gateway.call('GET', `/aip/v1/actions/${id}?include_receipts=true`, { token });
    expect(found.body).toMatchObject({ action_id: id, state: 'completed' });
    expect(found.body.receipt_chain.receipts[0].actor.id).toBe(`human:${token}`);
  }
  // Another principal of the tenant may not use it again.
  const again = await submit('gil');
  expect([again.status, errorOf(again).code]).toEqual([400, 'action.id_conflict']);
});

test('N-135 part: a page that resumes after an event id continues after the caller’s own event of that id', async () => {
  const event = (kind: string, id = newId('event')) => ({ id, kind, occurred_at: formatTime(Date.now()) });
  const shared = newId('event');
  await pool.tx((client) =>
    appendEvents(client, [
      { event: event('test.first', shared), tenantId: 'globex' },
      { event: event('test.second'), tenantId: 'globex' },
      { event: event('test.first', shared), tenantId: 'acme' },
      { event: event('test.second'), tenantId: 'acme' },
    ]),
  );
  for (const token of ['ann', 'gus']) {
    // A transaction of another test in the same server keeps events from being shown for a while.
    const kinds = await until('the events are shown', async () => {
      const page = await gateway.call('GET', '/aip/v1/events?kinds=test.first,test.second', {
        token,
        headers: { 'last-event-id': shared },
      });
      return page.body.events.length > 0 && page.body.events.map(({ kind }: { kind: string }) => kind);
    });
    expect(kinds).toEqual(['test.second']);
  }
});
