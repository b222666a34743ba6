import { afterAll, beforeAll, expect, test } from 'vitest';
import { expireSessions } from '#runtime/gateway/sessions/expiry.js';
import { SESSION_STATES } from '#runtime/gateway/sessions/states.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import type { Body, HandshakeResponse, SessionResume } from '#runtime/protocol/types.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../../support/until.ts';
import { type Answer, errorOf, type HttpGateway, principalEntry, startHttpGateway } from '../support/gateway.ts';

// Each row of the table in docs/protocol/records.md#states-of-a-session, from every state.

const scopes = ['session:read', 'session:write', 'events:read'];
const PRINCIPALS = [principalEntry('desk', { tenant_id: 'acme', principal_id: 'agent:desk', scopes })];
const OPEN = ['active', 'queued', 'processing', 'streaming', 'waiting_for_human'];
const ENDED = ['completed', 'failed', 'cancelled', 'settled'];
type State = (typeof SESSION_STATES)[number];
const STATES = SESSION_STATES.filter((state) => state !== 'new');

let a: HttpGateway;
let b: HttpGateway;
let pool: Pool;
beforeAll(async () => {
  a = await startHttpGateway({ principals: PRINCIPALS });
  b = await startHttpGateway({ principals: PRINCIPALS, databaseUrl: a.databaseUrl });
  pool = openPool({ url: a.databaseUrl, max: 4 });
});
afterAll(async () => {
  await pool?.close();
  await b?.stop();
  await a?.stop();
});

const send = (body: Body, fields: object = {}): Promise<Answer> =>
  a.call('POST', '/aip/v1/messages', { token: 'desk', body: newEnvelope(body, fields, { clock: Date.now }) });
const post = (path: string, body?: unknown, at = a): Promise<Answer> =>
  at.call('POST', `/aip/v1/sessions${path}`, { token: 'desk', body });
const statusOf = async (id: string): Promise<State> =>
  (await a.call('GET', `/aip/v1/sessions/${id}`, { token: 'desk' })).body.status;
const outcome = (answer: Answer): string => (answer.status === 200 ? 'ok' : errorOf(answer).code);

/** A session of the caller in a state, with its token. */
async function sessionIn(state: State): Promise<{ id: string; token: string }> {
  const client = { id: 'agent:desk', kind: 'agent' as const };
  const answer = await send({ handshake: { client, purpose: 'tests', profiles: ['aip.native.http.v1'] } } as Body);
  const { session_id: id, resume_token: token } = answer.body.body.handshake_response as Required<HandshakeResponse>;
  await put(id, state);
  return { id, token };
}
const put = (id: string, state: State) =>
  pool.query('UPDATE runtime.sessions SET status = $2, closed_at = $3 WHERE session_id = $1', [
    id,
    state,
    ENDED.includes(state) ? 1 : null,
  ]);
const eventsOf = async (id: string): Promise<string[]> => {
  const text = 'SELECT kind FROM runtime.events WHERE session_id = $1 ORDER BY xid, seq';
  return (await pool.query<{ kind: string }>(text, [id])).rows.map(({ kind }) => kind);
};
const desk = { id: 'agent:desk', kind: 'agent' } as const;
const escalation = { kind: 'input', reason: 'missing', requested_by: desk } as const;
const resolution = { status: 'modified', resolved_by: desk, resolved_at: '2026-03-02T09:25:00Z' } as const;
const expire = () => {
  const log = openLogger({ component: 'test', level: 'silent' });
  return expireSessions({ pool, clock: Date.now, log, gateway: { id: 'service:gateway', kind: 'service' } });
};

test.each(STATES)('a close in state %s cancels an open session once, and is refused else', async (state) => {
  const { id } = await sessionIn(state);
  const closes = OPEN.includes(state);
  expect(outcome(await post(`/${id}/close`))).toBe(closes ? 'ok' : 'session.closed');
  expect(await statusOf(id)).toBe(closes ? 'cancelled' : state);
  expect(outcome(await post(`/${id}/close`, undefined, b))).toBe('session.closed');
  expect(await eventsOf(id)).toEqual(closes ? ['aip.session.closed'] : []);
});

test.each(STATES)(
  'a cancel that names the session in state %s cancels an open one once, and is refused else',
  async (state) => {
    const { id } = await sessionIn(state);
    const cancel = () => send({ cancel: { target: { session: id } } } as Body);
    const closes = OPEN.includes(state);
    expect(outcome(await cancel())).toBe(closes ? 'ok' : 'session.closed');
    expect(await statusOf(id)).toBe(closes ? 'cancelled' : state);
    expect(outcome(await cancel())).toBe('session.closed');
    expect(await eventsOf(id)).toEqual(closes ? ['aip.session.cancelled'] : []);
  },
);

test.each(STATES)('a resume in state %s replaces the token of an open session and leaves its state', async (state) => {
  const { id, token } = await sessionIn(state);
  const ended = ENDED.includes(state);
  expect(outcome(await post(`/${id}/resume`, { resume_token: token }, b))).toBe(ended ? 'session.closed' : 'ok');
  expect(await statusOf(id)).toBe(state);
  const again = await post(`/${id}/resume`, { resume_token: token });
  expect(outcome(again)).toBe(ended ? 'session.closed' : 'session.resume_rejected');
});

test.each(STATES)('an escalation in state %s is recorded, and makes a session at work wait', async (state) => {
  const { id } = await sessionIn(state);
  expect((await send({ escalation }, { session_id: id, correlation_id: `corr_${id}` })).status).toBe(200);
  const waits = ['active', 'processing', 'streaming', 'waiting_for_human'].includes(state);
  expect(await statusOf(id)).toBe(waits ? 'waiting_for_human' : state);
  expect(await eventsOf(id)).toEqual(['aip.escalation.requested']);
});

test.each(STATES)('a resolution in state %s is recorded, and only a waiting session continues', async (state) => {
  const { id } = await sessionIn('active');
  const fields = { session_id: id, correlation_id: `corr_${id}` };
  await send({ escalation }, fields);
  await put(id, state);
  expect((await send({ escalation_resolution: resolution } as Body, fields)).status).toBe(200);
  expect(await statusOf(id)).toBe(state === 'waiting_for_human' ? 'processing' : state);
});

test.each(STATES)('the expiry in state %s cancels an open session once', async (state) => {
  const { id, token } = await sessionIn(state);
  await pool.query('UPDATE runtime.sessions SET expires_at = 1 WHERE session_id = $1', [id]);
  await Promise.all([expire(), expire()]);
  const ended = ENDED.includes(state);
  expect(await statusOf(id)).toBe(ended ? state : 'cancelled');
  expect(await eventsOf(id)).toEqual(ended ? [] : ['aip.session.closed']);
  expect(outcome(await post(`/${id}/resume`, { resume_token: token }))).toBe('session.closed');
});

test('a handshake opens each session in state active, and nothing brings one back to new', async () => {
  const { id } = await sessionIn('active');
  expect(await statusOf(id)).toBe('active');
  expect(await eventsOf(id)).toEqual([]);
  const { rows } = await pool.query(`SELECT session_id FROM runtime.sessions WHERE status = 'new'`);
  expect(rows).toEqual([]);
});

test('a resume reads the next 100 events of the owner, and its cursor continues behind the last of them', async () => {
  const session = await sessionIn('active');
  await pool.query(
    `INSERT INTO runtime.events (event_id, tenant_id, principal_id, session_id, kind, occurred_at, record)
     SELECT 'evt_' || $1 || n, 'acme', 'agent:desk', $1::text, 'test.many', 1,
       json_build_object('id', 'evt_' || $1 || n, 'kind', 'test.many', 'session_id', $1::text, 'occurred_at', '2026-01-01T00:00:00Z')
     FROM generate_series(1, 150) n`,
    [session.id],
  );
  const seen: string[] = [];
  let at: string | undefined;
  await until('every event was replayed', async () => {
    const body = { resume_token: session.token, ...(at !== undefined && { last_event_cursor: at }) };
    const { status, body: answer } = await post(`/${session.id}/resume`, body);
    expect(status).toBe(200);
    const { resume_token, replayed_events = [], next_cursor } = answer as SessionResume;
    expect(replayed_events.length).toBeLessThanOrEqual(100);
    session.token = resume_token as string;
    at = next_cursor;
    seen.push(...replayed_events.filter(({ kind }) => kind === 'test.many').map(({ id }) => id));
    return seen.length >= 150;
  });
  expect(seen).toHaveLength(150);
  expect(new Set(seen).size).toBe(150);
});

test('of many closes at two gateways one closes the session, with one event', async () => {
  const { id } = await sessionIn('active');
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => post(`/${id}/close`, { reason: `${n}` }, n % 2 ? a : b)),
  );
  expect(answers.map(outcome).toSorted()).toEqual(['ok', ...Array(7).fill('session.closed')]);
  expect(await eventsOf(id)).toEqual(['aip.session.closed']);
});

test('a close beside a resume at another gateway ends the session: no token of it resumes any more', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { id, token } = await sessionIn('active');
    const [closed, resumed] = await Promise.all([
      post(`/${id}/close`),
      post(`/${id}/resume`, { resume_token: token }, b),
    ]);
    expect(outcome(closed)).toBe('ok');
    expect(outcome(resumed)).toBeOneOf(['ok', 'session.closed']);
    const last = resumed.status === 200 ? resumed.body.resume_token : token;
    expect(outcome(await post(`/${id}/resume`, { resume_token: last }))).toBe('session.closed');
    expect(await statusOf(id)).toBe('cancelled');
  }
});

test('an escalation beside a close never opens the session again', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { id } = await sessionIn('active');
    const [closed] = await Promise.all([post(`/${id}/close`, undefined, b), send({ escalation }, { session_id: id })]);
    expect(outcome(closed)).toBe('ok');
    expect(await statusOf(id)).toBe('cancelled');
  }
});

test('state, token and event change in one commit: a change whose event cannot be stored is not made', async () => {
  const { id, token } = await sessionIn('active');
  await pool.query(`
    CREATE FUNCTION public.refuse_event() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no event''; END';
    CREATE TRIGGER refuse_event BEFORE INSERT ON runtime.events FOR EACH ROW EXECUTE FUNCTION public.refuse_event();`);
  try {
    expect((await post(`/${id}/close`)).status).toBe(503);
    expect((await post(`/${id}/resume`, { resume_token: token })).status).toBe(503);
  } finally {
    await pool.query('DROP TRIGGER refuse_event ON runtime.events; DROP FUNCTION public.refuse_event();');
  }
  expect(await statusOf(id)).toBe('active');
  expect(outcome(await post(`/${id}/resume`, { resume_token: token }))).toBe('ok');
});
