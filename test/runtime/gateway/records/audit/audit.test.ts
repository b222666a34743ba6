import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Identity } from '#runtime/gateway/edge/identity.js';
import { retentionPass } from '#runtime/gateway/maintenance/retention.js';
import type { RetentionRules } from '#runtime/gateway/maintenance/retention-rules.js';
import { openMetrics } from '#runtime/gateway/metrics/metrics.js';
import { queryAudit } from '#runtime/gateway/records/audit/query.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { AuditEvent, Body } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';
import { until } from '../../../../support/until.ts';
import {
  type Answer,
  actionEnvelope,
  errorOf,
  type HttpGateway,
  principalEntry,
  startHttpGateway,
} from '../../support/gateway.ts';

const AUDIT = '/aip/v1/audit/events';

let gateway: HttpGateway;
let pool: Pool;
beforeAll(async () => {
  const entry = (name: string, scopes: string[], tenant_id = 'acme') => principalEntry(name, { tenant_id, scopes });
  gateway = await startHttpGateway({
    principals: [
      entry('reader', ['audit:read']),
      entry('writer', ['audit:read', 'audit:write', 'audit:sensitive']),
      entry('colleague', ['audit:read', 'audit:write']),
      entry('auditor', ['audit:read', 'audit:read:any', 'audit:sensitive']),
      entry('exporter', ['audit:export', 'audit:sensitive']),
      entry('blind', ['audit:export']),
      entry('cleared', ['audit:read', 'audit:read:any', 'data:sensitive:read']),
      entry('root', ['*']),
      entry('wide', ['audit:export:any', 'audit:sensitive']),
      entry('principals', ['audit:read', 'principal:read:any']),
      entry('scopeless', ['action:read']),
      entry('stranger', ['*'], 'globex'),
      entry('many', ['*'], 'bulk'),
      entry('keeper', ['*'], 'keepers'),
    ],
  });
  pool = openPool({ url: gateway.databaseUrl, max: 2 });
});
afterAll(async () => {
  await pool?.close();
  await gateway?.stop();
});

const get = (query = '', token = 'auditor'): Promise<Answer> => gateway.call('GET', `${AUDIT}${query}`, { token });
/** A caller who may see everything of a tenant. */
const everything = (tenantId: string): Identity => ({
  principal: { id: 'human:all', kind: 'human' },
  scopes: new Set(['*']),
  tenantId,
  roles: [],
  scheme: 'bearer',
});
const eventsOf = ({ body }: Answer): AuditEvent[] => body.events;
const ids = (answer: Answer): string[] => eventsOf(answer).map(({ id }) => id);

/** Runs an action of a principal and returns its id; its result leaves one audit event. */
async function act(token: string, fields: object = {}): Promise<string> {
  const envelope = actionEnvelope({}, fields);
  const answer = await gateway.call('POST', '/aip/v1/actions', { token, body: envelope });
  expect(answer.status).toBe(200);
  return (envelope.body as { action: { id: string } }).action.id;
}
const resultId = (actionId: string): string => `audit:action:${actionId}:result`;

function submit(token: string, event: Partial<AuditEvent>): Promise<Answer> {
  const body = {
    audit_event: {
      id: newId('event'),
      actor: { id: `human:${token}`, kind: 'human' },
      action: 'order.viewed',
      occurred_at: '2026-03-02T09:00:00Z',
      ...event,
    },
  };
  return gateway.call('POST', '/aip/v1/messages', { token, body: newEnvelope(body as Body, {}, { clock: Date.now }) });
}

test('N-196 N-197 the result of an action leaves one audit event, which is listed and found by the action', async () => {
  const id = await act('reader');
  const answer = await get(`?action_id=${id}`);
  expect(check('AuditQueryResult', answer.body)).toEqual([]);
  expect(eventsOf(answer)).toMatchObject([
    {
      id: resultId(id),
      actor: { id: 'human:reader', kind: 'human' },
      action: 'aip.action.result',
      data: { action_id: id, status: 'completed', error_code: null, receipt_chain_id: `action:${id}` },
    },
  ]);
  expect(ids(await get())).toContain(resultId(id));
});

test('N-208 part: an export takes audit:export or a wider scope, and the data a sensitive one', async () => {
  const id = await act('reader');
  for (const [token, status] of [
    ['exporter', 200],
    ['wide', 200],
    ['root', 200],
    ['reader', 401],
    ['cleared', 401],
    ['principals', 401],
  ] as const)
    for (const query of ['&export=true', '&include_receipts=true']) {
      const found = await get(`?action_id=${id}${query}`, token);
      expect([token, found.status]).toEqual([token, status]);
      if (status === 200) expect(ids(found)).toEqual([resultId(id)]);
    }
  expect(ids(await get(`?action_id=${id}`, 'principals'))).toEqual([resultId(id)]);
});

test('N-198 N-199 N-201 audit events are filtered by session, principal and transaction', async () => {
  const session_id = newId('session');
  const inSession = await act('reader', { session_id });
  const reported = (await submit('writer', { data: { order: { session_id } } })).body.body.audit_event.id;
  expect(ids(await get(`?session_id=${session_id}`))).toEqual([resultId(inSession), reported]);
  expect(ids(await get(`?session_id=${newId('session')}`))).toEqual([]);
  const colleague = await act('colleague');
  expect(ids(await get('?principal_id=human:colleague'))).toContain(resultId(colleague));
  expect(ids(await get('?principal_id=human:colleague'))).not.toContain(resultId(inSession));
  const transaction_id = newId('transaction');
  const stored = await submit('writer', { data: { order: { transaction_id } } });
  expect(ids(await get(`?transaction_id=${transaction_id}`))).toEqual([stored.body.body.audit_event.id]);
  expect(ids(await get(`?transaction_id=${newId('transaction')}`))).toEqual([]);
  expect(ids(await get(`?transaction_id=${transaction_id}&action_id=${inSession}`))).toEqual([]);
});

test('N-200 N-345 the own tenant is accepted; another tenant shows nothing of it', async () => {
  const own = await act('reader');
  const foreign = await act('stranger');
  expect(ids(await get('?tenant_id=acme'))).toContain(resultId(own));
  expect(errorOf(await get('?tenant_id=globex')).code).toBe('auth.tenant_mismatch');
  expect(ids(await get(`?action_id=${foreign}`))).toEqual([]);
  expect(ids(await get(`?action_id=${foreign}`, 'stranger'))).toEqual([resultId(foreign)]);
});

test('N-202 N-203 from and to bound the time, both included; another form gives 400', async () => {
  const at = async (occurred_at: string) =>
    (await submit('writer', { occurred_at })).body.body.audit_event.id as string;
  const times = ['2020-01-01T00:00:00Z', '2020-01-01T00:00:01Z', '2020-01-01T00:00:02Z'];
  const [first, second, third] = [
    await at(times[0] as string),
    await at(times[1] as string),
    await at(times[2] as string),
  ];
  const year = (from: string, to: string) => get(`?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`);
  expect(ids(await year(times[1] as string, '2020-12-31T00:00:00Z'))).toEqual([second, third]);
  expect(ids(await year('2019-01-01T00:00:00Z', times[1] as string))).toEqual([first, second]);
  expect(ids(await year('2020-01-01T01:00:01+01:00', times[1] as string))).toEqual([second]);
  for (const query of [
    '?from=yesterday',
    '?to=2020-01-01',
    '?from=1577836800',
    '?to=tomorrow',
    '?from=2020-01-02T00:00:00Z&to=2020-01-01T00:00:00Z',
  ]) {
    const answer = await get(query);
    expect([query, answer.status, errorOf(answer).code]).toEqual([query, 400, 'query.invalid']);
  }
  const alone = async (query: string) => ids(await get(`?principal_id=human:writer&${query}`));
  const from = await alone(`from=${times[1]}`);
  expect([from.includes(first), from.includes(second), from.includes(third)]).toEqual([false, true, true]);
  expect(await alone(`to=${times[1]}`)).toEqual([first, second]);
});

test('N-204 N-205 N-047 N-048 audit events continue at the cursor without loss or repeat, with at most limit rows', async () => {
  const session_id = newId('session');
  const written: string[] = [];
  for (let index = 0; index < 5; index += 1) written.push(resultId(await act('reader', { session_id })));
  const seen: string[] = [];
  const sizes: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await get(`?session_id=${session_id}&limit=2${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`);
    sizes.push(ids(page).length);
    seen.push(...ids(page));
    cursor = page.body.cursor;
  } while (cursor);
  expect(seen).toEqual(written);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2);
  const first = encodeURIComponent((await get(`?session_id=${session_id}&limit=2`)).body.cursor);
  for (const answer of [
    await get(`?session_id=${session_id}&cursor=${first}`, 'reader'),
    await get(`?cursor=${first}`),
    await get('?cursor=nonsense'),
  ])
    expect(errorOf(answer).code).toBe('query.cursor_invalid');
});

test('N-204 part: an event of a transaction that commits late is not passed over by a cursor', async () => {
  const insert = `INSERT INTO runtime.audit (audit_id, tenant_id, principal_id, action, occurred_at, record, submitted)
    VALUES ($1, 'late', 'human:x', 'x', 0, json_build_object('id', $1::text), true)`;
  const read = (query: object) => queryAudit(pool, everything('late'), query, Date.now());
  await pool.query(insert, ['first']);
  await until('the first is settled', async () => {
    const { rows } = await pool.query<{ settled: boolean }>(
      `SELECT xid < pg_snapshot_xmin(pg_current_snapshot()) AS settled FROM runtime.audit WHERE audit_id = 'first'`,
    );
    return rows[0]?.settled;
  });
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const late = pool.tx(async (client) => {
    await client.query(insert, ['late']);
    begun.resolve();
    await held.promise;
  });
  await begun.promise;
  for (const id of ['third', 'fourth']) await pool.query(insert, [id]);
  const page = await read({ limit: 2 });
  expect(page.events.map(({ id }) => id)).toEqual(['first']);
  held.resolve();
  await late;
  const rest = await read({ limit: 10, cursor: page.cursor });
  expect(rest.events.map(({ id }) => id)).toEqual(['late', 'third', 'fourth']);
});

test('N-204 part: a page that its size cuts short ends before what is not settled, and the next pages have the rest, each once', async () => {
  const insert = (id: string, padding: number) =>
    `INSERT INTO runtime.audit (audit_id, tenant_id, principal_id, action, occurred_at, record, submitted)
     VALUES ('${id}', 'large', 'human:x', 'x', 0, json_build_object('id', '${id}', 'data', repeat('x', ${padding})), true)`;
  const read = (cursor?: string) => queryAudit(pool, everything('large'), { limit: 1000, cursor }, Date.now());
  const isSettled = (id: string) =>
    until('it is settled', async () => {
      const { rows } = await pool.query<{ settled: boolean }>(
        'SELECT xid < pg_snapshot_xmin(pg_current_snapshot()) AS settled FROM runtime.audit WHERE audit_id = $1',
        [id],
      );
      return rows[0]?.settled;
    });
  await pool.query(insert('large-first', 0));
  await isSettled('large-first');
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const late = pool.tx(async (client) => {
    await client.query(insert('large-late', 0));
    begun.resolve();
    await held.promise;
  });
  await begun.promise;
  const large = Array.from({ length: 40 }, (_, n) => `large-${n}`);
  for (const id of large) await pool.query(insert(id, 250_000));
  const page = await read();
  held.resolve();
  await late;
  expect(page.events.map(({ id }) => id)).toEqual(['large-first']);
  await isSettled('large-39');
  const seen: string[] = [];
  let cursor = page.cursor;
  while (cursor !== undefined) {
    const next = await read(cursor);
    expect(Buffer.byteLength(JSON.stringify(next.events))).toBeLessThanOrEqual(8 * 1024 * 1024);
    seen.push(...next.events.map(({ id }) => id));
    cursor = next.cursor;
  }
  expect(seen).toEqual(['large-late', ...large]);
});

test('N-206 N-207 N-210 receipts come with include_receipts or with export, and not otherwise', async () => {
  const id = await act('exporter');
  const query = `?action_id=${id}`;
  for (const more of ['&include_receipts=true', '&export=true', '&export=true&include_receipts=false']) {
    const { receipt_chains } = (await get(query + more, 'exporter')).body;
    expect(receipt_chains.map(({ chain_id }: { chain_id: string }) => chain_id)).toEqual([`action:${id}`]);
    expect(verifyReceiptChain(receipt_chains[0])).toEqual({ ok: true });
  }
  const session_id = newId('session');
  const both = [await act('exporter', { session_id }), await act('exporter', { session_id })];
  const { receipt_chains: chains } = (await get(`?session_id=${session_id}&include_receipts=true`, 'exporter')).body;
  expect(chains.map(({ chain_id }: { chain_id: string }) => chain_id).toSorted()).toEqual(
    both.map((each) => `action:${each}`).toSorted(),
  );
  expect((await get(query)).body.receipt_chains).toBeUndefined();
  expect((await get(`${query}&include_receipts=false&export=false`)).body.receipt_chains).toBeUndefined();
});

test('N-208 N-209 receipts and export are refused to an ordinary reader, also to one of all principals', async () => {
  for (const token of ['reader', 'auditor'])
    for (const query of ['?include_receipts=true', '?export=true']) {
      const answer = await get(query, token);
      expect([answer.status, errorOf(answer).code]).toEqual([401, 'audit.not_authorized']);
    }
  expect(errorOf(await get('', 'scopeless')).code).toBe('audit.not_authorized');
  expect(errorOf(await get('', 'exporter')).code).toBe('audit.not_authorized');
});

test('N-211 N-212 N-340 a read is narrowed to the caller without a cross-principal scope, and shows others with one', async () => {
  const [own, other] = [await act('reader'), await act('colleague')];
  const narrowed = eventsOf(await get('', 'reader'));
  expect(new Set(narrowed.map(({ actor }) => actor.id))).toEqual(new Set(['human:reader']));
  expect(narrowed.map(({ id }) => id)).toContain(resultId(own));
  expect(ids(await get(`?action_id=${other}`, 'reader'))).toEqual([]);
  expect(errorOf(await get('?principal_id=human:colleague', 'reader')).code).toBe('audit.not_authorized');
  expect(ids(await get('?principal_id=human:reader', 'reader'))).toContain(resultId(own));
  for (const [token, query] of [
    ['auditor', ''],
    ['exporter', '&export=true'],
  ] as const) {
    expect(ids(await get(`?action_id=${other}${query}`, token))).toEqual([resultId(other)]);
    expect(ids(await get(`?action_id=${other}&principal_id=human:colleague${query}`, token))).toEqual([
      resultId(other),
    ]);
  }
});

test('data of events and receipts is left out for a reader without a sensitive scope, and shown with one', async () => {
  const id = await act('reader');
  expect(eventsOf(await get(`?action_id=${id}`, 'reader'))[0]).not.toHaveProperty('data');
  const exported = (await get(`?action_id=${id}&export=true`, 'blind')).body;
  expect(exported.events[0]).not.toHaveProperty('data');
  for (const receipt of exported.receipt_chains[0].receipts) expect(receipt).not.toHaveProperty('data');
  for (const token of ['auditor', 'cleared', 'root'])
    expect(eventsOf(await get(`?action_id=${id}`, token))[0]?.data).toMatchObject({ action_id: id });
  const [chain] = (await get(`?action_id=${id}&export=true`, 'root')).body.receipt_chains;
  for (const receipt of chain.receipts) expect(receipt).toHaveProperty('data');
});

test('a submitted audit event is stored without secrets and with the verified tenant, echoed, and found by its ids', async () => {
  const action_id = newId('action');
  const answer = await submit('writer', {
    identity: { tenant: { id: 'globex' } },
    data: { nested: [{ action_id }], password: 'x', api_key: 'y', headers: { authorization: 'z', kept: 1 } },
  });
  const stored = answer.body.body.audit_event;
  expect(stored).toMatchObject({
    actor: { id: 'human:writer', kind: 'human' },
    identity: { tenant: { id: 'acme' } },
    data: {
      nested: [{ action_id }],
      password: { redacted: true },
      api_key: { redacted: true },
      headers: { authorization: { redacted: true }, kept: 1 },
    },
  });
  expect(eventsOf(await get(`?action_id=${action_id}`))).toEqual([stored]);
  const events = await pool.query<{ record: string }>(
    `SELECT record::text AS record FROM runtime.events WHERE kind = 'aip.audit.event' AND principal_id = 'human:writer'`,
  );
  expect(events.rows.map(({ record }) => JSON.parse(record).data.id)).toContain(stored.id);
});

test('an audit event is its actor’s own, needs audit:write, and one id names one event of a tenant', async () => {
  expect(errorOf(await submit('reader', {})).code).toBe('audit.not_authorized');
  const forged = await submit('writer', { actor: { id: 'human:colleague', kind: 'human' } });
  expect(errorOf(forged).code).toBe('auth.actor_mismatch');
  const id = newId('event');
  expect((await submit('writer', { id })).status).toBe(200);
  expect((await submit('writer', { id })).status).toBe(200);
  expect(errorOf(await submit('writer', { id, action: 'order.deleted' })).code).toBe('audit.id_conflict');
  expect(errorOf(await submit('colleague', { id })).code).toBe('audit.id_conflict');
  expect((await submit('stranger', { id })).status).toBe(200);
  expect(ids(await get()).filter((each) => each === id)).toHaveLength(1);
});

test('a submitted event cannot take the id of an event that the server writes', async () => {
  const action_id = newId('action');
  await submit('writer', { id: resultId(action_id) });
  const envelope = actionEnvelope({ id: action_id });
  const answer = await gateway.call('POST', '/aip/v1/actions', { token: 'reader', body: envelope });
  expect(answer.body.body.action_result.status).toBe('completed');
  expect(ids(await get('?principal_id=human:reader'))).toContain(resultId(action_id));
});

test('a submitted event that names a chain of others does not show it', async () => {
  const foreign = await act('stranger');
  const stored = await submit('writer', { data: { chain_id: `action:${foreign}` } });
  const { id } = stored.body.body.audit_event;
  const { events, receipt_chains } = (await get('?export=true&principal_id=human:writer', 'exporter')).body;
  expect(events.map((event: AuditEvent) => event.id)).toContain(id);
  expect((receipt_chains ?? []).map(({ chain_id }: { chain_id: string }) => chain_id)).not.toContain(
    `action:${foreign}`,
  );
});

test('N-418 pages have 100 rows by default; limit 0 acts as 1 and 1001 as 1000', async () => {
  await pool.query(
    `INSERT INTO runtime.audit (audit_id, tenant_id, principal_id, action, occurred_at, record)
     SELECT 'bulk' || n, 'bulk', 'human:many', 'x', n, json_build_object('id', 'bulk' || n) FROM generate_series(1, 1002) AS n`,
  );
  const size = async (query: string) => ids(await get(query, 'many')).length;
  expect(await size('')).toBe(100);
  expect(await size('?limit=0')).toBe(1);
  expect(await size('?limit=1000')).toBe(1000);
  expect(await size('?limit=1001')).toBe(1000);
});

test('N-321 part: audit answers 401 without a credential; what is not valid 400; other methods 405', async () => {
  expect((await gateway.call('GET', AUDIT)).status).toBe(401);
  for (const query of ['?action_id=x', '?session_id=x', '?transaction_id=x', '?export=1', '?limit=x', '?unknown=1'])
    expect([query, errorOf(await get(query)).code]).toEqual([query, 'query.invalid']);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expect((await gateway.call(method, AUDIT, { token: 'auditor', body: {} })).status).toBe(405);
});

test('an audit_query_request is answered as a message too', async () => {
  const id = await act('reader');
  const body = { audit_query_request: { action_id: id, export: true } } as Body;
  const answer = await gateway.call('POST', '/aip/v1/messages', {
    token: 'exporter',
    body: newEnvelope(body, {}, { clock: Date.now }),
  });
  expect(answer.body.body.audit_query_result).toMatchObject({
    events: [{ id: resultId(id) }],
    receipt_chains: [{ chain_id: `action:${id}` }],
  });
});

/** Every event that the caller sees, read in pages of one. */
async function pages(token: string, from = ''): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | undefined = from; cursor !== undefined; ) {
    const answer: Answer = await get(`?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`, token);
    seen.push(...ids(answer));
    cursor = answer.body.cursor;
  }
  return seen;
}

test('audit events of results are one log with all others, each once and in order, also after the events of the results were removed', async () => {
  const DAY = 86_400_000;
  const remove = (rules: RetentionRules) =>
    retentionPass({ pool, rules, metrics: openMetrics(), clock: () => Date.now() + 2 * DAY });
  const written: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    written.push(resultId(await act('keeper')));
    written.push((await submit('keeper', { data: {} })).body.body.audit_event.id);
  }
  expect(await pages('keeper')).toEqual(written);
  const first = await get('?limit=3', 'keeper');
  expect(ids(first)).toEqual(written.slice(0, 3));
  const stored = async (table: string) => {
    const { rows } = await pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM runtime.${table} WHERE tenant_id = 'keepers'
        AND ${table === 'events' ? 'audit IS NOT NULL' : "action = 'aip.action.result'"}`,
    );
    return rows[0]?.n;
  };
  expect([await stored('events'), await stored('audit')]).toEqual([4, 0]);
  await remove({ eventsMs: DAY });
  expect([await stored('events'), await stored('audit')]).toEqual([0, 4]);
  const numbers = await pool.query<{ shared: number }>(
    'SELECT count(*)::int AS shared FROM runtime.audit a JOIN runtime.events e USING (seq)',
  );
  expect(numbers.rows).toEqual([{ shared: 0 }]);
  expect(await pages('keeper')).toEqual(written);
  expect(await pages('keeper', first.body.cursor)).toEqual(written.slice(3));
  const last = await act('keeper');
  expect(await pages('keeper')).toEqual([...written, resultId(last)]);
  expect(ids(await get(`?action_id=${written[0]?.split(':')[2]}`, 'keeper'))).toEqual([written[0]]);
  await remove({ eventsMs: DAY, auditMs: DAY });
  expect([await stored('events'), await stored('audit')]).toEqual([0, 0]);
});

test('times of a query hold for audit events of results as for others', async () => {
  const before = new Date(Date.now() - 1000).toISOString();
  const id = await act('keeper');
  const [found] = eventsOf(await get(`?action_id=${id}`, 'keeper'));
  const at = found?.occurred_at as string;
  const asked = async (from: string, to: string) => ids(await get(`?action_id=${id}&from=${from}&to=${to}`, 'keeper'));
  expect(await asked(at, at)).toEqual([resultId(id)]);
  const justBefore = new Date(Date.parse(at) - 1).toISOString();
  expect(await asked(before, justBefore)).toEqual([]);
});

test('the audit event of a result is found by its action also after the action was removed before its event', async () => {
  const kept = await act('keeper');
  const removed = await act('keeper');
  await pool.query(`UPDATE runtime.actions SET accepted_at = 1 WHERE tenant_id = 'keepers'`);
  await pool.query('UPDATE runtime.actions SET completed_at = 1 WHERE action_id = $1', [removed]);
  const before = await pages('keeper');
  const rules = { actionsMs: 86_400_000 };
  expect(await retentionPass({ pool, rules, metrics: openMetrics(), clock: Date.now })).toMatchObject({ actions: 1 });
  expect(await pages('keeper')).toEqual(before);
  for (const id of [removed, kept]) expect(ids(await get(`?action_id=${id}`, 'keeper'))).toEqual([resultId(id)]);
});
