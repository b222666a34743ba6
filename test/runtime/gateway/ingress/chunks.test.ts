import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyEnvelope } from '#runtime/protocol/envelope.js';
import { parseJson } from '#runtime/protocol/json.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { formatTime } from '#runtime/protocol/time.js';
import type { StreamChunk } from '#runtime/protocol/types.js';
import type { RouteAssignment } from '#runtime/registry/routes/assignment.js';
import { alterations } from '../../../support/alter.ts';
import {
  type Answer,
  CALLBACKS,
  CENTRAL,
  callbackRoute,
  chunkOf,
  EVENTS,
  eventsOf,
  newEvent,
  openTestbed,
  post,
  signed,
  type Testbed,
  type TestHost,
} from './testbed.ts';

let testbed: Testbed;
let host: TestHost;
beforeAll(async () => {
  testbed = await openTestbed();
  host = await testbed.host();
  await testbed.host({ instance: 'spare' });
});
afterAll(() => testbed.close());

type Over = Parameters<typeof chunkOf>[3];

const send = async (
  a: RouteAssignment,
  chunk: Partial<StreamChunk>,
  over: Over = {},
  url = testbed.url,
): Promise<Answer> => post(url, CALLBACKS, await chunkOf(host, a, chunk, over));

const chunkEvents = async (actionId: string) =>
  (await testbed.storedEvents()).filter((event) => event.action_id === actionId);

/** Sees that an answer refuses the chunk and that nothing of the action's stream changed. */
async function refused(
  a: RouteAssignment,
  sending: () => Promise<Answer>,
  code = 'connector_event.not_authorized',
  status = 401,
) {
  const before = [await testbed.storedChunks(a.actionId), await chunkEvents(a.actionId)];
  const answer = await sending();
  expect([answer.status, answer.code, answer.retryable]).toEqual([status, code, false]);
  expect([await testbed.storedChunks(a.actionId), await chunkEvents(a.actionId)]).toEqual(before);
}

async function action(actionId: string) {
  const { rows } = await testbed.pool.query<{ state: string; last_chunk_sequence: number | null }>(
    'SELECT state, last_chunk_sequence FROM runtime.actions WHERE action_id = $1',
    [actionId],
  );
  return rows[0];
}

describe('accepting chunks', () => {
  test('F-197 F-217 stores chunk and event and answers them in a signed EventStream', async () => {
    const a = await testbed.streaming(host);
    const envelope = await chunkOf(host, a, { sequence: 0, data: { n: 1 } }, { fields: { correlation_id: 'corr_7' } });
    const answer = await post(testbed.url, CALLBACKS, envelope);
    expect(answer.status).toBe(200);
    expect(answer.events).toMatchObject([
      {
        id: expect.stringMatching(/^evt_stream_[0-9a-f]{64}$/),
        kind: 'aip.stream.chunk',
        action_id: a.actionId,
        session_id: 'sess_1',
        correlation_id: 'corr_1',
        data: { action_id: a.actionId, sequence: 0, kind: 'data' },
      },
    ]);
    expect(await verifyEnvelope(answer.envelope)).toBe(testbed.central.did);
    expect(answer.envelope).toMatchObject({
      in_response_to: envelope.message_id,
      correlation_id: 'corr_7',
      to: envelope.from,
    });
    expect(await testbed.storedChunks(a.actionId)).toEqual([
      { action_id: a.actionId, sequence: 0, kind: 'data', data: { n: 1 } },
    ]);
    expect(await chunkEvents(a.actionId)).toEqual(answer.events);
    expect(await action(a.actionId)).toEqual({ state: 'streaming', last_chunk_sequence: 0 });
    const { rows } = await testbed.pool.query(
      'SELECT tenant_id, principal_id FROM runtime.events WHERE action_id = $1',
      [a.actionId],
    );
    expect(rows).toEqual([{ tenant_id: 'tenant-a', principal_id: 'agent:a' }]);
  });

  test('F-201 takes a StreamChunk on the events path as a stream callback', async () => {
    const a = await testbed.streaming(host);
    const answer = await post(testbed.url, EVENTS, await chunkOf(host, a, {}));
    expect([answer.status, (await testbed.storedChunks(a.actionId)).length]).toEqual([200, 1]);
  });

  test('F-238 takes a chunk of an older assignment after the lease was renewed', async () => {
    const a = await testbed.streaming(host);
    await host.command('heartbeat');
    await host.command('heartbeat');
    expect((await send(a, {})).status).toBe(200);
  });

  test('takes chunks of pinned work while the replica drains and the instance has moved to another version', async () => {
    const moved = await testbed.host({ instance: 'moved' });
    const a = await testbed.streaming(moved);
    await moved.command('drain');
    expect((await post(testbed.url, CALLBACKS, await chunkOf(moved, a, { sequence: 0 }))).status).toBe(200);
    await testbed.moveOn(moved);
    expect((await post(testbed.url, CALLBACKS, await chunkOf(moved, a, { sequence: 1 }))).status).toBe(200);
    expect((await post(testbed.url, EVENTS, await eventsOf(moved, [newEvent()]))).status).toBe(200);
  });

  test('rising sequences may skip; the same content again is answered with no event', async () => {
    const a = await testbed.streaming(host);
    for (const sequence of [3, 4, 9]) expect((await send(a, { sequence, data: { sequence } })).events).toHaveLength(1);
    const again = await send(a, { sequence: 4, data: { sequence: 4 } });
    expect([again.status, again.events]).toEqual([200, []]);
    expect((await testbed.storedChunks(a.actionId)).map((chunk) => chunk.sequence)).toEqual([3, 4, 9]);
    expect(await chunkEvents(a.actionId)).toHaveLength(3);
  });
});

describe('the route', () => {
  test('F-050 F-051 F-215 refuses a chunk without connector_callback, one of another mode, and one that lacks a field', async () => {
    const a = await testbed.streaming(host);
    const body = { stream_chunk: { action_id: a.actionId, sequence: 0, kind: 'data' } };
    const route: Record<string, unknown> = { ...callbackRoute(a) };
    const needed = Object.keys(route).filter(
      (name) => name !== 'credential_revision_ref' && name !== 'quota_policy_ref',
    );
    expect(needed).toHaveLength(12);
    const shapes = [
      {},
      ...needed.map((name) => {
        const { [name]: _, ...incomplete } = route;
        return { connector_callback: incomplete };
      }),
      { connector_callback: { ...route, approval_authorization: {} } },
      ...['sync', 'async', null].map((mode) => ({ connector_callback: { ...route, original_mode: mode } })),
      { connector_event: host.eventRoute() },
    ];
    for (const security of shapes)
      await refused(a, async () => post(testbed.url, CALLBACKS, await signed(host, body, security)));
  });

  test('F-229 refuses a chunk of another action than the route’s', async () => {
    const [a, other] = [await testbed.streaming(host), await testbed.streaming(host)];
    await refused(other, () => send(a, { action_id: other.actionId }));
  });

  test('F-230 refuses a chunk of an action without an assignment', async () => {
    const a = await testbed.streaming(host);
    const unassigned = { ...a, actionId: 'act_unassigned' };
    await refused(unassigned, () => send(unassigned, {}));
    // An action that runs and streams, so that its assignment alone is missing.
    const named = (from: string, to: string) =>
      testbed.registryPool.query('UPDATE registry.assignments SET action_id = $2 WHERE action_id = $1', [from, to]);
    await named(a.actionId, 'act_else');
    await refused(a, () => send(a, {}));
    await named('act_else', a.actionId);
    expect((await send(a, {})).status).toBe(200);
  });

  const digest = `sha256:${'cd'.repeat(32)}`;
  test.each([
    ['F-231', { capability_id: 'cap:probe:else' }],
    ['F-231', { tenant_id: 'tenant-b' }],
    ['F-231', { instance_id: 'cinst_else' }],
    ['F-231', { replica_id: 'crepl_else' }],
    ['F-231', { version_id: 'cver_else' }],
    ['F-231', { manifest_digest: digest }],
    ['F-232', { catalog_revision: 999 }],
    ['F-232', { binding_policy_revision: 999 }],
    ['F-233', { credential_revision_ref: 'credential-v2' }],
    ['F-233', { quota_policy_ref: 'quota-v2' }],
    ['F-233', { credential_revision_ref: null }],
    ['F-233', { quota_policy_ref: null }],
    ['F-233', { credential_revision_ref: undefined }],
    ['F-233', { quota_policy_ref: undefined }],
    ['F-234', { replica_health_revision: 999 }],
    ['F-234', { fence_token: 'route_else' }],
  ])('%s refuses a route with another %j than the assignment', async (_id, route) => {
    const a = await testbed.streaming(host);
    await refused(a, () => send(a, {}, { route }));
    expect((await send(a, {})).status).toBe(200);
  });

  const newKey = signingKeyFromSeed(newSeedHex());
  // Each row: the column that changes, its new value, and who then signs: the identity that the registry names now.
  const changes: [string, string, string, (h: TestHost) => TestHost][] = [
    ['F-234', 'health_revision', '0', (h) => h],
    ['F-235', 'endpoint', 'https://else.fleet.test/aip/v1/messages', (h) => h],
    ['F-235', 'transport_profile', 'aip.native.http.v2', (h) => h],
    [
      'F-236',
      'peer_principal_id',
      'service:else',
      (h) => ({ ...h, principal: { ...h.principal, id: 'service:else' } }),
    ],
    ['F-236', 'peer_principal_kind', 'agent', (h) => ({ ...h, principal: { ...h.principal, kind: 'agent' } })],
    ['F-236', 'peer_did', newKey.did, (h) => ({ ...h, key: newKey })],
    ['F-236', 'trust_domain', 'else.test', (h) => ({ ...h, principal: { ...h.principal, trust_domain: 'else.test' } })],
    ['F-237', 'instance_id', 'cinst_spare', (h) => h],
    ['F-237', 'version_id', 'cver_spare', (h) => h],
  ];
  test.each(changes)(
    '%s refuses a chunk when the replica’s %s is no longer the assigned one',
    async (_id, column, value, signer) => {
      const a = await testbed.streaming(host);
      const read = `SELECT ${column} AS value FROM registry.replicas WHERE id = $1`;
      const write = `UPDATE registry.replicas SET ${column} = $2 WHERE id = $1`;
      const { rows } = await testbed.registryPool.query<{ value: string }>(read, [host.replicaId]);
      await testbed.registryPool.query(write, [host.replicaId, value]);
      try {
        await refused(a, async () => post(testbed.url, CALLBACKS, await chunkOf(signer(host), a, {})));
      } finally {
        await testbed.registryPool.query(write, [host.replicaId, rows[0]?.value]);
      }
      expect((await send(a, {})).status).toBe(200);
    },
  );

  test('refuses a chunk signed by another replica of the instance, and one without a live lease', async () => {
    const a = await testbed.streaming(host);
    const stranger = { ...host, key: signingKeyFromSeed(newSeedHex()) };
    await refused(a, async () => post(testbed.url, CALLBACKS, await chunkOf(stranger, a, {})));
    const lapsed = await testbed.host({ instance: 'lapsed' });
    const b = await testbed.streaming(lapsed);
    await testbed.registryPool.query('UPDATE registry.replicas SET lease_expires_at = $2 WHERE id = $1', [
      lapsed.replicaId,
      Date.now(),
    ]);
    await refused(b, async () => post(testbed.url, CALLBACKS, await chunkOf(lapsed, b, {})));
  });
});

describe('the sender', () => {
  test('F-205 no member of a signed chunk may change or go, each alone: nothing is stored', async () => {
    const a = await testbed.streaming(host);
    const envelope = await chunkOf(host, a, { data: { text: 'signed', n: 1, flag: true } });
    const altered = alterations(envelope);
    const taken: string[] = [];
    for (const { at, value } of altered) {
      const { status } = await post(testbed.url, CALLBACKS, value);
      if (status !== 400 && status !== 401) taken.push(`${at}: ${status}`);
    }
    expect(taken).toEqual([]);
    expect(altered.length).toBeGreaterThan(40);
    expect(await testbed.storedChunks(a.actionId)).toEqual([]);
    expect((await post(testbed.url, CALLBACKS, envelope)).status).toBe(200);
  });

  test('F-204 refuses a chunk that is not addressed to the exact central principal', async () => {
    const a = await testbed.streaming(host);
    const others = [
      { ...CENTRAL, id: 'service:other' },
      { ...CENTRAL, kind: 'agent' as const },
      { ...CENTRAL, trust_domain: 'else.test' },
      { ...CENTRAL, did: host.key.did },
    ];
    for (const to of others) await refused(a, () => send(a, {}, { fields: { to } }));
  });

  test('F-209 F-262 refuses a chunk whose version was revoked after it was signed, and one of a disabled instance', async () => {
    const gone = await testbed.host({ instance: 'revoked' });
    const a = await testbed.streaming(gone);
    const signedBefore = await chunkOf(gone, a, {});
    await testbed.registry.versions.setStatus(gone.versionId, 'revoked');
    await refused(a, () => post(testbed.url, CALLBACKS, signedBefore));
    const off = await testbed.host({ instance: 'disabled' });
    const b = await testbed.streaming(off);
    await testbed.registryPool.query('UPDATE registry.instances SET enabled = false WHERE id = $1', [off.instanceId]);
    await refused(b, async () => post(testbed.url, CALLBACKS, await chunkOf(off, b, {})));
  });

  test('F-220 takes chunks of a draining replica and refuses them once it is offline', async () => {
    const leaving = await testbed.host({ instance: 'leaving' });
    const a = await testbed.streaming(leaving);
    await leaving.command('drain');
    expect((await post(testbed.url, CALLBACKS, await chunkOf(leaving, a, { sequence: 0 }))).status).toBe(200);
    await leaving.command('offline');
    await refused(a, async () => post(testbed.url, CALLBACKS, await chunkOf(leaving, a, { sequence: 1 })));
  });

  test('F-208 refuses what a host of another tenant sends for an action that is not its own, under either route', async () => {
    const a = await testbed.streaming(host);
    const foreign = await testbed.host({ instance: 'foreign', tenantId: 'tenant-b' });
    await refused(a, async () => post(testbed.url, CALLBACKS, await chunkOf(foreign, a, {})));
    const own = { tenant_id: 'tenant-b', instance_id: foreign.instanceId, replica_id: foreign.replicaId };
    await refused(a, async () => post(testbed.url, CALLBACKS, await chunkOf(foreign, a, {}, { route: own })));
  });

  test('chunks of actions of one id that hosts of two tenants send together go each to the stream of its own tenant', async () => {
    const other = await testbed.host({ instance: 'other', tenantId: 'tenant-b' });
    const a = await testbed.streaming(host);
    const b = await testbed.streaming(other, { actionId: a.actionId });
    const sendBoth = (sequence: number) =>
      Promise.all([
        send(a, { sequence, data: { of: 'a' } }),
        chunkOf(other, b, { sequence, data: { of: 'b' } }).then((chunk) => post(testbed.url, CALLBACKS, chunk)),
      ]);
    for (const sequence of [0, 1])
      expect((await sendBoth(sequence)).map(({ status, events }) => [status, events.length])).toEqual([
        [200, 1],
        [200, 1],
      ]);
    await post(testbed.url, CALLBACKS, await chunkOf(other, b, { sequence: 2, data: { of: 'b' } }));
    const { rows } = await testbed.pool.query(
      `SELECT a.tenant_id, a.last_chunk_sequence AS last, string_agg(c.record -> 'data' ->> 'of', '' ORDER BY c.sequence) AS of
       FROM runtime.actions a JOIN runtime.chunks c ON c.action_id = a.action_id AND c.tenant_key = a.tenant_id
       WHERE a.action_id = $1 GROUP BY 1, 2 ORDER BY 1`,
      [a.actionId],
    );
    expect(rows).toEqual([
      { tenant_id: a.tenantId, last: 1, of: 'aa' },
      { tenant_id: 'tenant-b', last: 2, of: 'bbb' },
    ]);
    await refused(a, async () => post(testbed.url, CALLBACKS, await chunkOf(host, b, { sequence: 9 })));
  });

  test('an envelope that was taken changes nothing when it is sent again, and other content under its message id is refused', async () => {
    const a = await testbed.streaming(host);
    const envelope = await chunkOf(host, a, { data: 1 });
    expect((await post(testbed.url, CALLBACKS, envelope)).events).toHaveLength(1);
    expect(await post(testbed.url, CALLBACKS, envelope)).toMatchObject({ status: 200, events: [] });
    await refused(a, () => send(a, { data: 2 }, { fields: { message_id: envelope.message_id } }));
  });
});

describe('the stream', () => {
  test('F-281 refuses other content, lower sequences and whatever follows done or error', async () => {
    const a = await testbed.streaming(host);
    await send(a, { sequence: 5, data: 1 });
    await refused(a, () => send(a, { sequence: 5, data: 2 }));
    await refused(a, () => send(a, { sequence: 4 }));
    await send(a, { sequence: 6, kind: 'done' });
    await refused(a, () => send(a, { sequence: 7 }));
    expect((await send(a, { sequence: 6, kind: 'done' })).events).toEqual([]);
    const b = await testbed.streaming(host);
    await send(b, { sequence: 0, kind: 'error' });
    await refused(b, () => send(b, { sequence: 1 }));
  });

  test('refuses chunks of an action that is not streaming now', async () => {
    for (const over of [{ mode: 'sync' }, { state: 'completed' }, { state: 'queued' }]) {
      const a = await testbed.streaming(host, over);
      await refused(a, () => send(a, {}));
    }
  });

  test('F-293 takes a chunk of 262143 and of 262144 bytes and refuses one byte more', async () => {
    const a = await testbed.streaming(host);
    const empty = JSON.stringify({ action_id: a.actionId, sequence: 0, kind: 'data', data: { text: '' } }).length;
    const of = (bytes: number) => ({ data: { text: 'x'.repeat(bytes - empty) } });
    await refused(a, () => send(a, of(262_145)), 'connector_event.invalid', 400);
    expect((await send(a, of(262_144))).status).toBe(200);
    expect((await send(a, { sequence: 1, ...of(262_143) })).status).toBe(200);
  });

  test('takes sequences up to the largest whole number that JSON readers agree on, and refuses the next', async () => {
    const a = await testbed.streaming(host);
    const [largest, next] = [9_007_199_254_740_991, parseJson('9007199254740992') as number];
    await refused(a, () => send(a, { sequence: next }), 'connector_event.invalid', 400);
    expect((await send(a, { sequence: largest - 1 })).status).toBe(200);
    expect((await send(a, { sequence: largest })).status).toBe(200);
  });

  test('F-298 takes a callback up to 300 s old and refuses an older one', async () => {
    const a = await testbed.streaming(host);
    const at = (ms: number) => ({ fields: { sent_at: formatTime(Date.now() + ms) } });
    await refused(a, () => send(a, {}, at(-301_000)), 'connector_event.invalid', 400);
    await refused(a, () => send(a, {}, at(310_000)), 'connector_event.invalid', 400);
    expect((await send(a, {}, at(-295_000))).status).toBe(200);
  });

  test('two gateways order the chunks of one action by durable state: one of two equal ones is stored, the other replayed', async () => {
    const second = await testbed.another();
    const a = await testbed.streaming(host);
    for (let sequence = 0; sequence < 10; sequence += 1) {
      const answers = await Promise.all(
        [testbed.url, second, testbed.url, second].map((url) => send(a, { sequence, data: { sequence } }, {}, url)),
      );
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
      expect(answers.map((answer) => answer.events.length).sort()).toEqual([0, 0, 0, 1]);
    }
    expect((await testbed.storedChunks(a.actionId)).map((chunk) => chunk.sequence)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
    expect(await chunkEvents(a.actionId)).toHaveLength(10);
  });

  test('chunks of many actions at once are all stored, each stream in order; a refused one harms no other', async () => {
    const actions = await Promise.all(Array.from({ length: 12 }, () => testbed.streaming(host)));
    const bad = await testbed.streaming(host, { state: 'completed' });
    const streams = actions.map(async (a) => {
      for (let sequence = 0; sequence < 5; sequence += 1) expect((await send(a, { sequence })).status).toBe(200);
    });
    const refusals = Array.from({ length: 5 }, () => send(bad, {}));
    await Promise.all(streams);
    for (const answer of await Promise.all(refusals)) expect(answer.code).toBe('connector_event.not_authorized');
    for (const a of actions) expect(await testbed.storedChunks(a.actionId)).toHaveLength(5);
  });
});
