import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkDelegation } from '@aip/runtime/gateway/delegations/rules.js';
import { retentionPass } from '@aip/runtime/gateway/maintenance/retention.js';
import { openMetrics } from '@aip/runtime/gateway/metrics/metrics.js';
import { openPool, type Pool } from '@aip/runtime/postgres/pool.js';
import {
  decodeEnvelope,
  type Envelope,
  newEnvelope,
  replyEnvelope,
  signEnvelope,
  verifyEnvelope,
} from '@aip/runtime/protocol/envelope.js';
import { newId } from '@aip/runtime/protocol/ids.js';
import { MAX_DELEGATION_HOPS } from '@aip/runtime/protocol/limits.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '@aip/runtime/protocol/signing.js';
import type { Body, DelegationRequest, DelegationResult, Principal } from '@aip/runtime/protocol/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTarget, type Target } from '../callbacks/support.ts';
import { freshDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { type Answer, errorOf, type HttpGateway, startHttpGateway, TOKEN } from './support/gateway.ts';

const EDGE = { id: 'service:edge', kind: 'service' as const };
const LIBRARIAN: Principal = { id: 'agent:librarian', kind: 'agent', trust_domain: 'library' };

interface Arrived {
  readonly envelope: Envelope;
  readonly headers: IncomingHttpHeaders;
  readonly did: string;
}

let folder: string;
let database: Awaited<ReturnType<typeof freshDatabase>>;
let pool: Pool;
let gateway: HttpGateway;
let key: SigningKey;
let gatewayDid: string;
let arrived: Arrived[];
/** What the delegate does with a request; null closes the connection without an answer. */
let answer: (request: DelegationRequest) => Body | null;
const delegate = createServer((request, response) => {
  let text = '';
  request.on('data', (part) => {
    text += part;
  });
  request.on('end', async () => {
    const envelope = decodeEnvelope(JSON.parse(text));
    arrived.push({ envelope, headers: request.headers, did: await verifyEnvelope(envelope) });
    const body = answer((envelope.body as { delegation_request: DelegationRequest }).delegation_request);
    if (!body) return response.destroy();
    const reply = replyEnvelope(envelope, body, { clock: Date.now, from: LIBRARIAN });
    return response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify(await signEnvelope(reply, LIBRARIAN, key)));
  });
});

const completed = ({ delegation_id, parent_action_id, child_action }: DelegationRequest): Body => ({
  delegation_result: {
    delegation_id,
    parent_action_id,
    child_action_id: child_action.id,
    status: 'completed',
    result: { action_id: child_action.id, status: 'completed', output: { hits: 2 } },
  },
});

beforeAll(async () => {
  arrived = [];
  key = signingKeyFromSeed(newSeedHex());
  folder = await mkdtemp(join(tmpdir(), 'aip-delegations-'));
  const seed = newSeedHex();
  gatewayDid = signingKeyFromSeed(seed).did;
  await writeFile(join(folder, 'seed'), seed, { mode: 0o600 });
  await new Promise<void>((done) => delegate.listen(0, '127.0.0.1', done));
  const { port } = delegate.address() as AddressInfo;
  database = await freshDatabase();
  pool = openPool({ url: database.url, max: 2 });
  gateway = await startHttpGateway({
    databaseUrl: database.url,
    signers: [{ signer_did: key.did, principal_id: LIBRARIAN.id, scopes: [], tenant_id: 'library' }],
    env: {
      AIP_GATEWAY_CONNECTOR_REGISTRY_URL: database.url,
      AIP_GATEWAY_CONNECTOR_FLEET_SIGNING_SEED_FILE: join(folder, 'seed'),
      AIP_GATEWAY_CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
      AIP_GATEWAY_DELEGATION_HTTP_ROUTES: `${LIBRARIAN.id}=http://127.0.0.1:${port}/aip/v1/messages,${LIBRARIAN.id},${key.did},library`,
      AIP_GATEWAY_CALLBACK_ALLOWED_HOSTS: '127.0.0.1',
      AIP_GATEWAY_CALLBACK_ALLOW_HTTP: 'true',
      AIP_GATEWAY_CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
      AIP_GATEWAY_DELEGATION_ALLOW_HTTP: 'true',
      AIP_GATEWAY_DELEGATION_ALLOW_PRIVATE_NETWORKS: 'true',
    },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await pool?.close();
  delegate.closeAllConnections();
  delegate.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

function delegation(over: Partial<DelegationRequest> = {}): DelegationRequest {
  return {
    delegation_id: newId('delegation'),
    parent_action_id: newId('action'),
    child_action: { id: newId('action'), capability_id: 'cap:kb:search', input: { q: 'returns' } },
    requested_by: EDGE,
    delegate: { id: LIBRARIAN.id, kind: 'agent' },
    scope: 'kb:read',
    ...over,
  };
}

const send = (body: Body): Promise<Answer> =>
  gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body: newEnvelope(body, {}, { clock: Date.now }) });
const request = (each: DelegationRequest): Promise<Answer> => send({ delegation_request: each });
const resultOf = (each: Answer): DelegationResult => each.body.body.delegation_result;
/** What the delegate itself sends to the gateway, signed. */
const report = async (result: DelegationResult, as = key): Promise<Answer> => {
  const envelope = newEnvelope({ delegation_result: result }, {}, { clock: Date.now });
  return gateway.call('POST', '/aip/v1/messages', { body: await signEnvelope(envelope, LIBRARIAN, as) });
};

test('N-445 N-454 a delegation goes to its delegate signed, with its id as Idempotency-Key and the hop in the chain', async () => {
  answer = completed;
  const sent = delegation();
  const reply = await request(sent);
  expect([reply.status, resultOf(reply)]).toMatchObject([
    200,
    { status: 'completed', result: { output: { hits: 2 } } },
  ]);
  const [got] = arrived.splice(0) as [Arrived];
  expect([got.did, got.headers['idempotency-key'], got.headers['aip-trust-domain']]).toEqual([
    gatewayDid,
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
  answer = completed;
  const sent = delegation();
  const first = resultOf(await request(sent));
  expect(resultOf(await request(sent))).toEqual(first);
  expect(arrived.splice(0)).toHaveLength(1);
  const other = await request({ ...sent, scope: 'kb:write' });
  expect([other.status, errorOf(other).code]).toEqual([400, 'delegation.id_conflict']);
});

test('an answer that is lost is asked for again, and a delegate that reports later ends the delegation', async () => {
  let asked = 0;
  const sent = delegation();
  answer = ({ delegation_id, parent_action_id, child_action }) => {
    asked += 1;
    if (asked <= 3) return null;
    return {
      delegation_result: { delegation_id, parent_action_id, child_action_id: child_action.id, status: 'running' },
    };
  };
  expect(resultOf(await request(sent)).status).toBe('running');
  await until('the delivery is repeated', () => asked === 4);
  expect(new Set(arrived.splice(0).map(({ headers }) => headers['idempotency-key']))).toEqual(
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

test('the callback of a delegation gets its terminal result once, signed, whether it was answered or reported later', async () => {
  const targets: Target[] = [await startTarget(), await startTarget()];
  const [answered, reported] = targets as [Target, Target];
  const arrivedAt = (target: Target) =>
    target.received.map(
      ({ text }) => (JSON.parse(text).body as { delegation_result: DelegationResult }).delegation_result,
    );
  try {
    answer = completed;
    const first = delegation({ callback: answered.callback });
    await request(first);
    await request(first);
    await until('the result came', () => answered.received.length > 0);
    const envelope = decodeEnvelope(JSON.parse(answered.received[0]?.text as string));
    expect(await verifyEnvelope(envelope)).toBe(gatewayDid);
    expect(arrivedAt(answered)).toMatchObject([{ delegation_id: first.delegation_id, status: 'completed' }]);

    answer = ({ delegation_id, parent_action_id, child_action }) => ({
      delegation_result: { delegation_id, parent_action_id, child_action_id: child_action.id, status: 'running' },
    });
    const second = delegation({ callback: reported.callback });
    expect(resultOf(await request(second)).status).toBe('running');
    const { delegation_result: done } = completed(second) as { delegation_result: DelegationResult };
    await report(done);
    await report(done);
    await until('the report came', () => reported.received.length > 0);
    expect(arrivedAt(reported)).toMatchObject([{ delegation_id: second.delegation_id, status: 'completed' }]);
    const { rows } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM runtime.callback_deliveries');
    expect(rows[0]?.n).toBe(2);
  } finally {
    await Promise.all(targets.map((target) => target.close()));
  }
});

test('a delegation whose callback policy refuses is refused before anything is stored or sent', async () => {
  arrived.splice(0);
  const sent = delegation({ callback: { profile: 'aip.native.http.v1', target: 'https://example.com/callback' } });
  const refused = await request(sent);
  expect([refused.status, errorOf(refused).code]).toEqual([403, 'callback.target_refused']);
  const { rows } = await pool.query('SELECT 1 FROM runtime.delegations WHERE delegation_id = $1', [sent.delegation_id]);
  expect([rows, arrived]).toEqual([[], []]);
});

test('nobody but the delegate reports on a delegation', async () => {
  answer = ({ delegation_id, parent_action_id, child_action }) => ({
    delegation_result: { delegation_id, parent_action_id, child_action_id: child_action.id, status: 'running' },
  });
  const sent = delegation();
  await request(sent);
  const { delegation_result: done } = completed(sent) as { delegation_result: DelegationResult };
  const forged = await send({ delegation_result: done });
  expect(errorOf(forged).code).toBe('resource.not_found');
  expect(resultOf(await request(sent)).status).toBe('running');
});

test('an error that the delegate signs is the result', async () => {
  answer = () => ({
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
  const { rows } = await pool.query<{ principal_id: string }>(
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
  const { rows } = await pool.query<{ kind: string }>(
    `SELECT kind FROM runtime.events WHERE record->'data'->>'delegation_id' = $1 ORDER BY xid, seq`,
    [sent.delegation_id],
  );
  expect(rows.map(({ kind }) => kind)).toEqual([
    'aip.delegation.requested',
    'aip.delegation.running',
    'aip.delegation.completed',
  ]);
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
  arrived.length = 0;
  expect(errorOf(await request(delegation(over))).code).toBe(code);
  expect(arrived).toEqual([]);
});

test('N-308 retention removes ended delegations after their period and counts them', async () => {
  const { rows } = await pool.query<{ n: number }>(
    'SELECT count(*) AS n FROM runtime.delegations WHERE completed_at IS NOT NULL',
  );
  const ended = Number(rows[0]?.n);
  expect(ended).toBeGreaterThan(3);
  const metrics = openMetrics();
  const rules = { outboxMs: 7 * 86_400_000 };
  const pass = (clock: () => number) => retentionPass({ pool, rules, metrics, clock });
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
