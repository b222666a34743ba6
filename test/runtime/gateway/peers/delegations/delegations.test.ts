import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { retentionPass } from '#runtime/gateway/maintenance/retention.js';
import { openMetrics } from '#runtime/gateway/metrics/metrics.js';
import { checkDelegation } from '#runtime/gateway/peers/delegations/rules.js';
import { decodeEnvelope, verifyEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { MAX_DELEGATION_HOPS } from '#runtime/protocol/limits.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Body, DelegationRequest, DelegationResult } from '#runtime/protocol/types.js';
import { until } from '../../../../support/until.ts';
import { startTarget, type Target } from '../../callbacks/support.ts';
import {
  type Arrived,
  completed,
  type DelegationFleet,
  delegation,
  EDGE,
  LIBRARIAN,
  RIVAL,
  reported,
  resultOf,
  running,
  startDelegationFleet,
} from '../../support/delegations.ts';
import { type Answer, errorOf } from '../../support/gateway.ts';

let fleet: DelegationFleet;
beforeAll(async () => {
  fleet = await startDelegationFleet();
});
afterAll(() => fleet?.stop());

const send = (body: Body): Promise<Answer> => fleet.send(body);
const request = (each: DelegationRequest): Promise<Answer> => fleet.request(each);
const report = (result: DelegationResult, key?: SigningKey): Promise<Answer> =>
  fleet.report({ delegation_result: result }, key && { key });

test('N-445 N-454 a delegation goes to its delegate signed, with its id as Idempotency-Key and the hop in the chain', async () => {
  fleet.answer = completed;
  const sent = delegation();
  const reply = await request(sent);
  expect([reply.status, resultOf(reply)]).toMatchObject([
    200,
    { status: 'completed', result: { output: { hits: 2 } } },
  ]);
  const [got] = fleet.arrived.splice(0) as [Arrived];
  expect([got.did, got.headers['idempotency-key'], got.headers['aip-trust-domain']]).toEqual([
    fleet.gatewayDid,
    sent.delegation_id,
    'test',
  ]);
  expect(got.envelope.to).toEqual({ id: LIBRARIAN.id, kind: 'agent' });
  const { delegation_request: forwarded } = got.envelope.body as { delegation_request: DelegationRequest };
  expect(forwarded.child_action.delegation_chain).toMatchObject([
    { from: { id: EDGE.id }, to: { id: LIBRARIAN.id }, scope: 'kb:read' },
  ]);
  const receipts = resultOf(reply).receipt_chain?.receipts ?? [];
  expect(receipts.map((each) => each.receipt_type)).toEqual(['delegation_made']);
});

test('the same delegation again gives the stored result without asking again; another one under its id is refused', async () => {
  fleet.answer = completed;
  const sent = delegation();
  const first = resultOf(await request(sent));
  expect(resultOf(await request(sent))).toEqual(first);
  expect(fleet.arrived.splice(0)).toHaveLength(1);
  const other = await request({ ...sent, scope: 'kb:write' });
  expect([other.status, errorOf(other).code]).toEqual([400, 'delegation.id_conflict']);
});

test('an answer that is lost is requested again, and a delegate that reports later ends the delegation', async () => {
  let asked = 0;
  const sent = delegation();
  fleet.answer = (each) => {
    asked += 1;
    return asked <= 3 ? null : running(each);
  };
  expect(resultOf(await request(sent)).status).toBe('running');
  await until('the delivery is repeated', () => asked === 4);
  expect(new Set(fleet.arrived.splice(0).map(({ headers }) => headers['idempotency-key']))).toEqual(
    new Set([sent.delegation_id]),
  );
  const done = (completed(sent) as { delegation_result: DelegationResult }).delegation_result;
  const stranger = signingKeyFromSeed(newSeedHex());
  expect(errorOf(await report(done, stranger)).code).toBe('auth.signature.invalid');
  expect(resultOf(await request(sent)).status).toBe('running');
  expect(resultOf(await report(done)).status).toBe('completed');
  expect(resultOf(await report(done)).status).toBe('completed');
  const changed = await report({ ...done, status: 'failed' });
  expect(errorOf(changed).code).toBe('delegation.id_conflict');
  expect(resultOf(await request(sent))).toMatchObject({ status: 'completed', result: { output: { hits: 2 } } });
});

test('a delegate that has the message already, and whose answer was lost, is asked where the delegation stands', async () => {
  fleet.arrived.splice(0);
  fleet.answer = (each) =>
    fleet.arrived.length === 1
      ? { error: { error: { code: 'replay.message_id', message: 'known', category: 'auth', retryable: false } } }
      : completed(each);
  const sent = delegation();
  expect(resultOf(await request(sent)).status).toBe('running');
  await until('the delegation has ended', async () => resultOf(await request(sent)).status === 'completed');
  const arrived = fleet.arrived
    .splice(0)
    .map(({ envelope, headers }) => [envelope.message_id, headers['idempotency-key']]);
  expect([arrived.length, new Set(arrived.map(([id]) => id)).size]).toEqual([2, 2]);
  expect(new Set(arrived.map(([, key]) => key))).toEqual(new Set([sent.delegation_id]));
});

test('the callback of a delegation gets its terminal result once, signed, whether it was answered or reported later', async () => {
  const targets: Target[] = [await startTarget(), await startTarget()];
  const [answered, reported] = targets as [Target, Target];
  const arrivedAt = (target: Target) =>
    target.received.map(
      ({ text }) => (JSON.parse(text).body as { delegation_result: DelegationResult }).delegation_result,
    );
  try {
    fleet.answer = completed;
    const first = delegation({ callback: answered.callback });
    await request(first);
    await request(first);
    await until('the result came', () => answered.received.length > 0);
    const envelope = decodeEnvelope(JSON.parse(answered.received[0]?.text as string));
    expect(await verifyEnvelope(envelope)).toBe(fleet.gatewayDid);
    expect(arrivedAt(answered)).toMatchObject([{ delegation_id: first.delegation_id, status: 'completed' }]);

    fleet.answer = running;
    const second = delegation({ callback: reported.callback });
    expect(resultOf(await request(second)).status).toBe('running');
    const { delegation_result: done } = completed(second) as { delegation_result: DelegationResult };
    await report(done);
    await report(done);
    await until('the report came', () => reported.received.length > 0);
    expect(arrivedAt(reported)).toMatchObject([{ delegation_id: second.delegation_id, status: 'completed' }]);
    const { rows } = await fleet.pool.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM runtime.callback_deliveries',
    );
    expect(rows[0]?.n).toBe(2);
  } finally {
    await Promise.all(targets.map((target) => target.close()));
  }
});

test('a delegation whose callback policy refuses is refused before anything is stored or sent', async () => {
  fleet.arrived.splice(0);
  const sent = delegation({ callback: { profile: 'aip.native.http.v1', target: 'https://example.com/callback' } });
  const refused = await request(sent);
  expect([refused.status, errorOf(refused).code]).toEqual([403, 'callback.target_refused']);
  const { rows } = await fleet.pool.query('SELECT 1 FROM runtime.delegations WHERE delegation_id = $1', [
    sent.delegation_id,
  ]);
  expect([rows, fleet.arrived]).toEqual([[], []]);
});

test('nobody but the delegate reports on a delegation', async () => {
  fleet.answer = running;
  const sent = delegation();
  await request(sent);
  const { delegation_result: done } = completed(sent) as { delegation_result: DelegationResult };
  const forged = await send({ delegation_result: done });
  expect(errorOf(forged).code).toBe('resource.not_found');
  expect(resultOf(await request(sent)).status).toBe('running');
});

test('two tenants send delegations of one id and child to one delegate at two gateways: each gets its own answer, report and chunks', async () => {
  const further = await fleet.another();
  fleet.arrived.splice(0);
  fleet.answer = running;
  const sent = delegation({
    child_action: { id: newId('action'), capability_id: 'cap:kb:search', input: { of: 'acme' }, mode: 'streaming' },
  });
  const rival = {
    ...sent,
    requested_by: RIVAL,
    child_action: { ...sent.child_action, input: { of: 'globex' } },
  };
  const ask = { acme: () => request(sent), globex: () => fleet.request(rival, further, 'globex') };
  const own = { delegation_id: sent.delegation_id, child_action_id: sent.child_action.id };
  try {
    for (const answer of await Promise.all([ask.acme(), ask.globex()]))
      expect([answer.status, answer.body.body.delegation_result]).toMatchObject([200, { ...own, status: 'running' }]);
    const got = fleet.arrived.map(({ envelope, headers }) => {
      const { delegation_request: each } = envelope.body as { delegation_request: DelegationRequest };
      expect(headers['idempotency-key']).toBe(each.delegation_id);
      return each;
    });
    const of = (tenant: string) =>
      got.find(({ child_action: { input } }) => (input as { of: string }).of === tenant) as DelegationRequest;
    // The delegate knows one of them by other ids, since it has no tenants.
    expect(new Set(got.map((each) => each.delegation_id)).size).toBe(2);
    expect(new Set(got.map((each) => each.child_action.id)).size).toBe(2);
    for (const [sequence, tenant] of [
      [1, 'acme'],
      [4, 'globex'],
    ] as const) {
      const { id } = of(tenant).child_action;
      const chunk = { action_id: id, sequence, kind: 'data' as const, part: { type: 'text' as const, text: tenant } };
      const stored = await fleet.report({ stream_chunk: chunk });
      expect([stored.status, stored.body.body.event_stream?.events]).toMatchObject([
        200,
        [{ kind: 'aip.stream.chunk', data: { action_id: own.child_action_id, sequence, chunk: { part: chunk.part } } }],
      ]);
      expect((await fleet.report({ stream_chunk: chunk })).body.body.event_stream.events).toEqual([]);
    }
    const { delegation_result: done } = completed(of('globex')) as { delegation_result: DelegationResult };
    for (let time = 0; time < 2; time += 1)
      expect(resultOf(await report(done))).toMatchObject({ delegation_id: done.delegation_id, status: 'completed' });
    expect(resultOf(await ask.acme())).toMatchObject({ ...own, status: 'running' });
    expect(resultOf(await ask.globex())).toMatchObject({
      ...own,
      status: 'completed',
      result: { action_id: own.child_action_id, output: { hits: 2 } },
    });
    const cancelled = { action_id: of('acme').child_action.id, status: 'cancelled' as const };
    expect((await fleet.report(reported(of('acme'), 'cancelled', { result: cancelled }))).status).toBe(200);
    expect(resultOf(await ask.acme())).toMatchObject({ ...own, status: 'cancelled' });
    expect(resultOf(await ask.globex()).status).toBe('completed');
  } finally {
    await further.stop();
  }
});

test('a chunk of a delegate is stored without its secrets, and none is taken after the end of its delegation', async () => {
  fleet.answer = running;
  const child_action = { id: newId('action'), capability_id: 'cap:kb:search', input: {}, mode: 'streaming' as const };
  const sent = delegation({ child_action });
  await request(sent);
  const send = (sequence: number) =>
    fleet.report({
      stream_chunk: {
        action_id: child_action.id,
        sequence,
        kind: 'data',
        part: { type: 'json', data: { hits: 2, api_token: 'hidden' } },
      },
    });
  const stored = await send(1);
  expect([stored.status, stored.body.body.event_stream?.events]).toMatchObject([
    200,
    [{ data: { chunk: { part: { data: { hits: 2, api_token: { redacted: true } } } } } }],
  ]);
  const events = await fleet.eventsOf(sent.delegation_id);
  expect(events.map(({ kind }) => kind)).toContain('aip.stream.chunk');
  expect(JSON.stringify(events)).not.toContain('hidden');
  const { delegation_result: done } = completed(sent) as { delegation_result: DelegationResult };
  expect(resultOf(await report(done)).status).toBe('completed');
  const late = await send(2);
  expect([late.status, errorOf(late).code]).toEqual([401, 'auth.not_authorized']);
});

test('another delegation of a tenant with the same child action is sent under the same child id as the first', async () => {
  fleet.answer = running;
  const first = delegation();
  await request(first);
  const rival = { ...first, requested_by: RIVAL };
  fleet.arrived.splice(0);
  for (const delegation_id of [first.delegation_id, newId('delegation')])
    await fleet.request({ ...rival, delegation_id }, undefined, 'globex');
  const children = fleet.arrived.map(
    ({ envelope }) => (envelope.body as { delegation_request: DelegationRequest }).delegation_request.child_action.id,
  );
  expect(children).toHaveLength(2);
  expect(new Set([...children, first.child_action.id]).size).toBe(2);
});

test('a report whose ids two tenants chose before ids were replaced reaches neither tenant', async () => {
  fleet.answer = running;
  const sent = delegation();
  await request(sent);
  await fleet.pool.query(
    `INSERT INTO runtime.delegations (delegation_id, tenant_id, principal_id, delegate_id, delegate_kind, child_action_id, request, status,
       delivery, created_at)
     SELECT delegation_id, 'thief', principal_id, delegate_id, delegate_kind, child_action_id, request, status, 'delivered', 0
     FROM runtime.delegations WHERE delegation_id = $1`,
    [sent.delegation_id],
  );
  const { delegation_result: done } = completed(sent) as { delegation_result: DelegationResult };
  expect(errorOf(await report(done)).code).toBe('delegation.id_conflict');
  const { rows } = await fleet.pool.query('SELECT status, result FROM runtime.delegations WHERE delegation_id = $1', [
    sent.delegation_id,
  ]);
  expect(rows).toEqual(Array(2).fill({ status: 'running', result: null }));
});

test('an error that the delegate signs is the result', async () => {
  fleet.answer = () => ({
    error: { error: { code: 'kb.closed', message: 'the library is closed', category: 'policy', retryable: false } },
  });
  const reply = resultOf(await request(delegation()));
  expect([reply.status, reply.error?.code]).toEqual(['failed', 'kb.closed']);
});

test('a delegation to the gateway itself runs its child action under the name of the delegate', async () => {
  const sent = delegation({
    delegate: { id: 'service:aip-gateway', kind: 'service' },
    child_action: { id: newId('action'), capability_id: 'cap:aip:server:health', input: {} },
  });
  const reply = resultOf(await request(sent));
  expect(reply).toMatchObject({ status: 'completed', result: { output: { status: 'ok' } } });
  const { rows } = await fleet.pool.query<{ principal_id: string }>(
    'SELECT principal_id FROM runtime.actions WHERE action_id = $1',
    [sent.child_action.id],
  );
  expect(rows).toEqual([{ principal_id: 'service:aip-gateway' }]);
  expect(resultOf(await request(sent))).toEqual(reply);
});

test('a delegation to the gateway itself whose child action is queued is answered as running, and ends with the child', async () => {
  const sent = delegation({
    delegate: { id: 'service:aip-gateway', kind: 'service' },
    child_action: { id: newId('action'), capability_id: 'cap:aip:server:health', input: {}, mode: 'async' },
  });
  expect(resultOf(await request(sent)).status).toBe('running');
  const ended = await until('the child action has ended the delegation', async () => {
    const found = resultOf(await request(sent));
    return found.status !== 'running' && found;
  });
  expect(ended).toMatchObject({ status: 'completed', result: { output: { status: 'ok' } } });
  const { rows } = await fleet.pool.query<{ kind: string }>(
    `SELECT kind FROM runtime.events WHERE record->'data'->>'delegation_id' = $1 ORDER BY xid, seq`,
    [sent.delegation_id],
  );
  expect(rows.map(({ kind }) => kind)).toEqual([
    'aip.delegation.requested',
    'aip.delegation.running',
    'aip.delegation.completed',
  ]);
});

test('a delegation to the gateway itself whose end cannot be written keeps no later one from its end', async () => {
  const toItself = (): DelegationRequest =>
    delegation({
      delegate: { id: 'service:aip-gateway', kind: 'service' },
      child_action: { id: newId('action'), capability_id: 'cap:aip:server:health', input: {}, mode: 'async' },
    });
  const [stuck, later] = [toItself(), toItself()];
  await fleet.pool.query(`
    CREATE FUNCTION runtime.refuse_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not written'; END $$;
    CREATE TRIGGER refuse_end BEFORE UPDATE ON runtime.delegations FOR EACH ROW
      WHEN (OLD.delegation_id = '${stuck.delegation_id}' AND NEW.completed_at IS NOT NULL) EXECUTE FUNCTION runtime.refuse_end()`);
  onTestFinished(async () => {
    await fleet.pool.query('DROP TRIGGER refuse_end ON runtime.delegations; DROP FUNCTION runtime.refuse_end()');
  });
  for (const each of [stuck, later]) expect(resultOf(await request(each)).status).toBe('running');
  const ended = async ({ delegation_id: id }: DelegationRequest): Promise<boolean> => {
    const query = `SELECT status = 'completed' AS ended FROM runtime.delegations WHERE delegation_id = $1`;
    return (await fleet.pool.query<{ ended: boolean }>(query, [id])).rows[0]?.ended ?? false;
  };
  expect(await until('the later one has ended', () => ended(later))).toBe(true);
  expect(await ended(stuck)).toBe(false);
  await fleet.pool.query('ALTER TABLE runtime.delegations DISABLE TRIGGER refuse_end');
  expect(await until('the first one is ended as soon as that can be written', () => ended(stuck))).toBe(true);
});

test.each<[string, Partial<DelegationRequest>, string]>([
  ['for nobody known', { delegate: { id: 'agent:nobody', kind: 'agent' } }, 'delegation.target_mismatch'],
  ['in the name of another', { requested_by: { id: 'agent:boss', kind: 'agent' } }, 'auth.not_authorized'],
  ['back to the requester', { delegate: EDGE }, 'auth.not_authorized'],
  [
    'whose chain ends elsewhere',
    {
      child_action: {
        id: 'act_x',
        capability_id: 'cap:x',
        input: {},
        delegation_chain: [
          {
            from: { id: 'a', kind: 'agent' },
            to: { id: 'b', kind: 'agent' },
            scope: 's',
            delegated_at: '2026-01-01T00:00:00Z',
          },
        ],
      },
    },
    'auth.not_authorized',
  ],
])('a delegation %s is refused', async (_title, over, code) => {
  fleet.arrived.length = 0;
  expect(errorOf(await request(delegation(over))).code).toBe(code);
  expect(fleet.arrived).toEqual([]);
});

test('N-308 retention removes ended delegations after their period and counts them', async () => {
  const { rows } = await fleet.pool.query<{ n: number }>(
    'SELECT count(*) AS n FROM runtime.delegations WHERE completed_at IS NOT NULL',
  );
  const ended = Number(rows[0]?.n);
  expect(ended).toBeGreaterThan(3);
  const metrics = openMetrics();
  const rules = { outboxMs: 7 * 86_400_000 };
  const pass = (clock: () => number) => retentionPass({ pool: fleet.pool, rules, metrics, clock });
  expect((await pass(Date.now)).outbox_records).toBe(0);
  expect((await pass(() => Date.now() + 8 * 86_400_000)).outbox_records).toBe(ended);
  expect((await metrics.render()).text).toContain(`aip_retention_outbox_records_deleted_total ${ended}`);
});

test('a delegation chain has at most the hops of the limit, each from the one before it to the next', () => {
  const hop = (from: string, to: string) => ({
    from: { id: from, kind: 'agent' as const },
    to: { id: to, kind: 'agent' as const },
    scope: 'kb:read',
    delegated_at: '2026-01-01T00:00:00Z',
  });
  const chainOf = (hops: number) =>
    Array.from({ length: hops }, (_, n) => hop(`agent:${n}`, n === hops - 1 ? EDGE.id : `agent:${n + 1}`));
  const identity = { principal: EDGE, scopes: new Set(['*']), roles: [], scheme: 'bearer' } as const;
  const check = (delegation_chain: ReturnType<typeof chainOf>) => () =>
    checkDelegation(
      identity,
      delegation({
        child_action: { id: newId('action'), capability_id: 'cap:kb:search', input: {}, delegation_chain },
      }),
    );
  expect(check(chainOf(MAX_DELEGATION_HOPS - 1))).not.toThrow();
  expect(check(chainOf(MAX_DELEGATION_HOPS))).toThrow(`at most ${MAX_DELEGATION_HOPS} hops`);
  expect(check([hop('agent:0', 'agent:1'), hop('agent:2', EDGE.id)])).toThrow('not contiguous');
});
