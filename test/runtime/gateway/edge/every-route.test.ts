import { afterAll, beforeAll, expect, test } from 'vitest';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { until } from '../../../support/until.ts';
import {
  actionEnvelope,
  errorOf,
  type HttpGateway,
  principalEntry,
  startHttpGateway,
  TOKEN,
} from '../support/gateway.ts';

const V1 = '/aip/v1';
/** Every list, with the members that a page has. */
const LISTS: Record<string, string> = {
  '/actions': 'actions',
  '/events': 'events',
  '/sessions': 'sessions',
  '/approvals': 'approvals',
  '/callback-deliveries': 'deliveries',
  '/audit/events': 'events',
  '/resources': 'resources',
};
/** Every route that reads one thing by an id with a documented prefix, and an id of another kind. */
const BY_TYPED_ID = [
  '/actions/txn_1',
  '/actions/txn_1/result',
  '/actions/txn_1/events',
  '/actions/txn_1/chunks',
  '/sessions/act_1',
  '/approvals/act_1',
  '/transactions/act_1',
  '/transactions/by-action/txn_1',
  '/receipts/by-receipt/act_1',
];
/** Every route that reads one thing by an id without a prefix. */
const BY_PLAIN_ID = ['/transactions/by-plan/x', '/callback-deliveries/x', '/receipts/x', '/resources/x'];
/** Every boolean of every route. */
const FLAGS: Record<string, readonly string[]> = {
  '/actions': ['include_results', 'include_receipts'],
  '/actions/act_1': ['include_result', 'include_receipts', 'include_chunks'],
  '/actions/act_1/result': ['include_receipt', 'include_terminal_events'],
  '/actions/act_1/events': ['include_chunks', 'follow'],
  '/actions/act_1/chunks': ['follow'],
  '/events': ['follow'],
  '/approvals': ['include_action_status', 'include_receipts'],
  '/approvals/appr_1': ['include_action_status', 'include_receipts', 'include_evidence_payload'],
  '/transactions/txn_1': ['include_result', 'include_receipts'],
  '/transactions/by-plan/x': ['include_result', 'include_receipts'],
  '/transactions/by-action/act_1': ['include_result', 'include_receipts'],
  '/callback-deliveries': ['include_receipts'],
  '/callback-deliveries/x': ['include_receipts'],
  '/audit/events': ['include_receipts', 'export'],
};
/** Every filter that is an id with a documented prefix. */
const TYPED_FILTERS: Record<string, readonly string[]> = {
  '/actions': ['session_id', 'approval_id', 'transaction_id'],
  '/callback-deliveries': ['action_id'],
  '/audit/events': ['action_id', 'session_id', 'transaction_id'],
};
/** Every filter that is one of known words. */
const WORDS: Record<string, readonly string[]> = {
  '/actions': ['state'],
  '/sessions': ['status'],
  '/approvals': ['status'],
  '/callback-deliveries': ['status'],
  '/manifest': ['risk', 'side_effect'],
};
/** Every route that takes a tenant. */
const TENANTED = [
  ...Object.keys(LISTS).filter((path) => !['/events', '/sessions'].includes(path)),
  '/actions/act_1',
  '/actions/act_1/result',
  '/actions/act_1/events',
  '/actions/act_1/chunks',
  '/approvals/appr_1',
  '/transactions/txn_1',
  '/transactions/by-plan/x',
  '/transactions/by-action/act_1',
  '/callback-deliveries/x',
  '/resources/x',
];
const PAGED = [...Object.keys(LISTS), '/actions/act_1/events', '/actions/act_1/chunks'];

let gateway: HttpGateway;
beforeAll(async () => {
  gateway = await startHttpGateway({
    principals: [principalEntry('stranger', { tenant_id: 'globex', scopes: ['*'] })],
  });
});
afterAll(() => gateway?.stop());

const get = (path: string, token: string | undefined = TOKEN) => gateway.call('GET', V1 + path, { token });

async function refused(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const answer = await get(path);
    expect([path, answer.status, errorOf(answer).code]).toEqual([path, 400, 'query.invalid']);
  }
}
const withValue = (parameters: Record<string, readonly string[]>, value: string): string[] =>
  Object.entries(parameters).flatMap(([path, names]) => names.map((name) => `${path}?${name}=${value}`));

test('N-004 part: actions, events, sessions, approvals, deliveries, audit events and resources are listed; transactions, receipts and the catalog are queried', async () => {
  for (const [path, member] of Object.entries(LISTS)) {
    const answer = await get(path);
    expect([path, answer.status, Array.isArray(answer.body[member])]).toEqual([path, 200, true]);
  }
  expect(errorOf(await get('/transactions/txn_none')).code).toBe('transaction.not_found');
  expect(errorOf(await get('/receipts/none')).code).toBe('receipt.not_found');
  // This gateway has no fleet, and the catalog says so in its own form.
  const catalog = await get('/capabilities');
  expect([catalog.status, catalog.body.error.code]).toEqual([404, 'connector_catalog.disabled']);
});

test('N-321 every route answers 401 without a credential and with a wrong one, before it checks anything else', async () => {
  const paths = [
    ...Object.keys(LISTS),
    ...BY_TYPED_ID,
    ...BY_PLAIN_ID,
    ...withValue(FLAGS, 'wrong'),
    '/actions?unknown=1',
    '/ws',
  ];
  for (const path of paths)
    for (const token of [undefined, 'wrong']) {
      const answer = await gateway.call('GET', V1 + path, { token });
      expect([path, answer.status]).toEqual([path, 401]);
      expect(errorOf(answer)).toMatchObject({ code: 'auth.native_http_unauthorized', category: 'auth' });
    }
  const catalog = await gateway.call('GET', `${V1}/capabilities`);
  expect([catalog.status, catalog.body.error.code]).toEqual([401, 'auth.native_http_unauthorized']);
  for (const path of [
    '/actions',
    '/actions/act_1/cancel',
    '/sessions/sess_1/close',
    '/sessions/sess_1/resume',
    '/sessions/sess_1:close',
    '/sessions/sess_1:resume',
  ])
    expect([path, (await gateway.call('POST', V1 + path, { body: {} })).status]).toEqual([path, 401]);
});

test('N-330 the tenant of the static credential holds on every route: where one is named, and where none can be', async () => {
  for (const path of TENANTED) {
    const foreign = await get(`${path}?tenant_id=globex`);
    expect([path, foreign.status, errorOf(foreign).code]).toEqual([path, 401, 'auth.tenant_mismatch']);
    const own = await get(`${path}?tenant_id=acme`);
    if (own.status !== 200) expect([path, errorOf(own).code]).toEqual([path, expect.stringContaining('not_found')]);
  }
  const send = async (body: object) =>
    (await gateway.call('POST', `${V1}/messages`, { token: 'stranger', body })).body.body;
  const me = { id: 'human:stranger', kind: 'human' };
  const { action_result: result } = await send(actionEnvelope());
  const { handshake_response: opened } = await send(
    newEnvelope(
      { handshake: { client: me, purpose: 'tests', profiles: ['aip.native.http.v1'] } } as never,
      {},
      { clock: Date.now },
    ),
  );
  for (const [path, code] of [
    [`/actions/${result.action_id}`, 'action.not_found'],
    [`/receipts/action:${result.action_id}`, 'receipt.not_found'],
    [`/receipts/by-receipt/rcpt_${result.action_id}_action_accepted`, 'receipt.not_found'],
    [`/sessions/${opened.session_id}`, 'session.not_found'],
  ] as const) {
    expect([path, (await get(path, 'stranger')).status]).toEqual([path, 200]);
    expect([path, errorOf(await get(path)).code]).toEqual([path, code]);
  }
  for (const path of [`/actions/${result.action_id}/cancel`, `/sessions/${opened.session_id}/close`]) {
    const answer = await gateway.call('POST', V1 + path, { token: TOKEN, body: {} });
    expect([path, errorOf(answer).code]).toEqual([path, expect.stringContaining('not_found')]);
  }
  expect(JSON.stringify((await get('/sessions')).body)).not.toContain(opened.session_id);
  await until('the events are settled', async () =>
    JSON.stringify((await get('/events?limit=1000', 'stranger')).body).includes(result.action_id),
  );
  expect(JSON.stringify((await get('/events?limit=1000')).body)).not.toContain(result.action_id);
});

test('N-388 an identifier in the path that is not of its kind is refused with 400', async () => {
  await refused([
    ...BY_TYPED_ID,
    ...BY_TYPED_ID.map((path) => path.replace(/(txn|act)_1/, `$1_${'x'.repeat(256)}`)),
    ...BY_PLAIN_ID.map((path) => path.replace(/x$/, 'x'.repeat(257))),
    ...BY_PLAIN_ID.map((path) => path.replace(/x$/, 'x%01')),
  ]);
});

test('N-389 a filter that is an identifier of another kind is refused with 400', () =>
  refused([...withValue(TYPED_FILTERS, 'other_1'), ...withValue(TYPED_FILTERS, '')]));

test('N-390 a filter that names no known word is refused with 400', () => refused(withValue(WORDS, 'sleeping')));

test('N-391 a boolean that is neither true nor false is refused with 400', () =>
  refused([...withValue(FLAGS, '1'), ...withValue(FLAGS, 'TRUE'), ...withValue(FLAGS, 'yes')]));

test('N-392 a limit or wait_ms that is not a whole number is refused with 400', () =>
  refused([
    ...PAGED.flatMap((path) => ['ten', '1.5', '', '1e2'].map((value) => `${path}?limit=${value}`)),
    ...['/actions/act_1', '/actions/act_1/result'].flatMap((path) =>
      ['x', '1.5', ''].map((value) => `${path}?wait_ms=${value}`),
    ),
  ]));

test('D-06 an unknown or repeated parameter of any route is refused with 400', () =>
  refused(
    [...Object.keys(LISTS), ...Object.keys(FLAGS), ...BY_PLAIN_ID].flatMap((path) => [
      `${path}?unknown=1`,
      ...(FLAGS[path] ?? []).map((name) => `${path}?${name}=true&${name}=true`),
    ]),
  ));
