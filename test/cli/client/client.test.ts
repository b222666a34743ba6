import { afterEach, describe, expect, test } from 'vitest';
import { resolveId } from '#cli/client/resolve-id.js';
import { followToEnd } from '#cli/follow-session.js';
import {
  cancelAction,
  getAction,
  getReceipts,
  getResult,
  listActions,
  listCapabilities,
} from '#runtime/client/actions.js';
import { confirmTerminal } from '#runtime/client/confirm.js';
import { contractPermitsRetry, decideSubmit, errorPermitsRetry, pauseMs } from '#runtime/client/decide.js';
import { GatewayRefused, GatewayUnreachable, IdInvalid, OutcomeUncertain } from '#runtime/client/errors.js';
import { type Followed, followAction } from '#runtime/client/follow.js';
import { followEvents } from '#runtime/client/follow-events.js';
import { openGateway } from '#runtime/client/gateway.js';
import { checkId } from '#runtime/client/ids.js';
import { submitAction } from '#runtime/client/submit.js';
import type { CapabilityContract, ProtocolError } from '#runtime/protocol/types.js';
import { frame, json, refuse, type ScriptedGateway, scriptedGateway } from '../support/scripted-gateway.ts';

const ID = 'act_018f3c0e6b7a7c1d9e2f001122330301';
const AT = '2026-01-01T00:00:00Z';
const event = (id: string) => ({ event: { id, kind: 'aip.action.result', occurred_at: AT } });
const chunk = (sequence: number) => ({ chunk: { action_id: ID, sequence, kind: 'data', data: { value: sequence } } });

let server: ScriptedGateway | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(answer: Parameters<typeof scriptedGateway>[0]) {
  server = await scriptedGateway(answer);
  return openGateway({ url: server.url, token: 't' });
}

async function all(stream: AsyncIterable<Followed>): Promise<Followed[]> {
  const found: Followed[] = [];
  for await (const item of stream) found.push(item);
  return found;
}

/** The documented prefixes, docs/protocol/envelope.md#identifiers. */
const PREFIXES = {
  action: 'act_',
  session: 'sess_',
  correlation: 'corr_',
  approval: 'appr_',
  transaction: 'txn_',
  event: 'evt_',
  receipt: 'rcpt_',
  message: 'msg_',
} as const;

describe('identifiers', () => {
  test('N-043 an id with a wrong prefix is refused before anything is sent', async () => {
    const gateway = await serve((_, response) => json(response, {}));
    for (const wrong of ['msg_1', 'action', 'act_', '', 'ACT_1']) {
      await expect(getAction(gateway, wrong)).rejects.toBeInstanceOf(IdInvalid);
      await expect(all(followAction(gateway, wrong))).rejects.toBeInstanceOf(IdInvalid);
      await expect(submitAction(gateway, { id: wrong, capabilityId: 'c', input: {} })).rejects.toBeInstanceOf(
        IdInvalid,
      );
    }
    for (const ask of [getResult, cancelAction, getReceipts])
      await expect(ask(gateway, 'msg_1')).rejects.toBeInstanceOf(IdInvalid);
    for (const filter of [
      { session_id: 'act_1' },
      { approval_id: 'act_1' },
      { transaction_id: 'tx_1' },
      { session_id: '' },
      { approval_id: '' },
      { transaction_id: '' },
    ])
      await expect(listActions(gateway, filter)).rejects.toBeInstanceOf(IdInvalid);
    const submission = { capabilityId: 'c', input: {}, sessionId: 'session_1' };
    await expect(submitAction(gateway, submission)).rejects.toBeInstanceOf(IdInvalid);
    for (const kind of ['session', 'approval', 'transaction', 'receipt'] as const)
      await expect(resolveId(gateway, kind, 'act_1')).rejects.toBeInstanceOf(IdInvalid);
    expect(server?.seen).toEqual([]);
    for (const [kind, prefix] of Object.entries(PREFIXES)) {
      expect(checkId(kind as keyof typeof PREFIXES, `${prefix}1`)).toBe(`${prefix}1`);
      for (const wrong of [prefix, prefix.slice(1), `x${prefix}1`])
        expect(() => checkId(kind as keyof typeof PREFIXES, wrong)).toThrow(IdInvalid);
    }
  });

  test('N-044 an id beyond the documented length is refused before anything is sent', async () => {
    const gateway = await serve((_, response) => json(response, { action_id: ID, state: 'running' }));
    await expect(getAction(gateway, `act_${'a'.repeat(253)}`)).rejects.toBeInstanceOf(IdInvalid);
    const submission = { id: `act_${'ä'.repeat(127)}`, capabilityId: 'c', input: {} };
    await expect(submitAction(gateway, submission)).rejects.toBeInstanceOf(IdInvalid);
    await expect(listActions(gateway, { session_id: `sess_${'a'.repeat(252)}` })).rejects.toBeInstanceOf(IdInvalid);
    expect(server?.seen).toEqual([]);
    for (const [kind, prefix] of Object.entries(PREFIXES)) {
      const longest = prefix.padEnd(256, 'a');
      expect(checkId(kind as keyof typeof PREFIXES, longest)).toBe(longest);
      expect(() => checkId(kind as keyof typeof PREFIXES, `${longest}a`)).toThrow(IdInvalid);
    }
    await getAction(gateway, `act_${'a'.repeat(252)}`);
    expect(server?.seen).toHaveLength(1);
  });

  test('N-045 any id of valid form is sent as it is, whatever its random part', async () => {
    const gateway = await serve((_, response) => json(response, { action_id: ID, state: 'running' }));
    const ids = [ID, 'act_x', 'act_ffffffffffffffffffffffffffffffff', 'act_tenant-a.region-b', 'act_%2F/..'];
    for (const id of ids) expect(checkId('action', id)).toBe(id);
    for (const id of ids) await getAction(gateway, id);
    expect(server?.seen.map(({ path }) => decodeURIComponent(path.split('/').at(-1) as string))).toEqual(ids);
  });
});

describe('following', () => {
  test('N-379 replayed events and chunks are handed on once', async () => {
    const gateway = await serve((_, response) => {
      for (const id of ['evt_1', 'evt_2', 'evt_1']) frame(response, 'aip.action.result', event(id), id);
      for (const sequence of [0, 1, 0]) frame(response, 'aip.stream.chunk', chunk(sequence), `chunk:${sequence}`);
      frame(response, 'aip.stream.terminal', { terminal: true, action_id: ID });
      response.end();
    });
    const found = await all(followAction(gateway, ID));
    expect(
      found.map((item) =>
        item.kind === 'event' ? item.event.id : item.kind === 'chunk' ? item.chunk.sequence : item.kind,
      ),
    ).toEqual(['evt_1', 'evt_2', 0, 1, 'terminal']);
  });

  test('the result of an action is shown after its chunks, though a page has its events first', async () => {
    const gateway = await serve(({ path }, response) => {
      if (!path.endsWith('/events')) return json(response, { action_id: ID, state: 'completed' });
      frame(response, 'aip.action.result', event('evt_1'), 'evt_1');
      for (const sequence of [0, 1]) frame(response, 'aip.stream.chunk', chunk(sequence), `chunk:${sequence}`);
      frame(response, 'aip.stream.terminal', { terminal: true, action_id: ID });
      response.end();
    });
    const shown: unknown[] = [];
    await followToEnd(gateway, ID, {
      event: ({ id }) => shown.push(id),
      chunk: ({ sequence }) => shown.push(sequence),
      reconnecting: () => shown.push('reconnecting'),
      end: (status) => void shown.push(status?.state),
      interrupted: () => shown.push('interrupted'),
    });
    expect(shown).toEqual([0, 1, 'evt_1', 'completed']);
  });

  test('N-412 a broken stream is resumed from the cursor it gave, sent back as it was', async () => {
    const cursor = 'opaque/+ cursor=%é';
    const gateway = await serve(({ query }, response) => {
      if (!query.has('cursor')) {
        frame(response, 'aip.stream.chunk', chunk(0), 'chunk:0');
        frame(response, 'aip.stream.cursor', { next_cursor: cursor }, cursor);
        frame(response, 'aip.stream.chunk', chunk(1), 'chunk:1');
        setTimeout(() => response.destroy(), 20);
        return;
      }
      for (const sequence of [1, 2]) frame(response, 'aip.stream.chunk', chunk(sequence), `chunk:${sequence}`);
      frame(response, 'aip.stream.terminal', { terminal: true, action_id: ID });
      response.end();
    });
    const found = await all(followAction(gateway, ID, { pause: async () => undefined }));
    expect(server?.seen.map(({ query }) => query.get('cursor'))).toEqual([null, cursor]);
    expect(found.flatMap((item) => (item.kind === 'chunk' ? [item.chunk.sequence] : []))).toEqual([0, 1, 2]);
    expect(found.at(-1)).toEqual({ kind: 'terminal' });
  });

  test('N-394 a follow that was given a pause waits at least that long', async () => {
    let asked = 0;
    const gateway = await serve((_, response) => {
      asked += 1;
      if (asked === 1)
        frame(response, 'aip.error', {
          error: {
            code: 'storage.unavailable',
            message: 'm',
            category: 'temporary',
            retryable: true,
            retry_after_ms: 400,
          },
        });
      else frame(response, 'aip.stream.terminal', { terminal: true, action_id: ID });
      response.end();
    });
    await all(followAction(gateway, ID));
    const [first, second] = server?.seen ?? [];
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(400);
  });

  test('an action that was missing when it was requested may have been accepted since: it is requested again', async () => {
    let accepted = false;
    const gateway = await serve((_, response) => {
      if (accepted) frame(response, 'aip.stream.terminal', { terminal: true, action_id: ID });
      else
        frame(response, 'aip.error', {
          error: { code: 'action.not_found', message: 'm', category: 'permanent', retryable: false },
        });
      accepted = true;
      response.end();
    });
    const found = await all(followAction(gateway, ID, { mayBeMissing: () => !accepted }));
    expect(found).toEqual([{ kind: 'terminal' }]);
    accepted = false;
    const missing = followAction(gateway, ID, { mayBeMissing: () => false });
    await expect(all(missing)).rejects.toMatchObject({ code: 'action.not_found' });
  });

  test('an error frame that permits no retry ends the follow with that error', async () => {
    const gateway = await serve((_, response) => {
      frame(response, 'aip.error', {
        error: { code: 'auth.not_authorized', message: 'm', category: 'auth', retryable: false },
      });
      response.end();
    });
    await expect(all(followAction(gateway, ID))).rejects.toMatchObject({ code: 'auth.not_authorized' });
    expect(server?.seen).toHaveLength(1);
  });

  test('a follow that gets nowhere gives up as unreachable', async () => {
    const gateway = await serve((_, response) => response.destroy());
    await expect(all(followAction(gateway, ID, { attempts: 3, pause: async () => undefined }))).rejects.toBeInstanceOf(
      GatewayUnreachable,
    );
    expect(server?.seen).toHaveLength(3);
  });

  test('N-381 the end is confirmed by reading the action until it is terminal', async () => {
    let reads = 0;
    const gateway = await serve((_, response) => {
      reads += 1;
      json(response, { action_id: ID, state: reads < 3 ? 'running' : 'failed', updated_at: AT });
    });
    const status = await confirmTerminal(gateway, ID, async () => undefined);
    expect(status.state).toBe('failed');
    expect(server?.seen.every(({ path, method }) => method === 'GET' && path === `/aip/v1/actions/${ID}`)).toBe(true);
  });
});

const contract = (supports_retry: boolean, retry_safety: string) =>
  ({ execution: { supports_retry, retry_safety } }) as CapabilityContract;
const error = (change: Partial<ProtocolError>): ProtocolError => ({
  code: 'storage.unavailable',
  message: 'm',
  category: 'temporary',
  retryable: true,
  ...change,
});

describe('deciding', () => {
  test('N-393 code, category and retryable decide; the same status with others decides otherwise', () => {
    const safe = { contract: contract(true, 'safe'), attempt: 0 };
    const decide = (change: Partial<ProtocolError>, status: number) =>
      decideSubmit(new GatewayRefused(error(change), status), safe).do;
    expect(decide({}, 503)).toBe('retry');
    expect(decide({}, 400)).toBe('retry');
    expect(decide({ retryable: false }, 503)).toBe('give-up');
    expect(decide({ category: 'policy' }, 503)).toBe('give-up');
    expect(decide({ category: 'auth' }, 503)).toBe('give-up');
    expect(decide({ code: 'connector.outcome_unknown' }, 503)).toBe('give-up');
  });

  test('N-408 only temporary, transport and connector errors that say so are retried', () => {
    for (const category of ['temporary', 'transport', 'connector'] as const)
      expect(errorPermitsRetry(error({ category }))).toBe(true);
    for (const category of ['permanent', 'auth', 'policy', 'economic'] as const)
      expect(errorPermitsRetry(error({ category }))).toBe(false);
    const { retryable: _, ...silent } = error({});
    expect(errorPermitsRetry(silent)).toBe(false);
  });

  test('N-407 only what the contract calls safe to retry is retried', () => {
    expect(contractPermitsRetry(contract(true, 'safe'))).toBe(true);
    expect(contractPermitsRetry(contract(false, 'safe'))).toBe(false);
    expect(contractPermitsRetry(contract(true, 'unsafe'))).toBe(false);
    expect(contractPermitsRetry(contract(true, 'safe_with_idempotency_key'))).toBe(false);
    expect(contractPermitsRetry(contract(true, 'safe_with_idempotency_key'), 'k')).toBe(true);
    expect(contractPermitsRetry(undefined)).toBe(false);
  });

  test('N-394 a pause is never below retry_after_ms', () => {
    for (let attempt = 0; attempt < 12; attempt += 1) {
      expect(pauseMs(attempt, 1234)).toBeGreaterThanOrEqual(1234);
      expect(pauseMs(attempt, 60_000)).toBe(60_000);
    }
  });
});

describe('submitting', () => {
  const page = (row: CapabilityContract) => ({
    catalog_revision: 1,
    capabilities: [{ capability: { id: 'cap:x', contract: row } }],
    next_cursor: null,
    total: 1,
  });
  const ack = (response: Parameters<typeof json>[0]) =>
    json(response, { body: { ack: { action_id: ID, status: 'queued' } } });

  test('N-409 N-394 an exact replay uses the same action id and idempotency key, in a fresh message, after the requested pause', async () => {
    let posts = 0;
    const gateway = await serve(({ path, method }, response) => {
      if (method === 'GET' && path === '/aip/v1/capabilities')
        return json(response, page(contract(true, 'safe_with_idempotency_key')));
      posts += 1;
      if (posts === 1)
        return refuse(response, {
          code: 'storage.unavailable',
          category: 'temporary',
          retryable: true,
          retry_after_ms: 300,
        });
      ack(response);
    });
    await submitAction(gateway, { id: ID, capabilityId: 'cap:x', input: { a: 1 }, idempotencyKey: 'k' });
    const sent = (server?.seen ?? []).filter(({ method }) => method === 'POST');
    expect(sent).toHaveLength(2);
    const bodies = sent.map(({ body }) => body as { message_id: string; body: { action: unknown } });
    expect(bodies[1]?.body).toEqual(bodies[0]?.body);
    expect(bodies[0]?.body.action).toMatchObject({ id: ID, idempotency_key: 'k', input: { a: 1 } });
    expect(bodies[1]?.message_id).not.toBe(bodies[0]?.message_id);
    expect((sent[1]?.at ?? 0) - (sent[0]?.at ?? 0)).toBeGreaterThanOrEqual(300);
  });

  test('N-407 without leave of the contract the first error is the last', async () => {
    const gateway = await serve(({ method }, response) => {
      if (method === 'GET') return json(response, page(contract(true, 'unsafe')));
      refuse(response, { code: 'storage.unavailable', category: 'temporary', retryable: true });
    });
    await expect(submitAction(gateway, { capabilityId: 'cap:x', input: {} })).rejects.toMatchObject({
      code: 'storage.unavailable',
    });
    expect(server?.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('N-410 a submit whose transport timed out is followed by a read of the action, never by another submit', async () => {
    await serve(({ method }, response) => {
      if (method === 'GET') json(response, { action_id: ID, state: 'running', updated_at: AT });
    });
    const impatient: typeof fetch = (url, init) =>
      fetch(url, init?.method === 'POST' ? { ...init, signal: AbortSignal.timeout(200) } : init);
    const gateway = openGateway({ url: server?.url as string, token: 't', fetch: impatient });
    const submitted = await submitAction(gateway, { id: ID, capabilityId: 'cap:x', input: {}, idempotencyKey: 'k' });
    expect(submitted.status?.state).toBe('running');
    expect(server?.seen.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  test('N-410 N-411 an answer that got lost is followed by a read of the action, never by another submit', async () => {
    const gateway = await serve(({ method, path }, response) => {
      if (method === 'POST') return response.destroy();
      expect(path).toBe(`/aip/v1/actions/${ID}`);
      json(response, { action_id: ID, state: 'completed', updated_at: AT });
    });
    const submitted = await submitAction(gateway, { id: ID, capabilityId: 'cap:x', input: {}, idempotencyKey: 'k' });
    expect(submitted.status?.state).toBe('completed');
    expect(server?.seen.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  test('N-411 an action that cannot be found after a lost answer is reported as uncertain', async () => {
    const gateway = await serve(({ method }, response) =>
      method === 'POST' ? response.destroy() : json(response, { action_id: ID, state: 'unknown', updated_at: AT }),
    );
    await expect(submitAction(gateway, { id: ID, capabilityId: 'cap:x', input: {} })).rejects.toBeInstanceOf(
      OutcomeUncertain,
    );
    expect(server?.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});

test('N-050 the client continues each stream with the cursor of that stream alone, as it came, and begins another without one', async () => {
  const cursorOf = (path: string) => `opaque/+ cursor=%é ${path}`;
  const begun = new Set<string>();
  const gateway = await serve(({ path, headers }, response) => {
    const stream = `${headers.authorization} ${path}`;
    frame(response, 'aip.stream.cursor', { next_cursor: cursorOf(stream) }, cursorOf(stream));
    if (!begun.has(stream)) {
      begun.add(stream);
      setTimeout(() => response.destroy(), 20);
      return;
    }
    frame(response, 'aip.stream.terminal', { terminal: true, action_id: ID });
    response.end();
  });
  const other = openGateway({ url: gateway.url, token: 'another' });
  const pause = async () => undefined;
  await all(followAction(gateway, ID, { pause }));
  await all(followAction(gateway, 'act_other', { pause }));
  await all(followAction(other, ID, { pause }));
  const leaving = new AbortController();
  let reconnections = 0;
  for await (const { kind } of followEvents(gateway, { signal: leaving.signal })) {
    if (kind === 'reconnecting') reconnections += 1;
    if (reconnections === 2) leaving.abort();
  }
  const sent = server?.seen.map(({ headers, path, query }) => [
    `${headers.authorization} ${path}`,
    query.get('cursor'),
  ]);
  const [first, second] = [ID, 'act_other'].map((id) => `/aip/v1/actions/${id}/events`) as [string, string];
  const streams = [`Bearer t ${first}`, `Bearer t ${second}`, `Bearer another ${first}`, 'Bearer t /aip/v1/events'];
  expect(sent).toEqual(
    streams.flatMap((stream) => [
      [stream, null],
      [stream, cursorOf(stream)],
    ]),
  );
});

test('N-050 part: a list continues with exactly the cursor that it gave', async () => {
  const cursor = 'a+b/c=%20 ü';
  const gateway = await serve((_, response) =>
    json(response, {
      actions: [],
      total_size: 0,
      cursor,
      capabilities: [],
      catalog_revision: 1,
      next_cursor: cursor,
      total: 0,
    }),
  );
  const page = await listActions(gateway, {});
  await listActions(gateway, { cursor: page.cursor });
  await listCapabilities(gateway, { cursor });
  expect(server?.seen.slice(1).map(({ query }) => query.get('cursor'))).toEqual([cursor, cursor]);
});
