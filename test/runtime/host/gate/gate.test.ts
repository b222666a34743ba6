import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Envelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { signValue } from '#runtime/protocol/lifecycle.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { formatTime } from '#runtime/protocol/time.js';
import type { Action } from '#runtime/protocol/types.js';
import { alterations } from '../../../support/alter.ts';
import { until } from '../../../support/until.ts';
import { callsOf, isJournaled } from '../support/calls.ts';
import { type Answer, type Changes, openCentral } from '../support/central.ts';
import { startTestbed, type Testbed } from '../support/testbed.ts';

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed();
});
afterAll(async () => {
  await testbed?.stop();
});

/** An action whose connector call can be counted. */
const counted = (over: Partial<Action> = {}): Partial<Action> & { capability_id: string; id: string } => ({
  id: newId('action'),
  capability_id: 'cap:demo:flaky',
  input: { mode: 'ok' },
  ...over,
});

/** Executions that the journal holds. */
async function executions(): Promise<number> {
  const { rows } = await testbed.pool.query<{ n: number }>('SELECT count(*)::int AS n FROM aip_host.executions');
  return rows[0]?.n ?? 0;
}

/** Sends a counted action with these changes; the answer must be a signed, correlated refusal without a connector call. */
async function refused(changes: Changes, status: number, code: string, over: Partial<Action> = {}): Promise<Answer> {
  const action = counted(over);
  const envelope = await testbed.central.action(action, changes);
  const before = await testbed.metrics();
  const answer = await testbed.central.post(envelope, changes.headers);
  expect(answer).toMatchObject({ status, signer: testbed.key.did, error: { code, retryable: false } });
  expect(answer.envelope).toMatchObject({
    in_response_to: (envelope as Envelope).message_id,
    correlation_id: (envelope as Envelope).correlation_id,
    from: { id: 'agent:demo:test', did: testbed.key.did },
  });
  const after = await testbed.metrics();
  expect(after.rejected_total).toBe((before.rejected_total ?? 0) + 1);
  expect(after.requests_total).toBe((before.requests_total ?? 0) + 1);
  expect(await callsOf(testbed, action.id)).toBe(0);
  return answer;
}

const MISMATCH = 'connector_host.route_mismatch';

test('F-137 F-170 F-325 a complete signed envelope is executed and answered with a signed, correlated envelope', async () => {
  const action = counted();
  const envelope = await testbed.central.action(action);
  const answer = await testbed.central.post(envelope);
  expect(answer).toMatchObject({
    status: 200,
    signer: testbed.key.did,
    result: { action_id: action.id, status: 'completed', output: { attempt: 1 } },
    envelope: {
      aip_version: '1.0',
      in_response_to: envelope.message_id,
      correlation_id: envelope.correlation_id,
      to: testbed.central.principal,
      from: { id: 'agent:demo:test', kind: 'agent', did: testbed.key.did },
    },
  });
  expect(await callsOf(testbed, action.id)).toBe(1);
});

test.each<[string, string, Changes]>([
  [
    'F-143 F-243 F-244',
    'no signature',
    {
      afterSigning: (envelope) => ({
        ...envelope,
        security: { ...(envelope.security as object), signature: undefined },
      }),
    },
  ],
  [
    'F-143',
    'a member changed after signing',
    { afterSigning: (envelope) => ({ ...envelope, sent_at: formatTime(Date.now() - 1000) }) },
  ],
  ['F-145', 'no from', { afterSigning: (envelope) => ({ ...envelope, from: undefined }) }],
])('%s an envelope with %s%s is refused with 401', async (_ids, _what, changes) => {
  await refused(changes, 401, MISMATCH);
});

test('F-143 no member of a signed envelope may change or go, each alone: nothing is executed', async () => {
  const envelope = await testbed.central.action({
    capability_id: 'cap:demo:echo',
    input: { text: 'signed' },
    mode: 'sync',
  });
  const before = await executions();
  const taken: string[] = [];
  const altered = alterations(envelope);
  for (const { at, value } of altered) {
    const { status } = await testbed.central.post(value);
    if (status !== 400 && status !== 401 && status !== 403) taken.push(`${at}: ${status}`);
  }
  expect(taken).toEqual([]);
  expect(altered.length).toBeGreaterThan(60);
  expect(await executions()).toBe(before);
  expect((await testbed.central.post(envelope)).status).toBe(200);
});

test('F-144 F-006 F-165 F-171 an envelope signed by another DID is refused with 401: control plane, another host, anybody', async () => {
  const stranger = signingKeyFromSeed(newSeedHex());
  for (const key of [testbed.control.key, testbed.key, stranger]) {
    await refused({ key }, 401, MISMATCH);
    await refused({ key, from: { ...testbed.central.principal, did: key.did } }, 401, MISMATCH);
  }
});

test('F-010 a native bearer token does not replace the gateway signature', async () => {
  await refused(
    { key: signingKeyFromSeed(newSeedHex()), headers: { authorization: 'Bearer native-token' } },
    401,
    MISMATCH,
  );
});

test.each<[string, string, object]>([
  ['F-145', 'id', { id: 'service:other' }],
  ['F-146', 'kind', { kind: 'agent' }],
  ['F-147', 'trust domain', { trust_domain: 'elsewhere' }],
  ['F-147', 'no trust domain at all', { trust_domain: undefined }],
])('%s a sender with another principal %s is refused with 401', async (_id, _what, over) => {
  await refused({ from: { ...testbed.central.principal, ...over } }, 401, MISMATCH);
});

test('F-145 an envelope without a sender is refused with 401, also when the gateway signed it so', async () => {
  const action = counted();
  const { from: _, security, ...nameless } = await testbed.central.action(action);
  const { signature, ...rest } = security as Record<string, unknown>;
  const signed = await signValue({ ...nameless, security: rest }, testbed.central.key);
  expect(signed).not.toBe(signature);
  const answer = await testbed.central.post({ ...nameless, security: { ...rest, signature: signed } });
  expect(answer).toMatchObject({ status: 401, signer: testbed.key.did, error: { code: MISMATCH } });
  expect(await callsOf(testbed, action.id)).toBe(0);
});

test('F-148 an envelope to another recipient is refused with 403', async () => {
  for (const to of [
    { id: 'agent:demo:other', kind: 'agent' as const },
    { id: 'agent:demo:test', kind: 'service' as const },
    { id: 'agent:demo:test', kind: 'agent' as const, trust_domain: 'elsewhere' },
    { id: 'agent:demo:test', kind: 'agent' as const, did: testbed.control.key.did },
  ]) {
    await refused({ envelope: { to } }, 403, MISMATCH);
  }
  await refused({ envelope: { to: undefined } as never }, 403, MISMATCH);
});

test('F-149 F-245 an action or cancellation without a route is refused with 403', async () => {
  await refused({ envelope: { security: { trust_domain: 'fleet.test' } } }, 403, MISMATCH);
  const cancel = await testbed.central.cancel(newId('action'), 'cap:demo:echo', {
    envelope: { security: { trust_domain: 'fleet.test' } },
  });
  expect(await testbed.central.post(cancel)).toMatchObject({ status: 403, error: { code: MISMATCH } });
});

test.each([
  ['F-150', 'tenant_id', 'tenant-b'],
  ['F-151', 'instance_id', 'cinst_other'],
  ['F-152', 'replica_id', 'crepl_other'],
  ['F-153', 'version_id', 'cver_other'],
  ['F-154', 'manifest_digest', `sha256:${'00'.repeat(32)}`],
  ['F-155', 'action_id', 'act_other'],
  ['F-156', 'capability_id', 'cap:demo:echo'],
  ['F-149', 'fence_token', undefined],
])('%s a route with another %s is refused with 403', async (_id, member, value) => {
  await refused({ route: { [member]: value } }, 403, MISMATCH);
});

test('F-156 a capability that the host does not have is refused with 403', async () => {
  await refused({}, 403, MISMATCH, { capability_id: 'cap:demo:unheard-of' });
});

test('F-157 F-158 a cancellation of another action or capability than the route names is refused with 403', async () => {
  const id = newId('action');
  const running = testbed.central.send({ id, capability_id: 'cap:demo:report', input: { seconds: 60 } });
  await until('it runs', () => isJournaled(testbed, id));
  const wrong = [
    await testbed.central.cancel(id, 'cap:demo:report', { route: { action_id: newId('action') } }),
    await testbed.central.cancel(id, 'cap:demo:echo'),
    await testbed.central.cancel(id, ''),
  ];
  for (const cancel of wrong) {
    expect(await testbed.central.post(cancel)).toMatchObject({
      status: 403,
      signer: testbed.key.did,
      error: { code: MISMATCH },
    });
  }
  const right = await testbed.central.post(await testbed.central.cancel(id, 'cap:demo:report'));
  expect(right).toMatchObject({
    status: 200,
    result: { action_id: id, status: 'cancelled', output: { cancelled: true } },
  });
  expect(await running).toMatchObject({ status: 200, result: { action_id: id, status: 'cancelled' } });
});

test('F-149 bodies that are neither action nor cancellation are refused with 403', async () => {
  const answer = await testbed.central.post(await testbed.central.body({ manifest_request: {} }));
  expect(answer).toMatchObject({ status: 403, signer: testbed.key.did, error: { code: MISMATCH } });
  const session = await testbed.central.body({ cancel: { target: { session: newId('session') } } });
  expect(await testbed.central.post(session)).toMatchObject({ status: 403, error: { code: MISMATCH } });
});

test('F-161 F-243 F-244 F-267 F-271 schema comes before the signature: 400 schema.envelope.invalid, unsigned, counted as refused', async () => {
  const good = await testbed.central.action(counted(), { key: testbed.control.key });
  const before = await testbed.metrics();
  const faults = [{ ...good, extra: 1 }, { ...good, message_id: undefined }, { ...good, aip_version: '2.0' }, {}, []];
  for (const bad of faults) {
    const answer = await testbed.central.post(bad);
    expect(answer).toMatchObject({
      status: 400,
      error: { code: 'schema.envelope.invalid', category: 'permanent', retryable: false },
    });
    expect(answer.signer).toBeUndefined();
  }
  expect(await testbed.central.post('{"aip_version":')).toMatchObject({
    status: 400,
    error: { code: 'schema.envelope.invalid' },
  });
  const after = await testbed.metrics();
  for (const name of ['requests_total', 'rejected_total'])
    expect([name, (after[name] ?? 0) - (before[name] ?? 0)]).toEqual([name, faults.length + 1]);
});

test('F-161 F-267 F-272 decode comes before the signature: 400 envelope.decode.invalid, unsigned', async () => {
  const good = await testbed.central.action(counted(), { key: testbed.control.key });
  for (const bad of [
    { ...good, sent_at: 'yesterday' },
    { ...good, message_type: 'aip.core.v1.cancel' },
  ]) {
    const answer = await testbed.central.post(bad);
    expect(answer).toMatchObject({ status: 400, error: { code: 'envelope.decode.invalid', retryable: false } });
    expect(answer.signer).toBeUndefined();
  }
});

test('F-162 F-163 F-164 signature and sender decide before recipient and route, these before work', async () => {
  const stranger = signingKeyFromSeed(newSeedHex());
  const elsewhere = { envelope: { to: { id: 'agent:x', kind: 'agent' as const } }, route: { tenant_id: 'tenant-b' } };
  await refused({ ...elsewhere, key: stranger }, 401, MISMATCH);
  const { principal } = testbed.central;
  for (const from of [
    { ...principal, id: 'service:other' },
    { ...principal, kind: 'agent' as const },
    { ...principal, trust_domain: 'elsewhere' },
  ])
    await refused({ ...elsewhere, from }, 401, MISMATCH);
  await refused({ ...elsewhere, route: { action_id: 'act_other', credential_revision_ref: 'revoked' } }, 403, MISMATCH);
  await refused({ route: { action_id: 'act_other', credential_revision_ref: 'revoked' } }, 403, MISMATCH);
});

test('F-247 a message that is too old, too new, or reuses an id with other content is refused with 409', async () => {
  const code = 'connector_host.replay';
  await refused({ envelope: { sent_at: formatTime(Date.now() - 301_000) } }, 409, code);
  await refused({ envelope: { sent_at: formatTime(Date.now() + 60_000) } }, 409, code);
  const first = await testbed.central.action(counted());
  expect(await testbed.central.post(first)).toMatchObject({ status: 200 });
  await refused({ envelope: { message_id: first.message_id } }, 409, code);
});

test('a streaming action must name the fixed callback on its own route, any other none', async () => {
  const other = openCentral({
    url: () => testbed.host.url,
    hostPrincipal: { id: 'agent:demo:test', kind: 'agent' },
    coordinates: () => ({ instance_id: '', replica_id: '', version_id: '', manifest_digest: '' }),
    callbackUrl: testbed.ingress.callbackUrl,
    key: testbed.central.key,
  });
  const streaming = { capability_id: 'cap:demo:count', mode: 'streaming' as const, input: { n: 1 } };
  const good = await testbed.central.action(streaming);
  const callback = ((good.body as { action: Action }).action.callback ?? {}) as NonNullable<Action['callback']>;
  const foreign = (await other.action(streaming)).body as { action: Action };
  const wrong: Partial<Action>[] = [
    { callback: undefined as never },
    { callback: { ...callback, target: 'http://127.0.0.1:1/aip/v1/connector-callbacks' } },
    { callback: { ...callback, profile: 'aip.native.nats.v1' } },
    { callback: foreign.action.callback as NonNullable<Action['callback']> },
  ];
  for (const over of wrong) {
    const answer = await testbed.central.send({ ...streaming, ...over });
    expect(answer).toMatchObject({ status: 403, error: { code: MISMATCH } });
  }
  const sync = await testbed.central.send({ capability_id: 'cap:demo:echo', callback });
  expect(sync).toMatchObject({ status: 403, error: { code: MISMATCH } });
});

test('F-243 F-284 a body of 4 MiB is taken, one byte more is refused with 413, counted, and nothing is called', async () => {
  const limit = 4 * 1024 * 1024;
  const sized = async (bytes: number): Promise<{ text: string; id: string }> => {
    const action = counted({ input: { mode: 'ok' } });
    const padding = (length: number) => ({ observability: { fields: { padding: 'x'.repeat(length) } } });
    const bare = JSON.stringify(await testbed.central.action({ ...action, ...padding(0) }));
    let text = '';
    for (
      let length = bytes - bare.length;
      Buffer.byteLength(text) !== bytes;
      length += bytes - Buffer.byteLength(text)
    ) {
      text = JSON.stringify(await testbed.central.action({ ...action, ...padding(length) }));
    }
    return { text, id: action.id };
  };
  const full = await sized(limit);
  expect(await testbed.central.post(full.text)).toMatchObject({ status: 200, result: { status: 'completed' } });
  const over = await sized(limit + 1);
  const before = await testbed.metrics();
  const answer = await testbed.central.post(over.text);
  expect(answer).toMatchObject({ status: 413, error: { code: 'http.body_too_large' } });
  const after = await testbed.metrics();
  for (const name of ['requests_total', 'rejected_total'])
    expect([name, (after[name] ?? 0) - (before[name] ?? 0)]).toEqual([name, 1]);
  expect(await callsOf(testbed, over.id)).toBe(0);
});

test('F-014 a write to any path but that of messages answers 404, or 405 on one that is read', async () => {
  const read = ['/health', '/ready', '/metrics', '/aip/v1/manifest'];
  const administered = [
    'types',
    'versions',
    'instances',
    'replicas',
    'bindings',
    'capabilities',
    'catalog',
    'policies',
  ];
  const unknown = [
    '/',
    '/aip/v1',
    '/aip/v1/messages/',
    '/aip/v1/manifest/x',
    '/aip/v1/connectors',
    '/aip/v1/connector-control',
    ...administered.flatMap((name) => [`/aip/v1/${name}`, `/aip/v1/connector-${name}`, `/admin/${name}`]),
  ];
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    for (const path of [...read, ...unknown, ...(method === 'POST' ? [] : ['/aip/v1/messages'])]) {
      const answer = await fetch(testbed.host.url + path, { method, body: '{}' });
      expect([method, path, answer.status]).toEqual([method, path, unknown.includes(path) ? 404 : 405]);
    }
  }
});
