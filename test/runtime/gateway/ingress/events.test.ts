import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findAction } from '#runtime/gateway/actions/read/find.js';
import { eventStream } from '#runtime/gateway/events/queries.js';
import { openPool } from '#runtime/postgres/pool.js';
import { type Envelope, verifyEnvelope } from '#runtime/protocol/envelope.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { formatTime } from '#runtime/protocol/time.js';
import type { Event } from '#runtime/protocol/types.js';
import { alterations } from '../../../support/alter.ts';
import { until } from '../../../support/until.ts';
import {
  CALLBACKS,
  CENTRAL,
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
});
afterAll(() => testbed.close());

const publish = async (events: Event[], over: Parameters<typeof eventsOf>[2] = {}) =>
  post(testbed.url, EVENTS, await eventsOf(host, events, over));
const storedIds = async () => (await testbed.storedEvents()).map((event) => event.id);
const stored = async (id: string) => (await testbed.storedEvents()).find((event) => event.id === id);

/** Sends an envelope that must be refused, and sees that nothing of it was stored. */
async function refused(envelope: unknown, code: string, status: number, path = EVENTS, headers = {}) {
  const before = await storedIds();
  const answer = await post(testbed.url, path, envelope, headers);
  expect([answer.status, answer.code]).toEqual([status, code]);
  expect(answer.retryable).toBe(false);
  expect(await storedIds()).toEqual(before);
  return answer;
}

const denied = (envelope: unknown) => refused(envelope, 'connector_event.not_authorized', 401);
const invalid = (envelope: unknown) => refused(envelope, 'connector_event.invalid', 400);

describe('accepting provider events', () => {
  test('F-196 F-217 F-325 answers a signed EventStream of the stored events, correlated to the request', async () => {
    const [first, second] = [newEvent(), newEvent()];
    const envelope = await eventsOf(host, [first, second], {
      fields: { correlation_id: 'corr_9', session_id: 'sess_9' },
    });
    const answer = await post(testbed.url, EVENTS, envelope);
    expect(answer.status).toBe(200);
    expect(answer.events.map((event) => event.id)).toEqual([first.id, second.id]);
    expect(answer.events).toEqual([await stored(first.id), await stored(second.id)]);
    expect(await verifyEnvelope(answer.envelope)).toBe(testbed.central.did);
    expect(answer.envelope).toMatchObject({
      aip_version: '1.0',
      message_type: 'aip.discovery.v1.event_stream_response',
      in_response_to: envelope.message_id,
      correlation_id: 'corr_9',
      session_id: 'sess_9',
      from: { ...CENTRAL, did: testbed.central.did },
      to: envelope.from,
    });
  });

  test('F-196 part: a time that came with trailing zeros is stored and signed in its one form', async () => {
    const event = newEvent({ occurred_at: '2026-01-02T03:04:05.120Z' });
    const answer = await publish([event]);
    expect(answer.events[0]?.occurred_at).toBe('2026-01-02T03:04:05.12Z');
    expect(await verifyEnvelope(answer.envelope)).toBe(testbed.central.did);
    expect((await stored(event.id))?.occurred_at).toBe('2026-01-02T03:04:05.12Z');
  });

  test('F-222 F-223 F-224 stores the signed host as actor, the verified tenant and the provenance', async () => {
    const event = newEvent({ data: { text: 'hello' } });
    await publish([event]);
    expect(await stored(event.id)).toEqual({
      ...event,
      actor: { ...host.principal, did: host.key.did },
      data: {
        text: 'hello',
        identity: { tenant: { id: 'tenant-a' } },
        aip_connector: {
          instance_id: host.instanceId,
          replica_id: host.replicaId,
          version_id: host.versionId,
          channel_id: 'news',
          lease_sequence: host.sequence,
        },
      },
    });
    const { rows } = await testbed.pool.query<{ tenant_id: string }>(
      'SELECT tenant_id FROM runtime.events WHERE event_id = $1',
      [event.id],
    );
    expect(rows).toEqual([{ tenant_id: 'tenant-a' }]);
  });

  test('F-225 part: a reader with connections of its own shows the event to a reader of the tenant, and to no other tenant', async () => {
    const event = newEvent();
    await publish([event]);
    const later = openPool({ url: testbed.databaseUrl, max: 2 });
    onTestFinished(() => later.close());
    const read = async (tenantId: string) => {
      const scopes = new Set(['events:read', 'events:read:any']);
      const identity = {
        principal: { id: 'agent:a', kind: 'agent' as const },
        scopes,
        tenantId,
        roles: [],
        scheme: 'bearer' as const,
      };
      const { events } = await eventStream({ pool: later, clock: Date.now, findAction }, identity, { limit: 1000 });
      return events.map((each) => each.id);
    };
    await until('no transaction is in flight any more', async () => (await read('tenant-a')).includes(event.id));
    expect(await read('tenant-b')).not.toContain(event.id);
  });

  test('F-200 takes an EventStream on the callbacks path as provider events', async () => {
    const event = newEvent();
    const answer = await post(testbed.url, CALLBACKS, await eventsOf(host, [event]));
    expect([answer.status, (await stored(event.id))?.id]).toEqual([200, event.id]);
  });

  test('F-203 N-324 N-325 takes a signed envelope without a bearer and with a wrong one', async () => {
    for (const headers of [{}, { authorization: 'Bearer wrong' }] as Record<string, string>[]) {
      for (const path of [EVENTS, CALLBACKS])
        expect((await post(testbed.url, path, await eventsOf(host, [newEvent()]), headers)).status).toBe(200);
      const chunk = await chunkOf(host, await testbed.streaming(host), {});
      expect((await post(testbed.url, CALLBACKS, chunk, headers)).status).toBe(200);
    }
  });

  test('takes every form of channel that a manifest can declare', async () => {
    for (const channel_id of ['news', 'mail', 'chat']) {
      expect((await publish([newEvent()], { route: { channel_id } })).status).toBe(200);
    }
  });
});

describe('who may publish', () => {
  const stranger = signingKeyFromSeed(newSeedHex());

  test('F-204 refuses an envelope that is not addressed to the exact central principal', async () => {
    const others = [
      { ...CENTRAL, id: 'service:other' },
      { ...CENTRAL, kind: 'agent' as const },
      { ...CENTRAL, trust_domain: 'else.test' },
      { ...CENTRAL, did: stranger.did },
    ];
    for (const to of others) await denied(await eventsOf(host, [newEvent()], { fields: { to } }));
    const { to: _, ...nobody } = await eventsOf(host, [newEvent()]);
    await denied(nobody);
  });

  test('F-204 takes an envelope that is addressed to another DID of the central server, while it is one', async () => {
    const next = signingKeyFromSeed(newSeedHex());
    const addressed = async () => eventsOf(host, [newEvent()], { fields: { to: { ...CENTRAL, did: next.did } } });
    await denied(await addressed());
    testbed.ownDids.push(next.did);
    expect((await post(testbed.url, EVENTS, await addressed())).status).toBe(200);
    const present = { ...CENTRAL, did: testbed.central.did };
    expect(
      (await post(testbed.url, EVENTS, await eventsOf(host, [newEvent()], { fields: { to: present } }))).status,
    ).toBe(200);
    testbed.ownDids.pop();
    await denied(await addressed());
  });

  test('F-205 F-012 refuses a missing, wrong or foreign signature, also beside a bearer', async () => {
    const envelope = await eventsOf(host, [newEvent()]);
    const { signature: _, ...unsigned } = envelope.security as Record<string, unknown>;
    await denied({ ...envelope, security: unsigned });
    await denied({ ...envelope, correlation_id: 'corr_changed' });
    const answer = await refused({ ...envelope, security: unsigned }, 'connector_event.not_authorized', 401, EVENTS, {
      authorization: 'Bearer good',
    });
    expect(await verifyEnvelope(answer.envelope)).toBe(testbed.central.did);
  });

  test('F-205 no member of a signed envelope may change or go, each alone: nothing is stored', async () => {
    const envelope = await eventsOf(host, [newEvent({ data: { text: 'signed', n: 1, flag: true } })]);
    const before = (await testbed.storedEvents()).length;
    const taken: string[] = [];
    const altered = alterations(envelope);
    for (const { at, value } of altered) {
      const { status } = await post(testbed.url, EVENTS, value);
      if (status !== 400 && status !== 401) taken.push(`${at}: ${status}`);
    }
    expect(taken).toEqual([]);
    expect(altered.length).toBeGreaterThan(40);
    expect(await testbed.storedEvents()).toHaveLength(before);
    expect((await post(testbed.url, EVENTS, envelope)).status).toBe(200);
  });

  test('F-009 refuses an envelope signed by another plane’s key', async () => {
    const controlPlane = { principal: host.principal, key: stranger };
    await denied(
      await signed(controlPlane, { event_stream: { events: [newEvent()] } }, { connector_event: host.eventRoute() }),
    );
  });

  test('F-206 refuses a sender that is not the registered principal of the replica', async () => {
    const names = [
      { ...host.principal, id: 'service:else' },
      { ...host.principal, kind: 'agent' as const },
      { ...host.principal, trust_domain: 'else.test' },
      { id: host.principal.id, kind: host.principal.kind },
    ];
    for (const principal of names) {
      const who = { principal, key: host.key };
      await denied(
        await signed(who, { event_stream: { events: [newEvent()] } }, { connector_event: host.eventRoute() }),
      );
    }
    const other = await testbed.host({ instance: 'b', tenantId: 'tenant-b' });
    await denied(
      await signed(other, { event_stream: { events: [newEvent()] } }, { connector_event: host.eventRoute() }),
    );
  });

  test('F-207 refuses an unknown replica, a replica of another instance, and a disabled instance', async () => {
    await denied(await eventsOf(host, [newEvent()], { route: { replica_id: 'crepl_unknown' } }));
    await denied(await eventsOf(host, [newEvent()], { route: { instance_id: 'cinst_unknown' } }));
    const disabled = await testbed.host({ instance: 'off' });
    expect((await post(testbed.url, EVENTS, await eventsOf(disabled, [newEvent()]))).status).toBe(200);
    await testbed.registryPool.query('UPDATE registry.instances SET enabled = false WHERE id = $1', [
      disabled.instanceId,
    ]);
    await denied(await eventsOf(disabled, [newEvent()]));
  });

  test('F-208 refuses a route with another tenant', async () => {
    await denied(await eventsOf(host, [newEvent()], { route: { tenant_id: 'tenant-b' } }));
  });

  test('F-209 refuses another version than the replica’s, and one that is not active', async () => {
    await denied(await eventsOf(host, [newEvent()], { route: { version_id: 'cver_b' } }));
    const passive = await testbed.host({ instance: 'passive' });
    await testbed.registry.versions.setStatus(passive.versionId, 'admitted');
    await denied(await eventsOf(passive, [newEvent()]));
    await testbed.registry.versions.setStatus(passive.versionId, 'active');
    expect((await post(testbed.url, EVENTS, await eventsOf(passive, [newEvent()]))).status).toBe(200);
  });

  test('F-262 registry state counts when a batch arrives: one staged before its version was revoked or its instance disabled is refused', async () => {
    const gone = await testbed.host({ instance: 'gone' });
    const staged = await eventsOf(gone, [newEvent()]);
    await testbed.registry.versions.setStatus(gone.versionId, 'revoked');
    await denied(staged);
    const closed = await testbed.host({ instance: 'closed' });
    const waiting = await eventsOf(closed, [newEvent()]);
    await testbed.registryPool.query('UPDATE registry.instances SET enabled = false WHERE id = $1', [
      closed.instanceId,
    ]);
    await denied(waiting);
  });

  test('F-210 refuses another manifest digest', async () => {
    await denied(await eventsOf(host, [newEvent()], { route: { manifest_digest: `sha256:${'cd'.repeat(32)}` } }));
  });

  const digest = `sha256:${'cd'.repeat(32)}`;
  test.each([
    ['artifact_digest', digest],
    ['schema_bundle_digest', digest],
    ['owner', 'somebody else'],
    ['signer_identity', ' '],
    ['supported_aip_versions', []],
    ['conformance_status', 'failed'],
    ['vulnerability_policy_status', 'not_evaluated'],
    ['license_policy_status', 'failed'],
    ['revocation_status', 'failed'],
  ])('F-211 refuses a version whose attestation is not valid: %s %j', async (name, value) => {
    const unattested = await testbed.host({ instance: `unattested-${name}` });
    const changed = 'UPDATE registry.versions SET attestation = (attestation::jsonb || $2::jsonb)::json WHERE id = $1';
    await testbed.registryPool.query(changed, [unattested.versionId, JSON.stringify({ [name]: value })]);
    await denied(await eventsOf(unattested, [newEvent()]));
  });

  test('F-116 F-212 F-220 takes events of a ready and a draining replica; refuses an offline and a lapsed one', async () => {
    const leaving = await testbed.host({ instance: 'leaving' });
    const send = async () => eventsOf(leaving, [newEvent()]);
    expect((await post(testbed.url, EVENTS, await send())).status).toBe(200);
    await leaving.command('drain');
    expect((await post(testbed.url, EVENTS, await send())).status).toBe(200);
    await leaving.command('offline');
    await denied(await send());
    const lapsed = await testbed.host({ instance: 'lapsed' });
    await testbed.registryPool.query('UPDATE registry.replicas SET lease_expires_at = $2 WHERE id = $1', [
      lapsed.replicaId,
      Date.now(),
    ]);
    await denied(await eventsOf(lapsed, [newEvent()]));
  });

  test('F-213 refuses a channel that the manifest does not declare', async () => {
    await denied(await eventsOf(host, [newEvent()], { route: { channel_id: 'else' } }));
  });

  test('F-214 refuses events without connector_event, and one of another shape', async () => {
    const body = { event_stream: { events: [newEvent()] } };
    const { channel_id: _, ...incomplete } = host.eventRoute();
    const shapes = [
      {},
      { connector_event: 'x' },
      { connector_event: incomplete },
      { connector_event: { ...host.eventRoute(), more: 1 } },
    ];
    for (const security of shapes) await denied(await signed(host, body, security));
  });

  test('F-221 takes the current lease sequence; refuses a lower and a higher one', async () => {
    const renewed = await testbed.host({ instance: 'renewed' });
    await renewed.command('heartbeat');
    for (const lease_sequence of [renewed.sequence - 1, renewed.sequence + 1, 0]) {
      await denied(await eventsOf(renewed, [newEvent()], { route: { lease_sequence } }));
    }
    expect((await post(testbed.url, EVENTS, await eventsOf(renewed, [newEvent()]))).status).toBe(200);
  });
});

describe('the stream itself', () => {
  test('F-218 F-219 F-280 refuses an empty stream and one with a cursor', async () => {
    await invalid(await eventsOf(host, []));
    await invalid(await eventsOf(host, [newEvent()], { cursor: 'c1' }));
  });

  test('F-216 stores nothing when the last event of a batch is the invalid one', async () => {
    const late = newEvent({ occurred_at: formatTime(Date.now() + 400_000) });
    await invalid(await eventsOf(host, [newEvent(), newEvent(), late]));
    const foreign = newEvent({ actor: { id: 'service:else', kind: 'service' } });
    await denied(await eventsOf(host, [newEvent(), foreign]));
    const known = newEvent();
    await publish([known]);
    const changed = { ...known, data: { changed: true } };
    await refused(await eventsOf(host, [newEvent(), changed]), 'connector_event.idempotency_conflict', 400);
  });

  test('F-289 takes 99 and 100 events by default and refuses 101', async () => {
    const many = (count: number) => Array.from({ length: count }, () => newEvent());
    for (const count of [99, 100]) expect((await publish(many(count))).events).toHaveLength(count);
    await invalid(await eventsOf(host, many(101)));
  });

  test('F-291 takes an enriched event of 262143 and 262144 bytes and refuses one byte more', async () => {
    const small = newEvent({ data: { text: '' } });
    await publish([small]);
    const room = 262_144 - Buffer.byteLength(JSON.stringify(await stored(small.id)));
    const of = (bytes: number, last: string) =>
      newEvent({
        id: `${small.id.slice(0, -1)}${last}`,
        data: { text: 'x'.repeat(bytes) },
      });
    await invalid(await eventsOf(host, [of(room + 1, 'y')]));
    for (const [bytes, last] of [
      [room - 1, 'x'],
      [room, 'y'],
    ] as const)
      expect((await publish([of(bytes, last)])).status).toBe(200);
  });

  test('F-291 an event at its bound is taken although it grows by what is hidden in it', async () => {
    const small = newEvent({ data: { token: 't', text: '' } });
    await publish([small]);
    const hidden = '{"redacted":true}'.length - '"t"'.length;
    const room = 262_144 + hidden - Buffer.byteLength(JSON.stringify(await stored(small.id)));
    const full = { ...small, id: `${small.id.slice(0, -1)}x`, data: { token: 't', text: 'x'.repeat(room) } };
    expect((await publish([full])).status).toBe(200);
    expect((await stored(full.id))?.data).toMatchObject({ token: { redacted: true } });
  });

  test('F-296 F-297 takes envelopes up to 24 hours old and 5 minutes ahead, refuses older and later ones', async () => {
    const at = (ms: number) => ({ fields: { sent_at: formatTime(Date.now() + ms) } });
    for (const ms of [-86_390_000, 295_000]) expect((await publish([newEvent()], at(ms))).status).toBe(200);
    for (const ms of [-86_401_000, 310_000]) await invalid(await eventsOf(host, [newEvent()], at(ms)));
    expect((await publish([newEvent({ occurred_at: formatTime(Date.now() + 295_000) })])).status).toBe(200);
    await invalid(await eventsOf(host, [newEvent({ occurred_at: formatTime(Date.now() + 310_000) })]));
  });

  test('refuses a body that is neither events nor a chunk, signed', async () => {
    const heartbeat = await signed(host, { heartbeat: { sequence: 1 } }, { connector_event: host.eventRoute() });
    const answer = await invalid(heartbeat);
    expect(await verifyEnvelope(answer.envelope)).toBe(testbed.central.did);
  });
});

describe('the same event again', () => {
  test('F-226 stores an equivalent event once and returns the first stored form', async () => {
    const event = newEvent();
    const first = await publish([event]);
    const again = await publish([event, newEvent()]);
    expect(again.events[0]).toEqual(first.events[0]);
    expect((await storedIds()).filter((id) => id === event.id)).toHaveLength(1);
    const twice = newEvent();
    expect((await publish([twice, twice])).events.map((each) => each.id)).toEqual([twice.id, twice.id]);
    expect((await storedIds()).filter((id) => id === twice.id)).toHaveLength(1);
  });

  test('F-226 F-228 ids count within a tenant: another tenant’s event of the same id is stored too, and each keeps its own', async () => {
    const other = await testbed.host({ instance: 'other', tenantId: 'tenant-b' });
    const ours = newEvent({ data: { of: 'a' } });
    const theirs = { ...ours, data: { of: 'b' } };
    expect((await publish([ours])).status).toBe(200);
    const answer = await post(testbed.url, EVENTS, await eventsOf(other, [theirs]));
    expect(answer.status).toBe(200);
    expect(answer.events[0]).toMatchObject({
      id: ours.id,
      data: { of: 'b', identity: { tenant: { id: 'tenant-b' } } },
    });
    expect((await publish([ours])).events[0]).toMatchObject({ data: { of: 'a' } });
    expect((await publish([{ ...ours, data: { of: 'c' } }])).code).toBe('connector_event.idempotency_conflict');
    expect((await testbed.storedEvents()).filter(({ id }) => id === ours.id)).toHaveLength(2);
  });

  test('F-227 takes it with a newer lease sequence and from another replica of the instance', async () => {
    const [one, two] = [
      await testbed.host({ instance: 'pair' }),
      await testbed.host({ instance: 'pair', replica: '2' }),
    ];
    const event = newEvent();
    const first = await post(testbed.url, EVENTS, await eventsOf(one, [event]));
    await one.command('heartbeat');
    for (const publisher of [one, two]) {
      const again = await post(testbed.url, EVENTS, await eventsOf(publisher, [event]));
      expect([again.status, again.events]).toEqual([200, first.events]);
    }
    expect((await storedIds()).filter((id) => id === event.id)).toHaveLength(1);
  });

  test('F-228 F-280 refuses other content under a known id and keeps the first', async () => {
    const event = newEvent();
    await publish([event]);
    const before = await stored(event.id);
    const changed = await eventsOf(host, [{ ...event, data: { other: 1 } }]);
    await refused(changed, 'connector_event.idempotency_conflict', 400);
    expect(await stored(event.id)).toEqual(before);
    const elsewhere = await testbed.host({ instance: 'c' });
    await refused(await eventsOf(elsewhere, [event]), 'connector_event.idempotency_conflict', 400);
  });

  test('of equal and of different envelopes at the same moment, on two gateways, exactly one content wins', async () => {
    const second = await testbed.another();
    for (let round = 0; round < 5; round += 1) {
      const shared = [newEvent(), newEvent(), newEvent()];
      const equal = await Promise.all(
        Array.from({ length: 8 }, async (_, n) =>
          post(
            n % 2 === 0 ? testbed.url : second,
            EVENTS,
            await eventsOf(host, n % 3 === 0 ? [...shared].reverse() : shared),
          ),
        ),
      );
      expect(equal.map((answer) => answer.status)).toEqual(Array(8).fill(200));
      const contested = newEvent();
      const different = await Promise.all(
        [1, 2, 3, 4].map(async (n) =>
          post(n % 2 === 0 ? testbed.url : second, EVENTS, await eventsOf(host, [{ ...contested, data: { n } }])),
        ),
      );
      expect(different.filter((answer) => answer.status === 200)).toHaveLength(1);
      expect(different.filter((answer) => answer.code === 'connector_event.idempotency_conflict')).toHaveLength(3);
      const ids = await storedIds();
      for (const { id } of [...shared, contested]) expect(ids.filter((each) => each === id)).toHaveLength(1);
    }
  });
});

describe('before a request is trusted', () => {
  test('F-278 F-279 answers schema and decode faults unsigned', async () => {
    const envelope = (await eventsOf(host, [newEvent()])) as Envelope & Record<string, unknown>;
    const { message_id: _, ...incomplete } = envelope;
    const faults: [unknown, string][] = [
      ['{"aip_version":', 'schema.envelope.invalid'],
      ['[]', 'schema.envelope.invalid'],
      [incomplete, 'schema.envelope.invalid'],
      [{ ...envelope, unknown: 1 }, 'schema.envelope.invalid'],
      [{ ...envelope, message_type: 'aip.core.v1.action' }, 'envelope.decode.invalid'],
      [{ ...envelope, sent_at: 'yesterday' }, 'envelope.decode.invalid'],
    ];
    for (const [body, code] of faults) {
      const answer = await refused(body, code, 400);
      expect(answer.envelope).not.toHaveProperty('security');
      expect(answer.envelope).not.toHaveProperty('in_response_to');
    }
  });

  test('F-288 takes an envelope of 4194303 and of 4194304 bytes and refuses one byte more', async () => {
    const padded = async (bytes: number): Promise<string> => {
      const fields = (pad: string) => ({ fields: { extensions: { pad } } });
      const event = newEvent();
      const sentAt = { sent_at: formatTime(Date.now()), message_id: 'msg_padded' };
      const of = async (pad: string) =>
        JSON.stringify(await eventsOf(host, [event], { fields: { ...fields(pad).fields, ...sentAt } }));
      return of('x'.repeat(bytes - (await of('')).length));
    };
    for (const bytes of [4_194_303, 4_194_304]) {
      const full = await padded(bytes);
      expect(Buffer.byteLength(full)).toBe(bytes);
      expect((await post(testbed.url, EVENTS, full)).status).toBe(200);
    }
    await refused(await padded(4_194_305), 'http.body_too_large', 413);
  });
});
