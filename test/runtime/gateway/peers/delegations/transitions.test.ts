import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openDelegations } from '#runtime/gateway/peers/delegations/open.js';
import { DEFAULT_STOCK_LIMITS } from '#runtime/gateway/records/stock/limits.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { AipError } from '#runtime/protocol/errors.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Body, DelegationRequest, DelegationResult, StreamChunk } from '#runtime/protocol/types.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../../../support/until.ts';
import { startTarget } from '../../callbacks/support.ts';
import { actionsOverFreshDatabase, caller, capability, contractOf } from '../../support/actions.ts';
import { policyOf } from '../../support/approvals.ts';
import {
  completed,
  type DelegationFleet,
  delegation,
  LIBRARIAN,
  reported,
  resultOf,
  running,
  startDelegationFleet,
} from '../../support/delegations.ts';
import { type Answer, errorOf, TOKEN } from '../../support/gateway.ts';

// Each row of the table in docs/protocol/records.md#states-of-a-delegation that delegations.test.ts leaves open.

const STRANGER = { id: 'agent:stranger', kind: 'agent' as const, trust_domain: 'library' };
const strangerKey = signingKeyFromSeed(newSeedHex());

let fleet: DelegationFleet;
beforeAll(async () => {
  fleet = await startDelegationFleet([
    { signer_did: strangerKey.did, principal_id: STRANGER.id, scopes: ['*'], tenant_id: 'library' },
  ]);
});
afterAll(() => fleet?.stop());
beforeEach(() => {
  fleet.answer = running;
  fleet.arrived.length = 0;
});

const standing = async (each: DelegationRequest): Promise<DelegationResult> => resultOf(await fleet.request(each));
const stored = async (id: string) =>
  (await fleet.pool.query('SELECT status, delivery, attempts FROM runtime.delegations WHERE delegation_id = $1', [id]))
    .rows;
const kindsOf = async (id: string) => (await fleet.eventsOf(id)).map(({ kind }) => kind);
/** Makes a delivery that waits for its next attempt due now. */
const due = (id: string) =>
  fleet.pool.query(
    `UPDATE runtime.delegations SET next_attempt_at = 0 WHERE delegation_id = $1 AND delivery = 'pending'`,
    [id],
  );

test.each(['completed', 'failed', 'cancelled', 'requires_human'] as const)(
  'a delegate ends a delegation as %s, in its answer or by a report; nothing follows',
  async (status) => {
    const ended = (request: DelegationRequest): Body => {
      const child = { action_id: request.child_action.id };
      const result = status === 'requires_human' ? { ...child, status } : { ...child, status };
      return reported(request, status, { result });
    };
    fleet.answer = ended;
    const answered = delegation();
    expect((await standing(answered)).status).toBe(status);
    fleet.answer = running;
    const later = delegation();
    expect((await standing(later)).status).toBe('running');
    expect(resultOf(await fleet.report(ended(later))).status).toBe(status);
    for (const each of [answered, later]) {
      const other = status === 'completed' ? 'failed' : 'completed';
      const changed = { result: { action_id: each.child_action.id, status: other } as const };
      expect(errorOf(await fleet.report(reported(each, other, changed))).code).toBe('delegation.id_conflict');
      // A report of work that continues comes too late, and is no end.
      expect(errorOf(await fleet.report(running(each))).code).toBe('delegation.id_conflict');
      expect((await standing(each)).status).toBe(status);
      expect(await kindsOf(each.delegation_id)).toEqual([
        'aip.delegation.requested',
        'aip.delegation.running',
        'aip.delegation.completed',
      ]);
    }
  },
);

test('a report that says running leaves a delegation running, and a receipt chain may be left out of a repeat', async () => {
  const sent = delegation();
  await fleet.request(sent);
  expect(resultOf(await fleet.report(running(sent))).status).toBe('running');
  const { delegation_result: done } = completed(sent) as { delegation_result: DelegationResult };
  const receipt_chain = { chain_id: 'proof:1', receipts: [] };
  expect((await fleet.report({ delegation_result: { ...done, receipt_chain } })).status).toBe(200);
  expect((await fleet.report({ delegation_result: done })).status).toBe(200);
});

test('a report of other ids, of another principal or of another kind is not one of the delegation', async () => {
  const sent = delegation();
  await fleet.request(sent);
  const { delegation_result: done } = completed(sent) as { delegation_result: DelegationResult };
  const codes = [
    await fleet.report({ delegation_result: { ...done, parent_action_id: newId('action') } }),
    await fleet.report({ delegation_result: { ...done, child_action_id: newId('action') } }),
    await fleet.report({ delegation_result: { ...done, delegation_id: newId('delegation') } }),
    await fleet.report({ delegation_result: done }, { key: strangerKey, principal: STRANGER }),
  ].map((answer) => errorOf(answer).code);
  expect(new Set(codes)).toEqual(new Set(['resource.not_found']));
  const kind = await fleet.report({ delegation_result: done }, { principal: { ...LIBRARIAN, kind: 'service' } });
  expect(errorOf(kind).category).toBe('auth');
  expect((await standing(sent)).status).toBe('running');
});

test('a delegate that never answers is sent a delegation five times in all, then it is failed and dead-lettered', async () => {
  fleet.answer = () => null;
  const sent = delegation();
  expect((await standing(sent)).status).toBe('running');
  await until('the delivery is given up', async () => {
    await due(sent.delegation_id);
    return (await stored(sent.delegation_id))[0]?.delivery === 'dead_lettered';
  });
  expect(await stored(sent.delegation_id)).toEqual([{ status: 'failed', delivery: 'dead_lettered', attempts: 5 }]);
  const messages = new Set(fleet.arrived.map(({ headers }) => headers['idempotency-key']));
  expect(messages).toEqual(new Set([sent.delegation_id]));
  const events = await fleet.eventsOf(sent.delegation_id);
  expect(events.map(({ kind, data }) => [kind.slice('aip.delegation.'.length), data.attempts])).toEqual([
    ['requested', undefined],
    ['running', undefined],
    ['delivery_retry_scheduled', 1],
    ['delivery_retry_scheduled', 2],
    ['delivery_retry_scheduled', 3],
    ['delivery_retry_scheduled', 4],
    ['delivery_dead_lettered', 5],
    ['completed', undefined],
  ]);
  expect(events[2]?.data).toMatchObject({ max_attempts: 5, next_attempt_at: expect.stringMatching(/Z$/) });
  expect(await standing(sent)).toMatchObject({ status: 'failed', error: { category: 'temporary' } });
  expect(errorOf(await fleet.report(completed(sent))).code).toBe('delegation.id_conflict');
});

test('a delivery of a gateway that is gone is made by another one once its lease has lapsed, and only then', async () => {
  const other = await fleet.another();
  try {
    fleet.answer = () => null;
    const sent = delegation();
    await fleet.request(sent);
    fleet.answer = completed;
    fleet.arrived.length = 0;
    // As a gateway leaves it that is killed in an attempt: the lease runs on.
    await fleet.pool.query(
      `UPDATE runtime.delegations SET next_attempt_at = $2, lease_id = 'gone', attempts = 2 WHERE delegation_id = $1`,
      [sent.delegation_id, Date.now() + 300_000],
    );
    const marker = delegation();
    fleet.answer = () => null;
    await fleet.request(marker);
    fleet.answer = completed;
    await due(marker.delegation_id);
    await until('a pass has run', async () => (await standing(marker)).status === 'completed');
    expect(await stored(sent.delegation_id)).toMatchObject([{ status: 'running', attempts: 2 }]);
    await due(sent.delegation_id);
    await until('it is delivered', async () => (await stored(sent.delegation_id))[0]?.status === 'completed');
    const arrived = fleet.arrived.filter(({ headers }) => headers['idempotency-key'] === sent.delegation_id);
    expect(arrived).toHaveLength(1);
  } finally {
    await other.stop();
  }
});

test('one delegation that comes to two gateways at once is delivered once, and both answer with where it stands', async () => {
  const other = await fleet.another();
  try {
    fleet.answer = completed;
    const sent = delegation();
    const answers = await Promise.all([
      fleet.request(sent),
      fleet.request(sent, other),
      fleet.request(sent),
      fleet.request(sent, other),
    ]);
    for (const answer of answers) expect(resultOf(answer).status).toBeOneOf(['running', 'completed']);
    expect((await standing(sent)).status).toBe('completed');
    expect(fleet.arrived).toHaveLength(1);
    expect(await kindsOf(sent.delegation_id)).toHaveLength(3);
  } finally {
    await other.stop();
  }
});

test('of many equal reports at once each is answered alike and one ends the delegation', async () => {
  const sent = delegation();
  await fleet.request(sent);
  const answers = await Promise.all(Array.from({ length: 6 }, () => fleet.report(completed(sent))));
  for (const answer of answers) expect(resultOf(answer)).toMatchObject({ status: 'completed', result: { output: {} } });
  expect(await kindsOf(sent.delegation_id)).toHaveLength(3);
});

test('a child action that fails here fails its delegation', async () => {
  const here = { id: 'service:aip-gateway', kind: 'service' as const };
  const child = { id: newId('action'), capability_id: 'cap:aip:server:none', input: {} };
  const sent = delegation({ delegate: here, child_action: child });
  expect(await standing(sent)).toMatchObject({ status: 'failed', error: { code: 'resource.not_found' } });
  expect(errorOf(await fleet.report(completed(sent))).code).toBe('resource.not_found');
});

test('what becomes of a child action here becomes of its delegation: failed, cancelled, or left to a human', async () => {
  const never = () => new Promise(() => undefined);
  const local = await actionsOverFreshDatabase([
    capability('cap:fails', async () => {
      throw new AipError('runtime.handler_failed', 'no', { retryable: false });
    }),
    capability('cap:waits', never),
    capability('cap:approved', async () => ({}), { contract: contractOf({ approval: policyOf() }) }),
  ]);
  const me = { id: 'service:gateway', kind: 'service' as const };
  const log = openLogger({ component: 'test', level: 'silent' });
  const { pool, actions } = local.gateway;
  const deps = {
    pool,
    clock: Date.now,
    log,
    gateway: me,
    linkTo: undefined,
    stock: DEFAULT_STOCK_LIMITS,
    submit: actions.submit,
    admitCallback: actions.admitCallback,
  };
  const delegations = openDelegations(deps);
  const as = caller('service:edge');
  const requester = { ...as, principal: { id: 'service:edge', kind: 'service' as const } };
  const handed = (capability_id: string, mode: 'sync' | 'async') => {
    const request = delegation({ delegate: me, child_action: { id: newId('action'), capability_id, input: {}, mode } });
    const ask = () => {
      const envelope = newEnvelope({ delegation_request: request }, {}, { clock: Date.now });
      return delegations.request(requester, request, envelope, { requestId: 'test' });
    };
    return { request, ask };
  };
  try {
    expect((await handed('cap:fails', 'sync').ask()).status).toBe('failed');
    expect((await handed('cap:approved', 'sync').ask()).status).toBe('requires_human');
    const waiting = handed('cap:waits', 'async');
    expect((await waiting.ask()).status).toBe('running');
    const actionId = waiting.request.child_action.id;
    await actions.cancel(caller('service:gateway'), { actionId });
    const ended = await until('the delegation has ended', async () => {
      const found = await waiting.ask();
      return found.status !== 'running' && found;
    });
    expect(ended).toMatchObject({ status: 'cancelled', result: { action_id: actionId, status: 'cancelled' } });
  } finally {
    await delegations.stop();
    await local.end();
  }
});

/** A delegation of a child action that streams. */
const streamed = (more: Partial<DelegationRequest> = {}): DelegationRequest =>
  delegation({
    child_action: { id: newId('action'), capability_id: 'cap:kb:search', input: {}, mode: 'streaming' },
    ...more,
  });
const chunk = (of: DelegationRequest, sequence: number, text: string, kind: StreamChunk['kind'] = 'data'): Body => ({
  stream_chunk: { action_id: of.child_action.id, sequence, kind, part: { type: 'text', text } },
});
const chunkEvents = (answer: Answer) => answer.body.body.event_stream.events;
const refusal = (answer: Answer): [number, string] => [answer.status, errorOf(answer).code];

test('chunks of a delegated child action are events of its requester, in rising order and each once', async () => {
  const sent = streamed();
  await fleet.request(sent);
  const first = await fleet.report(chunk(sent, 1, 'one'));
  expect([first.status, chunkEvents(first)]).toMatchObject([
    200,
    [
      {
        kind: 'aip.stream.chunk',
        data: {
          action_id: sent.child_action.id,
          sequence: 1,
          delegation_id: sent.delegation_id,
          parent_action_id: sent.parent_action_id,
          chunk: { part: { text: 'one' } },
        },
      },
    ],
  ]);
  const replay = await fleet.report(chunk(sent, 1, 'one'));
  expect([replay.status, chunkEvents(replay)]).toEqual([200, []]);
  expect((await fleet.report(chunk(sent, 4, 'four'))).status).toBe(200);
  for (const wrong of [chunk(sent, 1, 'other'), chunk(sent, 3, 'late')])
    expect(refusal(await fleet.report(wrong))).toEqual([401, 'auth.not_authorized']);
  expect((await fleet.report(chunk(sent, 5, 'end', 'done'))).status).toBe(200);
  expect(refusal(await fleet.report(chunk(sent, 6, 'after')))).toEqual([401, 'auth.not_authorized']);
  const read = await until('the requester reads them', async () => {
    const path = '/aip/v1/events?kind=aip.stream.chunk&limit=1000';
    const { events } = (await fleet.gateway.call('GET', path, { token: TOKEN })).body;
    const own = events.filter(
      ({ data }: { data: { delegation_id?: string } }) => data.delegation_id === sent.delegation_id,
    );
    return own.length === 3 && own;
  });
  expect(read.map(({ data }: { data: { sequence: number } }) => data.sequence)).toEqual([1, 4, 5]);
});

test('a chunk of a child action comes from its delegate alone, while the delegation runs and its child streams', async () => {
  const sent = streamed();
  const plain = delegation();
  await fleet.request(sent);
  await fleet.request(plain);
  const stranger = await fleet.report(chunk(sent, 1, 'x'), { key: strangerKey, principal: STRANGER });
  expect(refusal(stranger)).toEqual([401, 'auth.not_authorized']);
  expect(refusal(await fleet.send(chunk(sent, 1, 'x')))).toEqual([401, 'auth.not_authorized']);
  expect(refusal(await fleet.report(chunk(plain, 1, 'x')))).toEqual([401, 'auth.not_authorized']);
  expect(refusal(await fleet.report(chunk(streamed(), 1, 'x')))).toEqual([401, 'auth.not_authorized']);
  await fleet.report(completed(sent));
  expect(refusal(await fleet.report(chunk(sent, 1, 'x')))).toEqual([401, 'auth.not_authorized']);
  expect(await kindsOf(sent.delegation_id)).not.toContain('aip.stream.chunk');
});

test('a chunk never reaches another delegation with the same child action', async () => {
  const sent = streamed();
  const twin = streamed({ child_action: sent.child_action });
  await fleet.request(sent);
  await fleet.request(twin);
  expect(refusal(await fleet.report(chunk(sent, 1, 'x')))).toEqual([401, 'auth.not_authorized']);
  await fleet.report(completed(twin));
  expect((await fleet.report(chunk(sent, 1, 'x'))).status).toBe(200);
  expect(await kindsOf(twin.delegation_id)).not.toContain('aip.stream.chunk');
});

test('many chunks that come at once are stored in an order that rises, none twice', async () => {
  const sent = streamed();
  await fleet.request(sent);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => fleet.report(chunk(sent, 1 + (n % 6), `text ${n % 6}`))),
  );
  const accepted = answers.filter(({ status }) => status === 200).flatMap(chunkEvents).length;
  const sequences = (await fleet.eventsOf(sent.delegation_id))
    .filter(({ kind }) => kind === 'aip.stream.chunk')
    .map(({ data }) => data.sequence as number);
  expect(sequences).toHaveLength(accepted);
  expect(sequences).toEqual([...new Set(sequences)].sort((x, y) => x - y));
  expect(sequences.at(-1)).toBe(6);
});

test('the callback of a delegation gets the chunks only where it requests them, and then its result', async () => {
  const [all, last] = [await startTarget(), await startTarget()];
  try {
    const asking = streamed({ callback: { ...all.callback, metadata: { terminal_only: false } } });
    const quiet = streamed({ callback: last.callback });
    for (const each of [asking, quiet]) {
      await fleet.request(each);
      await fleet.report(chunk(each, 1, 'one'));
      await fleet.report(chunk(each, 1, 'one'));
      await fleet.report(completed(each));
    }
    const bodies = (target: typeof all) => target.received.map(({ text }) => Object.keys(JSON.parse(text).body)[0]);
    await until('all came', () => all.received.length >= 2 && last.received.length >= 1);
    expect(bodies(all).toSorted()).toEqual(['delegation_result', 'stream_chunk']);
    expect(bodies(last)).toEqual(['delegation_result']);
  } finally {
    await Promise.all([all.close(), last.close()]);
  }
});

test('the result of a delegated child comes as a delegation_result: an action_result for it is refused', async () => {
  const sent = delegation();
  await fleet.request(sent);
  const result = { action_id: sent.child_action.id, status: 'completed' as const, output: {} };
  const envelope = newEnvelope({ action_result: result }, {}, { clock: Date.now });
  const answer = await fleet.gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body: envelope });
  expect(errorOf(answer).code).toBe('resource.not_found');
  expect((await standing(sent)).status).toBe('running');
});
