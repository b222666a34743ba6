import { afterAll, beforeAll, expect, test } from 'vitest';
import { mayBecome, SESSION_STATES } from '#runtime/gateway/sessions/states.js';
import { isToken, tokenHash } from '#runtime/gateway/sessions/token.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import type {
  Body,
  EventStream,
  HandshakeResponse,
  SessionList,
  SessionResume,
  SessionView,
} from '#runtime/protocol/types.js';
import { until } from '../../../support/until.ts';
import {
  type Answer,
  actionEnvelope,
  errorOf,
  type HttpGateway,
  principalEntry,
  startHttpGateway,
} from '../support/gateway.ts';

const ACME = { tenant_id: 'acme' };
const SESSION_SCOPES = ['session:read', 'session:write', 'events:read', 'action:read'];
const PRINCIPALS = [
  principalEntry('desk', { ...ACME, principal_id: 'agent:desk', scopes: SESSION_SCOPES }),
  principalEntry('reader', { ...ACME, principal_id: 'agent:desk', scopes: ['session:read'] }),
  principalEntry('scopeless', { ...ACME, principal_id: 'agent:desk', scopes: [] }),
  principalEntry('other', { ...ACME, principal_id: 'agent:other', scopes: SESSION_SCOPES }),
  principalEntry('wide', { ...ACME, scopes: ['session:read:any', 'session:write:any'] }),
  principalEntry('stranger', { tenant_id: 'globex', principal_id: 'agent:desk', scopes: ['*'] }),
  principalEntry('lister', { ...ACME, principal_id: 'agent:lister', scopes: SESSION_SCOPES }),
  principalEntry('elsewhere', { tenant_id: 'globex', scopes: ['session:read:any'] }),
  principalEntry('untenanted', { principal_id: 'agent:desk', scopes: SESSION_SCOPES }),
];
const GATEWAY = { id: 'service:aip-gateway', kind: 'service' } as const;
const UNKNOWN = 'sess_0197a1c2d3e47f508192a3b4c5d6e701';

let a: HttpGateway;
let b: HttpGateway;
let pool: Pool;
beforeAll(async () => {
  a = await startHttpGateway({ principals: PRINCIPALS });
  b = await startHttpGateway({ principals: PRINCIPALS, databaseUrl: a.databaseUrl });
  pool = openPool({ url: a.databaseUrl, max: 2 });
});
afterAll(async () => {
  await pool?.close();
  await b?.stop();
  await a?.stop();
});

const send = (token: string, body: Body, fields: object = {}): Promise<Answer> =>
  a.call('POST', '/aip/v1/messages', { token, body: newEnvelope(body, fields, { clock: Date.now }) });

const handshake = (id = 'agent:desk', changes: object = {}): Body =>
  ({
    handshake: { client: { id, kind: 'agent' }, purpose: 'tests', profiles: ['aip.native.http.v1'], ...changes },
  }) as Body;

async function open(token = 'desk', id = 'agent:desk'): Promise<{ id: string; token: string }> {
  const answer = await send(token, handshake(id));
  const { session_id, resume_token } = answer.body.body.handshake_response as HandshakeResponse;
  return { id: session_id as string, token: resume_token as string };
}

const get = (token: string, path: string, gateway = a): Promise<Answer> =>
  gateway.call('GET', `/aip/v1/sessions${path}`, { token });
const post = (token: string, path: string, body?: unknown, gateway = a): Promise<Answer> =>
  gateway.call('POST', `/aip/v1/sessions${path}`, { token, body });
const resume = (session: { id: string; token: string }, more: object = {}, gateway = a): Promise<Answer> =>
  post('desk', `/${session.id}/resume`, { resume_token: session.token, ...more }, gateway);
const refusal = (answer: Answer): [number, string] => [answer.status, errorOf(answer).code];

test('a handshake opens an active session of the caller, with what both sides agreed on', async () => {
  const answer = await send(
    'desk',
    handshake('agent:desk', {
      profiles: ['aip.other.v1', 'aip.native.http.v1'],
      requested_capabilities: ['cap:none', 'cap:aip:server:health'],
      heartbeat: { every_ms: 1000 },
      auth: { password: 'not kept' },
    }),
  );
  expect([answer.status, answer.body.body.handshake_response]).toEqual([
    200,
    {
      status: 'accepted',
      session_id: expect.stringMatching(/^sess_/),
      resume_token: expect.stringMatching(/^[\w-]{43}$/),
      server: GATEWAY,
      agreed_profiles: ['aip.native.http.v1'],
      agreed_capabilities: ['cap:aip:server:health'],
      heartbeat: { every_ms: 1000 },
    },
  ]);
  const { session_id, resume_token } = answer.body.body.handshake_response;
  const { rows } = await pool.query<{ row: string }>(
    'SELECT to_json(s)::text AS row FROM runtime.sessions s WHERE session_id = $1',
    [session_id],
  );
  expect(rows[0]?.row).not.toContain(resume_token);
  expect(rows[0]?.row).not.toContain('not kept');
  expect((await get('desk', `/${session_id}`)).body).toMatchObject({
    status: 'active',
    principal: { id: 'agent:desk' },
  });
});

test('a handshake without a common profile is rejected with its reason and opens nothing', async () => {
  const answer = await send('desk', handshake('agent:desk', { profiles: ['aip.other.v1'] }));
  expect([answer.status, answer.body.body.handshake_response]).toMatchObject([
    200,
    { status: 'rejected', rejection_reason: { code: 'handshake.no_compatible_profile', category: 'permanent' } },
  ]);
  expect(answer.body.body.handshake_response.session_id).toBeUndefined();
});

test.each<[string, Body, string]>([
  ['for another principal', handshake('agent:other'), 'auth.claim_mismatch'],
  [
    'with too many profiles',
    handshake('agent:desk', { profiles: Array.from({ length: 257 }, (_, n) => `p${n}`) }),
    'action.invalid_input',
  ],
  ['above 64 KiB', handshake('agent:desk', { purpose: 'x'.repeat(65_536) }), 'action.invalid_input'],
])('a handshake %s is refused', async (_what, body, code) => {
  expect(errorOf(await send('desk', body)).code).toBe(code);
});

test('N-145 a session is answered to its owner with all of its members', async () => {
  const { id } = await open();
  const { status, body } = await get('desk', `/${id}`);
  expect(status).toBe(200);
  expect(body).toEqual({
    session_id: id,
    status: 'active',
    principal: { id: 'agent:desk', kind: 'agent' },
    peer: GATEWAY,
    created_at: expect.any(String),
    updated_at: body.created_at,
    expires_at: expect.any(String),
    active_action_count: 0,
    links: {
      self: `/aip/v1/sessions/${id}`,
      close: `/aip/v1/sessions/${id}/close`,
      resume: `/aip/v1/sessions/${id}/resume`,
    },
  });
  expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(86_400_000);
  expect((await get('desk', `/${id}`, b)).body).toEqual(body);
  const asked = await send('desk', { session_request: { session_id: id } });
  expect(asked.body.body.session_view).toEqual(body);
});

test('a session counts the live actions of its owner and no other caller’s', async () => {
  const { id } = await open();
  const insert = (action: string, tenant: string, principal: string, completed: number | null) =>
    pool.query(
      `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, session_id, message_id, mode,
         state, request, plan, accepted_at, updated_at, completed_at)
       VALUES ($1, $2, $3, 'agent', 'cap:x', $4, $1, 'async', $5, '{}', '{}', 1, 4102444800000, $6)`,
      [action, tenant, principal, id, completed === null ? 'pending_approval' : 'completed', completed],
    );
  await insert(`act_${id}_1`, 'acme', 'agent:desk', null);
  await insert(`act_${id}_2`, 'acme', 'agent:desk', 1);
  await insert(`act_${id}_3`, 'acme', 'agent:other', null);
  await insert(`act_${id}_4`, 'globex', 'agent:desk', null);
  expect((await get('desk', `/${id}`)).body).toMatchObject({
    active_action_count: 1,
    updated_at: '2100-01-01T00:00:00Z',
  });
});

test('part of N-343 N-344 N-345: a session shows to its owner and to cross-owner readers of its tenant alone', async () => {
  const { id } = await open();
  for (const token of ['desk', 'reader', 'wide'])
    expect([token, (await get(token, `/${id}`)).status]).toEqual([token, 200]);
  for (const token of ['other', 'stranger', 'untenanted'])
    expect([token, ...refusal(await get(token, `/${id}`))]).toEqual([token, 400, 'session.not_found']);
  expect(refusal(await get('desk', `/${UNKNOWN}`))).toEqual([400, 'session.not_found']);
  for (const path of ['', `/${id}`])
    expect(refusal(await get('scopeless', path))).toEqual([401, 'auth.not_authorized']);
});

test('N-140 N-141 N-142 sessions are listed by principal and status', async () => {
  const mine = await open('lister', 'agent:lister');
  const closed = await open('lister', 'agent:lister');
  await post('lister', `/${closed.id}/close`);
  const ids = async (token: string, query: string) =>
    ((await get(token, `?limit=1000&${query}`)).body as SessionList).sessions.map((each) => each.session_id);
  expect(await ids('lister', '')).toEqual([mine.id, closed.id]);
  expect(await ids('lister', 'principal_id=agent:lister')).toEqual([mine.id, closed.id]);
  expect(await ids('wide', 'principal_id=agent:lister')).toEqual([mine.id, closed.id]);
  expect(await ids('wide', `principal_id=${GATEWAY.id}`)).toEqual(await ids('wide', ''));
  expect(await ids('wide', 'principal_id=agent:nobody')).toEqual([]);
  expect(await ids('lister', 'status=active')).toEqual([mine.id]);
  expect(await ids('lister', 'status=cancelled')).toEqual([closed.id]);
  expect(await ids('lister', 'status=settled')).toEqual([]);
  expect(await ids('elsewhere', '')).toEqual([]);
  expect(await ids('elsewhere', 'principal_id=agent:lister')).toEqual([]);
  expect(refusal(await get('lister', '?principal_id=agent:desk'))).toEqual([401, 'auth.not_authorized']);
  const view = (await get('lister', '?limit=1')).body as SessionList;
  expect(view.sessions[0]).toEqual((await get('lister', `/${mine.id}`)).body);
});

test('N-143 N-144 the list continues at its cursor without loss or repeat, for its own caller and filter alone', async () => {
  for (let n = 0; n < 5; n += 1) await open();
  const all = ((await get('desk', '?limit=1000')).body as SessionList).sessions.map((each) => each.session_id);
  const walked: string[] = [];
  let cursor: string | undefined;
  do {
    const page = (await get('desk', `?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`)).body as SessionList;
    expect(page.sessions.length).toBeLessThanOrEqual(2);
    walked.push(...page.sessions.map((each) => each.session_id));
    ({ cursor } = page);
  } while (cursor !== undefined);
  expect(walked).toEqual(all);
  const issued = ((await get('desk', '?limit=1')).body as SessionList).cursor;
  for (const [token, path] of [
    ['wide', `?limit=1&cursor=${issued}`],
    ['desk', `?limit=1&status=active&cursor=${issued}`],
    ['desk', '?cursor=offset:1'],
  ] as const)
    expect(refusal(await get(token, path))).toEqual([400, 'query.cursor_invalid']);
});

test('N-414 sessions come by 100 rows by default; limit is clamped to 1 through 1000', async () => {
  await pool.query(
    `INSERT INTO runtime.sessions (session_id, tenant_id, principal_id, principal_kind, peer_id, peer_kind, status, handshake, token_hash,
       expires_at, created_at, updated_at)
     SELECT 'sess_many' || n, 'acme', 'agent:many', 'agent', 'service:x', 'service', 'active', '{}', '', 4102444800000, 1, 1
     FROM generate_series(1, 1001) n`,
  );
  for (const [query, count] of [
    ['', 100],
    ['&limit=0', 1],
    ['&limit=-1', 1],
    ['&limit=1000', 1000],
    ['&limit=1001', 1000],
  ] as const) {
    const page = (await get('wide', `?principal_id=agent:many${query}`)).body as SessionList;
    expect([query, page.sessions.length, page.cursor === undefined]).toEqual([query, count, false]);
  }
  const asked = await send('wide', { session_list_request: { principal_id: 'agent:many', limit: 0 } });
  expect(asked.body.body.session_list.sessions).toHaveLength(1);
});

test('N-146 a session is closed without a reason, and its token is worth nothing then', async () => {
  for (const body of [undefined, {}]) {
    const session = await open();
    const answer = await post('desk', `/${session.id}/close`, body);
    expect([answer.status, answer.body]).toMatchObject([200, { session_id: session.id, status: 'cancelled' }]);
    expect((await get('desk', `/${session.id}`, b)).body).toEqual(answer.body);
    expect(refusal(await resume(session))).toEqual([400, 'session.closed']);
    expect(refusal(await post('desk', `/${session.id}/close`))).toEqual([400, 'session.closed']);
  }
});

test('N-147 the reason of a close is kept with it and reported in its event', async () => {
  const { id } = await open();
  await post('desk', `/${id}/close`, { reason: 'shift ended' });
  const { rows } = await pool.query('SELECT close_reason FROM runtime.sessions WHERE session_id = $1', [id]);
  expect(rows).toEqual([{ close_reason: 'shift ended' }]);
  expect(await eventsOf(id)).toMatchObject([
    { kind: 'aip.session.closed', data: { session_id: id, reason: 'shift ended' } },
  ]);
});

test.each([
  ['a list', '[]'],
  ['a number as reason', { reason: 5 }],
  ['a blank reason', { reason: ' ' }],
  ['an unknown member', { reason: 'x', force: true }],
  ['no JSON', '{'],
])('a close with %s is refused with 400 and closes nothing', async (_what, body) => {
  const { id } = await open();
  expect((await post('desk', `/${id}/close`, body)).status).toBe(400);
  expect((await get('desk', `/${id}`)).body.status).toBe('active');
});

test('only the owner closes and resumes a session, whatever scopes others have', async () => {
  const session = await open();
  for (const token of ['other', 'wide', 'stranger', 'untenanted']) {
    expect(refusal(await post(token, `/${session.id}/close`))).toEqual([400, 'session.not_found']);
    const resumed = await post(token, `/${session.id}/resume`, { resume_token: session.token });
    expect(refusal(resumed)).toEqual([401, 'session.resume_rejected']);
  }
  for (const path of ['close', 'resume'])
    expect(
      refusal(
        await post('reader', `/${session.id}/${path}`, { ...(path === 'resume' && { resume_token: session.token }) }),
      ),
    ).toEqual([401, 'auth.not_authorized']);
  expect((await resume(session)).status).toBe(200);
});

test('N-057 N-058 N-059 N-060 N-148 a resume replaces the token, which is then worth nothing; a failed one leaves it as it was', async () => {
  const first = await open();
  const wrong = { ...first, token: tokenHash('wrong').slice(0, 43) };
  for (const attempt of [
    () => resume(wrong),
    () => post('desk', `/${first.id}/resume`),
    () => post('desk', `/${first.id}/resume`, {}),
    () => post('desk', `/${first.id}/resume`, { resume_token: '' }),
    () => post('desk', `/${UNKNOWN}/resume`, { resume_token: first.token }),
  ])
    expect(refusal(await attempt())).toEqual([401, 'session.resume_rejected']);
  expect(refusal(await resume(first, { last_event_cursor: 'nonsense' }))).toEqual([400, 'query.cursor_invalid']);

  const answer = await resume(first, {}, b);
  expect(answer.status).toBe(200);
  const second = { id: first.id, token: (answer.body as SessionResume).resume_token as string };
  expect(second.token).toMatch(/^[\w-]{43}$/);
  expect(second.token).not.toBe(first.token);
  expect((answer.body as SessionResume).session).toMatchObject({ session_id: first.id, status: 'active' });
  expect(refusal(await resume(first))).toEqual([401, 'session.resume_rejected']);
  expect((await resume(second)).status).toBe(200);
});

test('of resumes that present one token together, at two gateways, exactly one succeeds', async () => {
  const session = await open();
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => resume(session, {}, n % 2 ? a : b)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(401)]);
});

test('a closed session is reported before its token is checked, and the token stays as it was', async () => {
  const session = await open();
  const before = await rowOf(session.id);
  await post('desk', `/${session.id}/close`);
  for (const token of [session.token, 'wrong'])
    expect(refusal(await resume({ ...session, token }))).toEqual([400, 'session.closed']);
  expect(await rowOf(session.id)).toEqual(before);
});

test('a token that lapsed does not resume, and a session that was not resumed in time is closed', async () => {
  const session = await open();
  const live = await open();
  await pool.query('UPDATE runtime.sessions SET expires_at = $2 WHERE session_id = $1', [session.id, Date.now()]);
  const late = await resume(session);
  expect(refusal(late)).toBeOneOf([
    [401, 'session.resume_rejected'],
    [400, 'session.closed'],
  ]);
  // The gateways do it, once a while.
  const ended = await until('it is closed', async () => {
    const { body } = await get('desk', `/${session.id}`);
    return body.status === 'cancelled' && (body as SessionView);
  });
  expect(ended.expires_at).toBeUndefined();
  expect(await eventsOf(session.id)).toMatchObject([{ kind: 'aip.session.closed', data: { reason: 'expired' } }]);
  expect((await get('desk', `/${live.id}`)).body.status).toBe('active');
});

test('N-149 a resume reads on after the last event: the session’s events come once, and the cursor continues behind them', async () => {
  const session = await open();
  const elsewhere = await open();
  const submit = async (sessionId: string): Promise<string> => {
    const envelope = actionEnvelope({}, { session_id: sessionId });
    await a.call('POST', '/aip/v1/messages', { token: 'desk', body: envelope });
    return (envelope.body as { action: { id: string } }).action.id;
  };
  const first = await submit(session.id);
  await submit(elsewhere.id);
  const seen = (page: SessionResume) => (page.replayed_events ?? []).flatMap(({ action_id }) => action_id ?? []);
  const walk = async (token: string, cursor?: string) => {
    const actions: string[] = [];
    let at = cursor;
    let current = token;
    for (let page = 0; page < 40; page += 1) {
      const body = (await resume({ id: session.id, token: current }, at === undefined ? {} : { last_event_cursor: at }))
        .body as SessionResume;
      actions.push(...seen(body));
      const done = body.next_cursor === at;
      at = body.next_cursor as string;
      current = body.resume_token as string;
      if (done || actions.length > 0) break;
    }
    return { actions, cursor: at as string, token: current };
  };
  const read = await until('the first event is readable', async () => {
    const found = await walk(await tokenOf(session));
    session.token = found.token;
    return found.actions.length > 0 && found;
  });
  expect(read.actions).toEqual([first]);
  const second = await submit(session.id);
  const rest = await until('the second event is readable', async () => {
    const found = await walk(session.token, read.cursor);
    session.token = found.token;
    return found.actions.length > 0 && found;
  });
  expect(rest.actions).toEqual([second]);

  const page = (await a.call('GET', `/aip/v1/events?cursor=${read.cursor}`, { token: 'desk' })).body as EventStream;
  expect(page.events.map(({ action_id }) => action_id)).toContain(second);
  expect(page.events.map(({ action_id }) => action_id)).not.toContain(first);
});

async function tokenOf(session: { token: string }): Promise<string> {
  return session.token;
}

test('a resume takes the id of the last event too', async () => {
  const session = await open();
  await resume(session).then(({ body }) => Object.assign(session, { token: body.resume_token }));
  const [rotated] = await eventsOf(session.id);
  const answer = await until('the event is readable', async () => {
    const next = await resume(session, { last_event_cursor: rotated?.id });
    session.token = next.body.resume_token;
    return next.body.replayed_events && next;
  });
  const kinds = (answer.body as SessionResume).replayed_events?.map(({ kind, id }) => [kind, id === rotated?.id]);
  expect(kinds).toContainEqual(['aip.session.resume_token_rotated', false]);
  expect(kinds).not.toContainEqual(['aip.session.resume_token_rotated', true]);
});

test('N-150 N-151 the suffix forms close and resume as the paths do', async () => {
  const session = await open();
  const resumed = await post('desk', `/${session.id}:resume`, { resume_token: session.token });
  expect(resumed.body.session).toMatchObject({ session_id: session.id, status: 'active' });
  expect(refusal(await post('desk', `/${session.id}:resume`, { resume_token: session.token }))).toEqual([
    401,
    'session.resume_rejected',
  ]);
  const again = await post('desk', `/${session.id}%3Aresume`, { resume_token: resumed.body.resume_token });
  expect(again.status).toBe(200);
  const closed = await post('desk', `/${session.id}:close`, { reason: 'done' });
  expect(closed.body).toMatchObject({ session_id: session.id, status: 'cancelled' });
  expect(await eventsOf(session.id)).toMatchObject([{}, {}, { kind: 'aip.session.closed', data: { reason: 'done' } }]);
});

test('part of N-388 N-390: ids and states of an invalid format are refused with 400; a suffix is not a session', async () => {
  const { id } = await open();
  for (const path of [
    '/act_1',
    '/sess_',
    `/${id}:close`,
    `/${id}:else`,
    `/sess_${'x'.repeat(300)}`,
    '?status=open',
    '?principal_id=',
  ])
    expect([path, ...refusal(await get('desk', path))]).toEqual([path, 400, 'query.invalid']);
  for (const path of ['/act_1/close', '/act_1/resume', '/act_1:close', `/${id}:close:close`])
    expect([path, ...refusal(await post('desk', path))]).toEqual([path, 400, 'query.invalid']);
  const wrong = await post('desk', `/${id}`);
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test.each<[string, string | Uint8Array<ArrayBuffer>, string, number, string]>([
  [
    'deep nesting',
    `{"reason":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    'application/json',
    400,
    'schema.envelope.invalid',
  ],
  ['bytes that are not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 'application/json', 400, 'schema.envelope.invalid'],
  ['a zero character', '{"reason":"a\\u0000b"}', 'application/json', 400, 'envelope.decode.invalid'],
  ['truncated JSON', '{"reason":"a', 'application/json', 400, 'schema.envelope.invalid'],
  ['another media type', 'reason=a', 'application/x-www-form-urlencoded', 415, 'http.unsupported_media_type'],
  ['more than 64 KiB', `{"reason":"${'x'.repeat(70_000)}"}`, 'application/json', 413, 'http.body_too_large'],
])('a body with %s is refused on close and resume and changes nothing', async (_what, body, type, status, code) => {
  const { id } = await open();
  for (const path of ['/close', ':close', '/resume', ':resume']) {
    const response = await fetch(`${a.url}/aip/v1/sessions/${id}${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer desk', 'content-type': type },
      body,
    });
    const text = await response.text();
    expect([response.status, JSON.parse(text).body.error.error.code]).toEqual([status, code]);
  }
  expect((await get('desk', `/${id}`)).body.status).toBe('active');
});

test('unknown and repeated parameters are refused by name; without a credential every route answers 401', async () => {
  const { id } = await open();
  for (const [path, name] of [
    ['?tenant_id=acme', 'tenant_id'],
    ['?limit=1&limit=2', 'limit'],
    ['?limit=many', 'limit'],
    [`/${id}?include=all`, 'include'],
  ] as const) {
    const answer = await get('desk', path);
    expect(refusal(answer)).toEqual([400, 'query.invalid']);
    expect(errorOf(answer).message).toContain(name);
  }
  expect(refusal(await post('desk', `/${id}/close?force=true`))).toEqual([400, 'query.invalid']);
  for (const [method, path] of [
    ['GET', '/sessions'],
    ['GET', `/sessions/${id}`],
    ['POST', `/sessions/${id}/close`],
    ['POST', `/sessions/${id}:resume`],
    ['GET', '/approvals'],
    ['GET', '/approvals/appr_1'],
  ] as const)
    for (const headers of [{}, { authorization: 'Bearer wrong' }])
      expect(refusal(await a.call(method, `/aip/v1${path}`, { headers: headers as Record<string, string> }))).toEqual([
        401,
        'auth.native_http_unauthorized',
      ]);
});

test('the bodies of a session do what its routes do, and the envelope names the same session', async () => {
  const session = await open();
  const resumed = await send('desk', {
    session_resume_request: { session_id: session.id, resume_token: session.token },
  });
  expect(resumed.body.body.session_resume.session.session_id).toBe(session.id);
  const mismatch = await send('desk', { session_close_request: { session_id: session.id } }, { session_id: UNKNOWN });
  expect(refusal(mismatch)).toEqual([401, 'auth.session_mismatch']);
  const closed = await send(
    'desk',
    { session_close_request: { session_id: session.id, reason: 'done' } },
    { session_id: session.id },
  );
  expect(closed.body.body.session_view).toMatchObject({ status: 'cancelled' });
  expect(refusal(await send('desk', { session_close_request: { session_id: session.id } }))).toEqual([
    400,
    'session.closed',
  ]);
});

test('a session is cancelled by a cancel that names it', async () => {
  const session = await open();
  expect(refusal(await send('other', { cancel: { target: { session: session.id } } } as Body))).toEqual([
    400,
    'session.not_found',
  ]);
  const answer = await send('desk', { cancel: { target: { session: session.id }, reason: 'enough' } } as Body);
  expect(answer.body.body.event_stream.events).toMatchObject([
    { kind: 'aip.session.cancelled', data: { target: 'session', session_id: session.id, reason: 'enough' } },
  ]);
  expect((await get('desk', `/${session.id}`)).body.status).toBe('cancelled');
});

test('an escalation makes its session wait for a human, and a resolution makes it continue', async () => {
  const session = await open();
  const correlated = { session_id: session.id, correlation_id: `corr_${session.id}` };
  const escalation = {
    kind: 'input',
    reason: 'missing order number',
    requested_by: { id: 'agent:desk', kind: 'agent' },
    risk: 'low',
  };
  const resolution = {
    status: 'modified',
    resolved_by: { id: 'agent:other', kind: 'agent' },
    resolved_at: '2026-03-02T09:25:00Z',
    result: { order: 'A-17' },
  };
  expect(refusal(await send('other', { escalation } as Body, correlated))).toEqual([401, 'auth.actor_mismatch']);
  const asked = await send('desk', { escalation } as Body, correlated);
  expect(asked.body.body.event_stream.events).toMatchObject([
    {
      kind: 'aip.escalation.requested',
      session_id: session.id,
      data: { kind: 'input', reason: 'missing order number', risk: 'low' },
    },
  ]);
  expect((await get('desk', `/${session.id}`)).body.status).toBe('waiting_for_human');
  await send('other', { escalation_resolution: resolution } as Body, { correlation_id: 'corr_of_another' });
  expect((await get('desk', `/${session.id}`)).body.status).toBe('waiting_for_human');
  const forged = await send('desk', { escalation_resolution: resolution } as Body, correlated);
  expect(refusal(forged)).toEqual([401, 'auth.actor_mismatch']);
  expect((await get('desk', `/${session.id}`)).body.status).toBe('waiting_for_human');
  const answered = await send('other', { escalation_resolution: resolution } as Body, correlated);
  expect(answered.body.body.event_stream.events).toMatchObject([
    { kind: 'aip.escalation.resolved', data: { status: 'modified', result: { order: 'A-17' } } },
  ]);
  expect((await get('desk', `/${session.id}`)).body.status).toBe('processing');
  const { rows } = await pool.query('SELECT kind FROM runtime.escalations WHERE correlation_id = $1 ORDER BY seq', [
    correlated.correlation_id,
  ]);
  expect(rows).toEqual([{ kind: 'escalation' }, { kind: 'resolution' }]);
  expect((await eventsOf(session.id)).map(({ kind }) => kind)).toEqual([
    'aip.escalation.requested',
    'aip.escalation.resolved',
  ]);
  expect((await post('desk', `/${session.id}/close`)).status).toBe(200);
});

test('an escalation never moves the session of another caller', async () => {
  const session = await open();
  const escalation = { kind: 'input', reason: 'mischief', requested_by: { id: 'agent:other', kind: 'agent' } };
  expect((await send('other', { escalation } as Body, { session_id: session.id })).status).toBe(200);
  expect((await get('desk', `/${session.id}`)).body.status).toBe('active');
});

test('sessions outlive the gateway that opened them', async () => {
  const third = await startHttpGateway({ principals: PRINCIPALS, databaseUrl: a.databaseUrl });
  const answer = await third.call('POST', '/aip/v1/messages', {
    token: 'desk',
    body: newEnvelope(handshake(), {}, { clock: Date.now }),
  });
  const { session_id: id, resume_token: token } = answer.body.body.handshake_response;
  await third.stop();
  expect((await resume({ id, token })).status).toBe(200);
});

test('a session changes only as its state allows', () => {
  const reachable = Object.fromEntries(
    SESSION_STATES.map((from) => [from, SESSION_STATES.filter((to) => mayBecome(from, to))]),
  );
  expect(reachable).toEqual({
    new: ['active'],
    active: ['queued', 'processing', 'cancelled'],
    queued: ['processing', 'failed', 'cancelled'],
    processing: ['streaming', 'waiting_for_human', 'completed', 'failed', 'cancelled'],
    streaming: ['waiting_for_human', 'completed', 'failed', 'cancelled'],
    waiting_for_human: ['processing', 'completed', 'failed', 'cancelled'],
    completed: ['settled'],
    failed: ['settled'],
    cancelled: ['settled'],
    settled: [],
  });
});

test('a token is stored as the hex SHA-256 of its text', () => {
  const token = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
  const hash = 'ea866a757e4c38babfa8127cbe9a409d3e1f93a00ff1488ff735fcf917afffd0';
  expect(tokenHash(token)).toBe(hash);
  expect([isToken(token, hash), isToken('', hash), isToken(`${token}x`, hash)]).toEqual([true, false, false]);
});

async function rowOf(id: string): Promise<unknown> {
  const { rows } = await pool.query(
    'SELECT token_hash, token_revision, expires_at FROM runtime.sessions WHERE session_id = $1',
    [id],
  );
  return rows;
}

async function eventsOf(id: string): Promise<{ id: string; kind: string; data: Record<string, unknown> }[]> {
  const { rows } = await pool.query<{ record: { id: string; kind: string; data: Record<string, unknown> } }>(
    'SELECT record FROM runtime.events WHERE session_id = $1 ORDER BY xid, seq',
    [id],
  );
  return rows.map(({ record }) => record);
}
