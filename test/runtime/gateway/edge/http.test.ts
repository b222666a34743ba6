import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openPool } from '#runtime/postgres/pool.js';
import {
  decodeEnvelope,
  MESSAGE_TYPES,
  newEnvelope,
  signEnvelope,
  verifyEnvelope,
} from '#runtime/protocol/envelope.js';
import { RemoteError } from '#runtime/protocol/errors.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { formatTime } from '#runtime/protocol/time.js';
import type { Body } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';
import { errorEnvelope } from '#runtime/transport/http/error-response.js';
import { storeAction } from '../events/fixture.ts';
import {
  actionEnvelope,
  errorOf,
  type HttpGateway,
  principalEntry,
  startHttpGateway,
  TOKEN,
} from '../support/gateway.ts';

const trusted = signingKeyFromSeed(newSeedHex());
const stranger = signingKeyFromSeed(newSeedHex());
const SIGNER = { id: 'agent:desk', kind: 'agent' as const };
const ERGONOMIC = [
  '/aip/v1/actions',
  '/aip/v1/actions/act_1',
  '/aip/v1/actions/act_1/result',
  '/aip/v1/actions/act_1/events',
  '/aip/v1/actions/act_1/chunks',
  '/aip/v1/events',
  '/aip/v1/receipts/action:act_1',
  '/aip/v1/receipts/by-receipt/rcpt_1',
];

let gateway: HttpGateway;
beforeAll(async () => {
  gateway = await startHttpGateway({
    signers: [
      { signer_did: trusted.did, principal_id: SIGNER.id, tenant_id: 'acme', scopes: ['action:read', 'receipt:read'] },
    ],
    principals: [
      principalEntry('reader', { tenant_id: 'acme', scopes: ['action:read'] }),
      principalEntry('writer', { tenant_id: 'acme', scopes: ['action:read', 'action:write'] }),
      principalEntry('foreign', { tenant_id: 'globex', scopes: ['*'] }),
      principalEntry('bare', { tenant_id: 'acme' }),
      principalEntry('late', { tenant_id: 'acme', scopes: ['*'], expires_at: '2020-01-01T00:00:00Z' }),
    ],
  });
});
afterAll(() => gateway?.stop());

const send = (body: unknown, token: string | null = TOKEN, path = '/aip/v1/messages') =>
  gateway.call('POST', path, { token: token ?? undefined, body });
const sendSigned = async (envelope: ReturnType<typeof actionEnvelope>, key = trusted, principal: object = SIGNER) =>
  gateway.call('POST', '/aip/v1/messages', { body: await signEnvelope(envelope, principal as typeof SIGNER, key) });
const query = (body: Body) => newEnvelope(body, {}, { clock: Date.now });
const completed = (answer: Awaited<ReturnType<typeof send>>) => {
  expect(answer.status).toBe(200);
  expect(answer.body.body.action_result.status).toBe('completed');
  return answer.body;
};

test('N-065 N-066 N-070 N-313 the liveness payload is public and the same on its three paths', async () => {
  const payloads = [];
  for (const path of ['/', '/health', '/aip/v1/health']) {
    const answer = await gateway.call('GET', path);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: 'ok', protocol: 'AIP', version: '1.0', service: 'aip-gateway' });
    expect(answer.body.uptime_ms).toBeGreaterThanOrEqual(0);
    payloads.push({ ...answer.body, uptime_ms: 0 });
  }
  expect(payloads).toEqual(Array(3).fill(payloads[0]));
});

test('N-067 N-313 the gateway is ready, without a credential', async () => {
  const answer = await gateway.call('GET', '/ready');
  expect(answer).toMatchObject({
    status: 200,
    body: {
      status: 'ready',
      gateway: { ready: true, storage: { ready: true, detail: 'postgres' } },
      supervisor: { runtime_worker_running: true, nats_required: false },
    },
  });
});

test('N-069 N-290 N-309 N-310 N-313 the metrics are public Prometheus text, and only envelopes have a label: their type', async () => {
  await send(actionEnvelope());
  const answer = await gateway.call('GET', '/metrics');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(answer.body).toMatch(/^aip_envelopes_received_total\{message_type="aip\.core\.v1\.action"\} [1-9]/m);
  expect(answer.body).toMatch(/^aip_actions_total [1-9]/m);
  expect(answer.body).toMatch(/^aip_runtime_worker_up 1$/m);
  const labelled = (answer.body as string).split('\n').filter((line) => !line.startsWith('#') && line.includes('{'));
  expect(labelled.length).toBeGreaterThan(0);
  // This gateway has no fleet, and so no scheduler.
  expect(answer.body).not.toContain('aip_connector_remote_');
  for (const line of labelled)
    expect(line).toMatch(/^aip_envelopes_received_total\{message_type="aip\.[a-z]+\.v1\.[a-z_]+"\} \d+$/);
});

test('N-071 N-313 the manifest is public and filtered by the query', async () => {
  const complete = await gateway.call('GET', '/aip/v1/manifest');
  expect(check('Manifest', complete.body)).toEqual([]);
  expect(complete.body.capabilities.map((each: { id: string }) => each.id)).toEqual(['cap:aip:server:health']);
  const empty = '/aip/v1/manifest?capability_id=&risk=&requires_approval=&profile=,';
  expect((await gateway.call('GET', empty)).body).toEqual(complete.body);
  const filtered = await gateway.call('GET', '/aip/v1/manifest?capability_id=cap:x,cap:y');
  expect(filtered.body.capabilities).toEqual([]);
  for (const bad of ['risk=huge', 'side_effect=read,none', 'requires_approval=maybe', 'nonsense=1'])
    expect(errorOf(await gateway.call('GET', `/aip/v1/manifest?${bad}`)).code).toBe('query.invalid');
});

test('N-002 N-015 N-016 N-017 N-018 N-019 N-021 N-022 N-072 N-499 an envelope is answered with a complete correlated one', async () => {
  const fields = { correlation_id: 'corr_1', session_id: 'sess_1', from: SIGNER };
  const first = actionEnvelope({}, fields);
  const answer = completed(await send(first));
  expect(decodeEnvelope(structuredClone(answer))).toBeDefined();
  expect(answer).toMatchObject({
    aip_version: '1.0',
    message_type: 'aip.core.v1.action_result',
    correlation_id: 'corr_1',
    session_id: 'sess_1',
    in_response_to: first.message_id,
    to: { id: 'service:edge', kind: 'service' },
    from: { id: 'service:aip-gateway', kind: 'service', trust_domain: 'test' },
  });
  const second = completed(await send(actionEnvelope()));
  expect(second.message_id).not.toBe(answer.message_id);
  expect(answer.sent_at).toMatch(/Z$/);
});

test('N-083 both envelope paths answer an action alike, but for its ids and times', async () => {
  const answers = [];
  for (const path of ['/aip/v1/actions', '/aip/v1/messages']) {
    const envelope = actionEnvelope();
    const id = (envelope.body as { action: { id: string } }).action.id;
    const answer = completed(await send(envelope, TOKEN, path));
    const { message_id, sent_at, in_response_to, body, ...fields } = answer;
    expect([message_id, sent_at].map((each) => typeof each)).toEqual(['string', 'string']);
    expect(in_response_to).toBe(envelope.message_id);
    const { action_id, output, ...result } = body.action_result;
    expect(action_id).toBe(id);
    answers.push({ ...fields, result, output: { ...output, uptime_ms: 0 } });
    const found = await gateway.call('GET', `/aip/v1/actions/${id}`, { token: TOKEN });
    expect(found.body).toMatchObject({ action_id: id, state: 'completed' });
  }
  expect(answers[0]).toEqual(answers[1]);
});

test.each(['/aip/v1/messages', '/aip/v1/actions'])(
  'N-072 N-084 every supported body is answered over %s',
  async (path) => {
    const id = (completed(await send(actionEnvelope())).body.action_result as { action_id: string }).action_id;
    const answers: [object, string][] = [
      [{ action_status_request: { action_id: id, include_result: true } }, 'action_status'],
      [{ action_result_request: { action_id: id } }, 'action_result'],
      [{ action_list_request: { limit: 5 } }, 'action_list'],
      [{ action_events_request: { action_id: id } }, 'action_events'],
      [{ event_stream_request: { limit: 5 } }, 'event_stream'],
      [{ receipt_query_request: { chain_id: `action:${id}` } }, 'receipt_chain'],
      [{ manifest_request: { filter: { risk: ['low'] } } }, 'manifest'],
      [{ heartbeat: { sequence: 7 } }, 'heartbeat_ack'],
      [{ cancel: { target: { action: id } } }, 'action_result'],
    ];
    for (const [body, key] of answers) {
      const answer = await send(query(body as Body), TOKEN, path);
      expect([key, answer.status, Object.keys(answer.body.body)]).toEqual([key, 200, [key]]);
      expect(answer.body.message_type).toBe(MESSAGE_TYPES[key as keyof typeof MESSAGE_TYPES]);
    }
  },
);

test('N-072 part: a complete envelope answers every example of a body, and none is refused as unsupported', async () => {
  const path = join(import.meta.dirname, '..', '..', 'protocol', 'vectors', 'bodies.json');
  const action_id = newId('action');
  const bodies: Body[] = [
    ...(JSON.parse(await readFile(path, 'utf8')) as Body[]),
    { stream_chunk: { action_id, sequence: 1, kind: 'data' } },
    { action_result: { action_id, status: 'completed' } },
    { ack: { action_id, status: 'queued' } },
  ];
  for (const body of bodies) {
    const answer = await send(query(body));
    const [key] = Object.keys(decodeEnvelope(answer.body).body);
    const code = key === 'error' ? errorOf(answer).code : 'none';
    expect([Object.keys(body), code]).not.toEqual([Object.keys(body), 'capability.unsupported']);
    expect([Object.keys(body), code]).not.toEqual([Object.keys(body), 'schema.envelope.invalid']);
  }
});

test('D-14 N-401 a failed query over messages has the status of its category and the code of its failure', async () => {
  const unknown = await send(query({ action_status_request: { action_id: 'act_none' } } as Body));
  expect(unknown.status).toBe(400);
  expect(errorOf(unknown).code).toBe('action.not_found');
  expect(unknown.body.in_response_to).toBeDefined();
});

test('N-314 N-328 N-331 N-334 N-341 a bearer names the principal, whatever the payload claims and whether or not it is signed', async () => {
  const claims = actionEnvelope({}, { from: { id: 'human:boss', kind: 'human' } });
  const id = (claims.body as { action: { id: string } }).action.id;
  completed(await send(claims, 'writer'));
  expect((await gateway.call('GET', `/aip/v1/actions/${id}`, { token: 'writer' })).status).toBe(200);
  const signed = await signEnvelope(actionEnvelope(), SIGNER, trusted);
  const signedId = (signed.body as { action: { id: string } }).action.id;
  completed(await send(signed, 'writer'));
  const list = await gateway.call('GET', '/aip/v1/actions?principal_id=human:writer', { token: 'writer' });
  expect(list.body.actions.map((each: { action_id: string }) => each.action_id)).toEqual([id, signedId]);
});

test('N-315 N-342 a trusted signed envelope is accepted without a bearer, with the rights bound to its signer', async () => {
  const envelope = actionEnvelope();
  const id = (envelope.body as { action: { id: string } }).action.id;
  completed(await sendSigned(envelope));
  const status = await sendSigned(query({ action_status_request: { action_id: id } } as Body) as never);
  expect(status.body.body.action_status.state).toBe('completed');
  const events = await sendSigned(query({ event_stream_request: {} } as Body) as never);
  expect(events.status).toBe(401);
  expect(errorOf(events).code).toBe('auth.not_authorized');
});

test('N-316 N-346 N-352 N-355 an unsigned envelope without a bearer is refused under the default configuration and runs nothing', async () => {
  const envelope = actionEnvelope({}, { from: SIGNER });
  const answer = await send(envelope, null);
  const pool = openPool({ url: gateway.databaseUrl, max: 1 });
  onTestFinished(() => pool.close());
  // Of whatever tenant and principal it would be.
  const { rows } = await pool.query('SELECT FROM runtime.actions WHERE message_id = $1', [envelope.message_id]);
  expect(rows).toEqual([]);
  expect(answer.status).toBe(401);
  expect(errorOf(answer)).toMatchObject({ code: 'auth.signature.invalid', category: 'auth' });
});

test('N-317 a valid signature of an untrusted signer is refused', async () => {
  const answer = await sendSigned(actionEnvelope(), stranger);
  expect([answer.status, errorOf(answer).code]).toEqual([401, 'auth.signature.invalid']);
});

test('N-336 a changed byte of a signed envelope is refused', async () => {
  const signed = await signEnvelope(actionEnvelope({ input: { n: 1 } }), SIGNER, trusted);
  const changed = JSON.parse(JSON.stringify(signed).replace('"n":1', '"n":2'));
  const answer = await send(changed, null);
  expect([answer.status, errorOf(answer).code]).toEqual([401, 'auth.signature.invalid']);
});

test('a signed envelope that names another recipient is refused: it was made for another service or fleet', async () => {
  const here = { id: 'service:aip-gateway', kind: 'service' as const };
  const to = (recipient: object) => sendSigned(actionEnvelope({}, { to: recipient as typeof here }));
  expect((await to(here)).status).toBe(200);
  expect((await to({ ...here, trust_domain: 'test' })).status).toBe(200);
  for (const other of [
    { ...here, id: 'service:other' },
    { ...here, kind: 'agent' },
    { ...here, trust_domain: 'else' },
  ]) {
    const answer = await to(other);
    expect([answer.status, errorOf(answer).code]).toEqual([401, 'auth.signature.invalid']);
  }
});

test('N-337 a trusted signer may send only as the principal that it is bound to', async () => {
  for (const other of [
    { id: 'agent:other', kind: 'agent' },
    { id: SIGNER.id, kind: 'human' },
  ]) {
    const answer = await sendSigned(actionEnvelope(), trusted, other);
    expect([answer.status, errorOf(answer).code]).toEqual([401, 'auth.signature.invalid']);
  }
});

test('N-335 N-338 a repeated message id is refused, by bearer and by signature', async () => {
  const plain = actionEnvelope();
  completed(await send(plain));
  const again = await send(plain);
  expect([again.status, errorOf(again).code]).toEqual([401, 'replay.message_id']);
  const signed = await signEnvelope(actionEnvelope(), SIGNER, trusted);
  completed(await send(signed, null));
  expect(errorOf(await send(signed, null)).code).toBe('replay.message_id');
  const request = query({ heartbeat: { sequence: 1 } } as Body);
  expect((await send(request)).status).toBe(200);
  expect(errorOf(await send(request)).code).toBe('replay.message_id');
});

test('a heartbeat of the largest sequence is acknowledged with that number', async () => {
  const text = JSON.stringify(query({ heartbeat: { sequence: 7 } } as Body)).replace(
    '"sequence":7',
    '"sequence":18446744073709551615',
  );
  const response = await fetch(`${gateway.url}/aip/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: text,
  });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('"sequence":18446744073709551615');
});

test('a message is fresh from 300 s ago to 30 s ahead', async () => {
  const dated = (ms: number) => send(actionEnvelope({}, { sent_at: formatTime(Date.now() + ms) }));
  completed(await dated(-295_000));
  completed(await dated(25_000));
  for (const ms of [-301_000, 35_000]) expect(errorOf(await dated(ms)).code).toBe('replay.message_id');
});

test('N-321 N-332 every ergonomic route answers 401 without a credential', async () => {
  for (const path of ERGONOMIC) {
    const answer = await gateway.call('GET', path);
    expect([path, answer.status, errorOf(answer).code]).toEqual([path, 401, 'auth.native_http_unauthorized']);
  }
  expect((await gateway.call('GET', '/aip/v1/capabilities')).status).toBe(401);
  expect((await gateway.call('POST', '/aip/v1/actions/act_1/cancel')).status).toBe(401);
});

test('N-322 D-01 the actions path needs a bearer even for a trusted signed envelope', async () => {
  const signed = await signEnvelope(actionEnvelope(), SIGNER, trusted);
  const answer = await send(signed, null, '/aip/v1/actions');
  expect([answer.status, errorOf(answer).code]).toEqual([401, 'auth.native_http_unauthorized']);
});

test('N-326 N-327 N-333 an invalid credential is refused everywhere, also beside a good signature', async () => {
  const signed = await signEnvelope(actionEnvelope(), SIGNER, trusted);
  for (const token of ['wrong', 'late', `${TOKEN}x`]) {
    const onMessages = await send(signed, token);
    expect([onMessages.status, errorOf(onMessages).code]).toEqual([401, 'auth.native_http_unauthorized']);
    expect((await gateway.call('GET', '/aip/v1/actions', { token })).status).toBe(401);
  }
  const basic = { authorization: `Basic ${Buffer.from(TOKEN).toString('base64')}` };
  expect((await gateway.call('GET', '/aip/v1/actions', { headers: basic })).status).toBe(401);
});

test('N-329 N-343 the scopes of the credential decide about queries', async () => {
  const answer = await gateway.call('GET', '/aip/v1/actions', { token: 'bare' });
  expect([answer.status, errorOf(answer).code]).toEqual([401, 'auth.not_authorized']);
  expect((await gateway.call('GET', '/aip/v1/actions', { token: 'reader' })).status).toBe(200);
  const cancel = await gateway.call('POST', '/aip/v1/actions/act_x/cancel', { token: 'reader' });
  expect(errorOf(cancel).code).toBe('auth.not_authorized');
});

test('N-107 N-330 N-339 N-345 the tenant of the credential is bound into every query', async () => {
  const id = completed(await send(actionEnvelope())).body.action_result.action_id as string;
  const asked = (path: string, token: string) => gateway.call('GET', `/aip/v1/actions/${id}${path}`, { token });
  for (const path of ['', '/result', '/events', '/chunks']) {
    expect((await asked(path, TOKEN)).status).toBe(200);
    expect((await asked(`${path}?tenant_id=acme`, TOKEN)).status).toBe(200);
    expect(errorOf(await asked(`${path}?tenant_id=globex`, TOKEN)).code).toBe('auth.tenant_mismatch');
    expect(errorOf(await asked(path, 'foreign')).code).toBe('action.not_found');
    expect(errorOf(await asked(`${path}?tenant_id=acme`, 'foreign')).code).toBe('auth.tenant_mismatch');
  }
});

test('N-388 N-389 N-390 N-391 N-392 D-06 wrong paths and parameters are refused with 400 query.invalid', async () => {
  const refused = [
    '/aip/v1/actions/sess_1',
    '/aip/v1/actions/act_1%00',
    `/aip/v1/actions/act_${'a'.repeat(300)}`,
    '/aip/v1/actions/%E0%A4%A',
    '/aip/v1/actions/act_1/result?wait_ms=30001',
    '/aip/v1/actions/act_1?wait_ms=x',
    '/aip/v1/actions/act_1?include_result=1',
    '/aip/v1/actions?session_id=act_1',
    '/aip/v1/actions?state=sleeping',
    '/aip/v1/actions?limit=ten',
    '/aip/v1/actions?unknown=1',
    '/aip/v1/actions?limit=1&limit=1',
    '/aip/v1/receipts/by-receipt/act_1',
    '/aip/v1/receipts/x?a=1',
  ];
  for (const path of refused) {
    const answer = await gateway.call('GET', path, { token: TOKEN });
    expect([path, answer.status]).toEqual([path, 400]);
    expect(errorOf(answer)).toMatchObject({ code: 'query.invalid', category: 'permanent', retryable: false });
  }
});

test('N-422 wait_ms is accepted and not waited for, also by an action that is still open', async () => {
  const pool = openPool({ url: gateway.databaseUrl, max: 1 });
  onTestFinished(() => pool.close());
  const open = await storeAction(pool, { tenantId: 'acme', principalId: 'service:edge' });
  const asked = (path: string) => gateway.call('GET', `/aip/v1/actions/${open}${path}`, { token: TOKEN });
  const begun = performance.now();
  for (const ms of [0, 30_000]) {
    expect(await asked(`?wait_ms=${ms}`)).toMatchObject({ status: 200, body: { state: 'running' } });
    expect(errorOf(await asked(`/result?wait_ms=${ms}`)).code).toBe('action.result_not_ready');
  }
  // Each of the two with 30000 would take that long if anything waited for it.
  expect(performance.now() - begun).toBeLessThan(30_000);
  for (const path of ['', '/result']) expect((await asked(`${path}?wait_ms=30001`)).status).toBe(400);
});

test('N-383 N-384 N-385 N-035 N-036 N-037 N-038 every failure is an error envelope with a complete ProtocolError', async () => {
  const failures = [
    await send('{ not json'),
    await send({ aip_version: '1.0' }),
    await send(actionEnvelope({ capability_id: 'cap:none' })),
    await send('{ not json', TOKEN, '/aip/v1/actions'),
    await send({ aip_version: '1.0' }, TOKEN, '/aip/v1/actions'),
    await send(actionEnvelope({ capability_id: 'cap:none' }), TOKEN, '/aip/v1/actions'),
    await gateway.call('GET', '/aip/v1/actions/act_none', { token: TOKEN }),
    await gateway.call('GET', '/aip/v1/actions'),
  ];
  for (const failure of failures) {
    const error = errorOf(failure);
    expect(check('ProtocolError', error)).toEqual([]);
    expect(typeof error.retryable).toBe('boolean');
    expect(failure.headers.get('content-type')).toBe('application/json');
  }
});

test('N-395 N-396 N-397 N-398 N-399 N-400 N-401 the category of an error decides the status of its answer', async () => {
  const statuses = {
    auth: 401,
    policy: 403,
    temporary: 503,
    transport: 503,
    connector: 502,
    economic: 402,
    permanent: 400,
  };
  for (const [category, status] of Object.entries(statuses)) {
    const error = new RemoteError({ code: 'x.y', message: 'm', category: category as 'auth' });
    const answer = await errorEnvelope(error, { clock: Date.now });
    expect([category, answer.status]).toEqual([category, status]);
    expect(answer.envelope.body).toMatchObject({ error: { error: { code: 'x.y', category } } });
  }
});

test('N-501 N-384 an envelope of another version, or whose type and body disagree, is refused', async () => {
  const { aip_version: _, ...without } = actionEnvelope();
  for (const body of [without, { ...actionEnvelope(), aip_version: '2.0' }]) {
    const answer = await send(body);
    expect([answer.status, errorOf(answer).code]).toEqual([400, 'schema.envelope.invalid']);
  }
  const disagreeing = await send({ ...actionEnvelope(), message_type: 'aip.core.v1.cancel' });
  expect([disagreeing.status, errorOf(disagreeing).code]).toEqual([400, 'envelope.decode.invalid']);
});

test('D-18 N-442 N-443 bodies are application/json or application/aip+json, answers application/json', async () => {
  for (const type of ['application/json', 'application/aip+json', 'application/json; charset=utf-8']) {
    const body = JSON.stringify(actionEnvelope());
    const answer = await gateway.call('POST', '/aip/v1/messages', {
      token: TOKEN,
      headers: { 'content-type': type },
      body,
    });
    expect(answer.headers.get('content-type')).toBe('application/json');
    completed(answer);
  }
  const json = { 'content-type': 'application/json' };
  const text = { 'content-type': 'text/plain' };
  const id = completed(await send(actionEnvelope())).body.action_result.action_id as string;
  const taken: [string, object, string?][] = [
    ['messages', actionEnvelope()],
    ['actions', actionEnvelope()],
    [`actions/${id}/cancel`, { reason: 'enough' }],
    // What is taken is read: it is about no session that there is.
    ['sessions/sess_none/close', { reason: 'enough' }, 'session.not_found'],
    ['sessions/sess_none/resume', { resume_token: 'none' }, 'session.resume_rejected'],
  ];
  for (const [path, body, code] of taken) {
    const answer = await gateway.call('POST', `/aip/v1/${path}`, { token: TOKEN, headers: json, body });
    expect([path, answer.headers.get('content-type')]).toEqual([path, 'application/json']);
    expect([path, code ? errorOf(answer).code : answer.status]).toEqual([path, code ?? 200]);
    const other = await gateway.call('POST', `/aip/v1/${path}`, { token: TOKEN, headers: text, body });
    expect([path, other.status, errorOf(other).code]).toEqual([path, 415, 'http.unsupported_media_type']);
  }
});

test('D-38 a body above its bound is refused with 413 and nothing of it is done', async () => {
  const answer = await send(actionEnvelope({ input: { text: 'x'.repeat(5_000_000) } }));
  expect([answer.status, errorOf(answer).code]).toEqual([413, 'http.body_too_large']);
});

test('D-12 an unknown path answers 404 and a wrong method 405 with Allow, in the error form', async () => {
  for (const path of ['/aip/v1/nothing', '/aip/v2/actions', '/actions', '/messages']) {
    const answer = await gateway.call('GET', path, { token: TOKEN });
    expect([answer.status, errorOf(answer).code]).toEqual([404, 'http.not_found']);
  }
  const wrong: [string, string, string][] = [
    ['DELETE', '/aip/v1/actions/act_1', 'GET, HEAD'],
    ['GET', '/aip/v1/messages', 'POST'],
    ['PUT', '/aip/v1/actions', 'GET, HEAD, POST'],
    ['POST', '/health', 'GET, HEAD'],
  ];
  for (const [method, path, allow] of wrong) {
    const answer = await gateway.call(method, path, { token: TOKEN });
    expect([answer.status, errorOf(answer).code, answer.headers.get('allow')]).toEqual([
      405,
      'http.method_not_allowed',
      allow,
    ]);
  }
});

test('N-090 N-091 N-092 N-093 part: the cancel route takes nothing, an object, or an object with a text reason', async () => {
  const id = completed(await send(actionEnvelope())).body.action_result.action_id as string;
  const cancel = (body?: unknown) => gateway.call('POST', `/aip/v1/actions/${id}/cancel`, { token: TOKEN, body });
  for (const body of [undefined, {}, { reason: 'enough' }]) {
    const answer = await cancel(body);
    expect(answer).toMatchObject({ status: 200, body: { action_id: id, status: 'completed' } });
  }
  for (const body of ['[]', '"x"', '{"reason":1}', '{"why":"x"}', '{'])
    expect([body, (await cancel(body)).status]).toEqual([body, 400]);
});

test('N-042 part: an id comes back unchanged as a path and query value', async () => {
  const id = `act_${encodeURIComponent('ä/ ?#')}ä/ ?#'"`;
  const session_id = 'sess_ü b/c';
  completed(await send(actionEnvelope({ id }, { session_id })));
  const status = await gateway.call('GET', `/aip/v1/actions/${encodeURIComponent(id)}`, { token: TOKEN });
  expect(status.body).toMatchObject({ action_id: id, session_id });
  const list = await gateway.call('GET', `/aip/v1/actions?session_id=${encodeURIComponent(session_id)}`, {
    token: TOKEN,
  });
  expect(list.body.actions).toHaveLength(1);
});

test('a text that cannot be a key is refused before anything is stored', async () => {
  for (const action of [{ id: 'act_\0' }, { idempotency_key: 'k'.repeat(300) }]) {
    const answer = await send(actionEnvelope(action));
    expect([answer.status, errorOf(answer).code]).toEqual([400, 'action.invalid_input']);
  }
});

test.each([10_000, 100_000])(
  'an input that is nested %i deep is refused as a fault of the caller, at any place of a good envelope',
  async (levels) => {
    const nested = '['.repeat(levels) + ']'.repeat(levels);
    for (const place of ['input', 'memory_context']) {
      const envelope = JSON.stringify(actionEnvelope({ [place]: 'here' })).replace('"here"', nested);
      const answer = await send(envelope);
      expect([place, answer.status, errorOf(answer).category]).toEqual([place, 400, 'permanent']);
    }
  },
);

test('a zero character in a query body or message id is refused as a fault of the caller', async () => {
  const bodies = [
    { action_status_request: { action_id: 'act_\0' } },
    { action_list_request: { capability_id: 'a\0' } },
    { cancel: { target: { action: 'act_\0' } } },
    { cancel: { target: { action: 'act_1' }, reason: '\0' } },
    { event_stream_request: { kinds: ['\0'] } },
  ];
  for (const body of bodies) {
    const answer = await send(query(body as unknown as Body));
    expect([answer.status, errorOf(answer).code]).toEqual([400, 'action.invalid_input']);
  }
  const message = await send(actionEnvelope({}, { message_id: 'msg_\0' }));
  expect([message.status, errorOf(message).code]).toEqual([400, 'envelope.decode.invalid']);
});

test('a valid traceparent becomes the trace of the action', async () => {
  const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
  const envelope = actionEnvelope();
  const answer = await gateway.call('POST', '/aip/v1/messages', { token: TOKEN, headers, body: envelope });
  completed(answer);
  const { openPool } = await import('#runtime/postgres/pool.js');
  const pool = openPool({ url: gateway.databaseUrl, max: 1 });
  const found = await pool.query<{ observability: object }>(
    `SELECT request->'observability' AS observability FROM runtime.actions WHERE message_id = $1`,
    [envelope.message_id],
  );
  await pool.close();
  expect(found.rows[0]?.observability).toEqual({
    trace_id: '0af7651916cd43dd8448eb211c80319c',
    span_id: 'b7ad6b7169203331',
  });
});

test('N-006 N-007 N-008 N-356 no header sets principal, tenant or identifiers', async () => {
  const headers = {
    'aip-principal': 'human:boss',
    'x-tenant-id': 'globex',
    'aip-message-id': 'msg_forged',
    'aip-action-id': 'act_forged',
    'aip-session-id': 'sess_forged',
    'idempotency-key': 'forged',
    'x-forwarded-user': 'human:boss',
    'x-remote-user': 'human:boss',
    'x-forwarded-email': 'boss@example.com',
    'aip-tenant': 'globex',
  };
  const envelope = actionEnvelope();
  const id = (envelope.body as { action: { id: string } }).action.id;
  const answer = await gateway.call('POST', '/aip/v1/messages', { token: TOKEN, headers, body: envelope });
  expect(completed(answer).in_response_to).toBe(envelope.message_id);
  const status = await gateway.call('GET', `/aip/v1/actions/${id}?tenant_id=acme`, { token: TOKEN, headers });
  expect(status.body).not.toHaveProperty('session_id');
  const pool = openPool({ url: gateway.databaseUrl, max: 1 });
  onTestFinished(() => pool.close());
  const { rows } = await pool.query(
    `SELECT principal_id, principal_kind, tenant_id, session_id, message_id, idempotency_key FROM runtime.actions WHERE action_id = $1`,
    [id],
  );
  expect(rows).toEqual([
    {
      principal_id: 'service:edge',
      principal_kind: 'service',
      tenant_id: 'acme',
      session_id: null,
      message_id: envelope.message_id,
      idempotency_key: null,
    },
  ]);
  const unauthenticated = await gateway.call('GET', `/aip/v1/actions/${id}`, { headers });
  expect(unauthenticated.status).toBe(401);
});

test('without a key answers are not signed', async () => {
  const answer = completed(await send(actionEnvelope()));
  expect(answer.security).toBeUndefined();
  await expect(verifyEnvelope(decodeEnvelope(answer))).rejects.toThrow();
});
