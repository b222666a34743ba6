import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import type { ConnectorHostRegistration } from '#runtime/protocol/lifecycle.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { parseLeaseArray } from '#runtime/protocol/time.js';
import { retireReplica } from '#runtime/registry/replicas.js';
import {
  assigned,
  type Fleet,
  outcomeOf,
  sequenceOf,
  startFleet,
  type TestReplica,
  wanted,
} from '../../runtime/registry/fleet.ts';
import {
  type Answer,
  drain,
  expectRejected,
  heartbeat,
  LEASE_TTL_MS,
  type Overrides,
  offline,
  type Plane,
  signed,
  startPlane,
} from './plane.ts';

let fleet: Fleet;
let plane: Plane;
let replica: TestReplica;
beforeAll(async () => {
  fleet = await startFleet();
  plane = await startPlane(fleet);
});
afterAll(async () => {
  await plane?.close();
  await fleet?.close();
});
beforeEach(async () => {
  for (const { id } of await fleet.registry.replicas.list()) await fleet.registry.replicas.remove(id);
  replica = await fleet.provision({ capacity: 4 });
});

type Command = Parameters<typeof signed>[2];
const send = async (command: Command, over?: Overrides): Promise<Answer> =>
  plane.post(await signed(fleet, replica, command, over));
const stored = async () => (await fleet.registry.replicas.get(replica.id)) ?? expect.fail('the replica is gone');

/** Sends a command, expects 403 and the replica as it was. */
async function refused(command: Command, over?: Overrides): Promise<void> {
  const before = await stored();
  await expectRejected(plane, await send(command, over));
  expect(await stored()).toEqual(before);
}
async function accepted(command: Command, status: 'lease' | 'offline' = 'lease'): Promise<Answer> {
  const answer = await send(command);
  expect(answer).toMatchObject({ status: 200, response: { status } });
  return answer;
}

describe('register is refused when one member alone differs from what was admitted', () => {
  const DIGEST = `sha256:${'cd'.repeat(32)}`;
  const rows: [string, (payload: ConnectorHostRegistration) => void][] = [
    ['F-093 F-017 version_id', ({ replica }) => set(replica, 'version_id', newId('connectorVersion'))],
    ['F-094 instance_id', ({ replica }) => set(replica, 'instance_id', newId('connectorInstance'))],
    ['F-095 manifest_digest', (payload) => set(payload, 'manifest_digest', DIGEST)],
    ['F-095 artifact_digest', (payload) => set(payload, 'artifact_digest', DIGEST)],
    ['F-096 tenant_id', (payload) => set(payload, 'tenant_id', 'tenant-b')],
    ['F-096 config_revision', (payload) => set(payload, 'config_revision', 2)],
    ['F-096 secret_provider_ref', (payload) => set(payload, 'secret_provider_ref', 'secrets:other')],
    ['F-097 capability_count', (payload) => set(payload, 'capability_count', 2)],
    ['F-098 endpoint', ({ replica }) => set(replica, 'endpoint', 'http://127.0.0.1:9/aip/v1/messages')],
    ['F-098 transport_profile', ({ replica }) => set(replica, 'transport_profile', 'aip.native.ws.v1')],
    ['F-098 topology.region', ({ replica }) => set(replica.topology ?? {}, 'region', 'moon')],
    ['F-098 topology.zone', ({ replica }) => set(replica.topology ?? {}, 'zone', 'z')],
    ['F-098 topology.capacity_class', ({ replica }) => set(replica.topology ?? {}, 'capacity_class', 'large')],
    ['F-099 peer_principal_id', ({ replica }) => set(replica, 'peer_principal_id', 'agent:other')],
    ['F-099 peer_principal_kind', ({ replica }) => set(replica, 'peer_principal_kind', 'service')],
    ['F-099 peer_did', ({ replica }) => set(replica, 'peer_did', signingKeyFromSeed(newSeedHex()).did)],
    ['F-099 trust_domain', ({ replica }) => set(replica, 'trust_domain', 'other.local')],
    ['status', ({ replica }) => set(replica, 'status', 'draining')],
    ['active_assignments', ({ replica }) => set(replica, 'active_assignments', 1)],
    ['health_revision', ({ replica }) => set(replica, 'health_revision', 1)],
    ['last_control_request_id', ({ replica }) => set(replica, 'last_control_request_id', 'msg_1')],
    ['last_control_request_digest', ({ replica }) => set(replica, 'last_control_request_digest', DIGEST)],
    ['capacity 0', ({ replica }) => set(replica, 'capacity', 0)],
    ['capacity beyond what can be stored', ({ replica }) => set(replica, 'capacity', 4_294_967_295)],
  ];
  test.each(rows)('%s', async (_, change) => {
    const proposal = fleet.proposal(replica);
    change(proposal.payload);
    expect(proposal).not.toEqual(fleet.proposal(replica));
    await refused(proposal);
    expect(await stored()).toMatchObject({ status: 'offline', healthRevision: 0 });
    await accepted(fleet.proposal(replica));
  });
});

test.each([
  ['id', { peerPrincipalId: 'agent:other' }],
  ['kind', { peerPrincipalKind: 'service' }],
] as const)('F-099 register is refused when the %s of the principal is not that of the manifest', async (_, over) => {
  replica = await fleet.provision(over);
  await refused(fleet.proposal(replica));
});

test('F-092 a proposal without topology means the default one', async () => {
  const proposal = fleet.proposal(replica);
  delete proposal.payload.replica.topology;
  await accepted(proposal);
});

test('F-093 F-186 register is refused while the version is not active or the instance is disabled', async () => {
  const { registry } = fleet;
  await registry.versions.setStatus(fleet.version.id, 'admitted');
  await refused(fleet.proposal(replica));
  await registry.versions.setStatus(fleet.version.id, 'active');
  const instance = await fleet.addInstance({ enabled: false });
  const other = await fleet.provision({ instanceId: instance.id });
  await expectRejected(plane, await plane.post(await signed(fleet, other, fleet.proposal(other))));
  expect(await sequenceOf(fleet, other.id)).toBe(0);
});

test('F-093 part: register is refused without a valid attestation, and for a version of another connector type', async () => {
  const { pool, version } = fleet;
  const attested = await pool.query<{ attestation: string }>(
    'SELECT attestation::text AS attestation FROM registry.versions WHERE id = $1',
    [version.id],
  );
  const write = (attestation: string) =>
    pool.query('UPDATE registry.versions SET attestation = $2 WHERE id = $1', [version.id, attestation]);
  const { attestation } = attested.rows[0] as { attestation: string };
  await write(JSON.stringify({ ...JSON.parse(attestation), conformance_status: 'failed' }));
  await refused(fleet.proposal(replica));
  await write(attestation);
  const other = newId('connectorType');
  await fleet.registry.types.put({ id: other, name: 'another', owner: 'us', enabled: true });
  const {
    rows: [row],
  } = await pool.query<{ type_id: string }>('SELECT type_id FROM registry.versions WHERE id = $1', [version.id]);
  const typeOf = (type: string) =>
    pool.query('UPDATE registry.versions SET type_id = $2 WHERE id = $1', [version.id, type]);
  await typeOf(other);
  await refused(fleet.proposal(replica));
  await typeOf(row?.type_id as string);
  await accepted(fleet.proposal(replica));
});

test('F-092 a host of a retired replica gets no lease again, and one that is wanted back does', async () => {
  await accepted(fleet.proposal(replica));
  await retireReplica(fleet.pool, replica.id, true);
  await accepted(heartbeat(replica, 1));
  await accepted(offline(replica, 2), 'offline');
  await refused(fleet.proposal(replica));
  await retireReplica(fleet.pool, replica.id, false);
  await accepted(fleet.proposal(replica));
});

test('F-092 register is refused while the lease is live, also after a drain', async () => {
  await accepted(fleet.proposal(replica));
  await refused(fleet.proposal(replica));
  await accepted(drain(replica, 1));
  await refused(fleet.proposal(replica));
});

test('F-092 a register that takes less capacity than the pinned work needs is refused', async () => {
  await accepted(fleet.proposal(replica));
  await Promise.all([assigned(fleet.registry), assigned(fleet.registry)]);
  await accepted(offline(replica, 1), 'offline');
  const proposal = fleet.proposal(replica);
  proposal.payload.replica.capacity = 1;
  await refused(proposal);
  proposal.payload.replica.capacity = 2;
  await accepted(proposal);
  expect(await stored()).toMatchObject({ capacity: 2, activeAssignments: 2 });
});

test.each([
  ['F-102 heartbeat', heartbeat],
  ['F-106 drain', drain],
  ['F-110 offline', offline],
])('%s with a fence below or above the current one is refused', async (_, make) => {
  await accepted(fleet.proposal(replica));
  await accepted(heartbeat(replica, 1));
  for (const fence of [0, 1, 3, 100]) await refused(make(replica, fence));
  expect((await send(make(replica, 2))).status).toBe(200);
});

test('F-101 in_flight may equal the capacity, not exceed it', async () => {
  await accepted(fleet.proposal(replica));
  await accepted(heartbeat(replica, 1, { in_flight: 4 }));
  await refused(heartbeat(replica, 2, { in_flight: 5 }));
});

test('F-103 D-32 a heartbeat that is not ready ends the lease: no new work until register', async () => {
  await accepted(fleet.proposal(replica));
  const answer = await accepted(heartbeat(replica, 1, { connector_ready: false }));
  expect(answer.response.lease?.sequence).toBe(2);
  expect(parseLeaseArray(answer.response.lease?.expires_at ?? [])).toBeLessThanOrEqual(fleet.clock());
  expect(await stored()).toMatchObject({ status: 'offline' });
  expect(await outcomeOf(fleet.registry)).toBe('connector.replica_unavailable');
  await refused(heartbeat(replica, 2));
  await refused(drain(replica, 2));
  expect((await accepted(fleet.proposal(replica))).response.lease?.sequence).toBe(3);
});

test('F-105 F-107 D-31 draining ends new work; heartbeat does not renew it, a further drain does', async () => {
  await accepted(fleet.proposal(replica));
  await accepted(drain(replica, 1));
  expect(await outcomeOf(fleet.registry)).toBe('connector.replica_unavailable');
  await refused(heartbeat(replica, 2));
  await refused(heartbeat(replica, 2, { connector_ready: false }));
  const { leaseExpiresAt } = await stored();
  fleet.time.ahead += 5000;
  await accepted(drain(replica, 2));
  const now = await stored();
  expect(now.status).toBe('draining');
  expect(now.leaseExpiresAt).toBeGreaterThanOrEqual(leaseExpiresAt + 5000);
});

test('F-109 an offline replica gets no new work and goes offline again with the next fence', async () => {
  await accepted(fleet.proposal(replica));
  expect(await outcomeOf(fleet.registry)).toBe(replica.id);
  await accepted(offline(replica, 1), 'offline');
  expect(await outcomeOf(fleet.registry)).toBe('connector.replica_unavailable');
  await refused(heartbeat(replica, 2));
  await refused(drain(replica, 2));
  await accepted(offline(replica, 2), 'offline');
});

test('F-104 F-111 F-113 F-114 a lapsed lease is renewed by register alone, before and after maintenance saw it', async () => {
  await accepted(fleet.proposal(replica));
  fleet.time.ahead += LEASE_TTL_MS;
  await refused(heartbeat(replica, 1));
  await refused(drain(replica, 1));
  expect(await outcomeOf(fleet.registry)).toBe('connector.replica_unavailable');
  expect((await accepted(fleet.proposal(replica))).response.lease?.sequence).toBe(2);
  expect(await outcomeOf(fleet.registry)).toBe(replica.id);
  fleet.time.ahead += LEASE_TTL_MS;
  expect(await fleet.registry.maintenance.expire(500)).toBe(1);
  expect(await fleet.registry.maintenance.expire(500)).toBe(0);
  expect(await stored()).toMatchObject({ status: 'offline', healthRevision: 3, activeAssignments: 0 });
  expect(await outcomeOf(fleet.registry)).toBe('connector.replica_unavailable');
  await refused(heartbeat(replica, 3));
  expect((await accepted(fleet.proposal(replica))).response.lease?.sequence).toBe(4);
});

test('F-104 a heartbeat a millisecond before the end renews the lease', async () => {
  await accepted(fleet.proposal(replica));
  const { leaseExpiresAt } = await stored();
  const frozen = { ...fleet, clock: () => leaseExpiresAt - 1 };
  const own = await startPlane(frozen);
  expect((await own.post(await signed(frozen, replica, heartbeat(replica, 1)))).status).toBe(200);
  await own.close();
});

describe('replay', () => {
  /** Brings the replica to where the operation may be sent, and gives the command. */
  const last: [string, () => Promise<Command>][] = [
    ['register', async () => fleet.proposal(replica)],
    [
      'heartbeat',
      async () => {
        await accepted(fleet.proposal(replica));
        return heartbeat(replica, 1, { in_flight: 2 });
      },
    ],
    [
      'heartbeat that is not ready',
      async () => {
        await accepted(fleet.proposal(replica));
        return heartbeat(replica, 1, { connector_ready: false });
      },
    ],
    [
      'drain',
      async () => {
        await accepted(fleet.proposal(replica));
        return drain(replica, 1);
      },
    ],
    [
      'offline',
      async () => {
        await accepted(fleet.proposal(replica));
        return offline(replica, 1);
      },
    ],
  ];

  test.each(last)(
    'F-123 F-124 the exact bytes of the last %s get the same outcome, also from another control plane',
    async (_, make) => {
      const command = await make();
      const text = await signed(fleet, replica, command);
      const first = await plane.post(text);
      expect(first.status).toBe(200);
      const after = await stored();
      fleet.time.ahead += 1000;
      const { pool } = fleet.another(2);
      const restarted = await startPlane(fleet, { pool });
      for (const each of [plane, restarted]) {
        const again = await each.post(text);
        expect(again.status).toBe(200);
        const { status, lease, request_id } = first.response;
        expect(again.response).toMatchObject({ status, request_id, ...(lease && { lease }) });
        expect(await stored()).toEqual(after);
      }
      await restarted.close();
    },
  );

  test.each(last)('F-127 copies of one %s in parallel are answered alike and commit once', async (_, make) => {
    const command = await make();
    const before = await sequenceOf(fleet, replica.id);
    const text = await signed(fleet, replica, command);
    const answers = await Promise.all(Array.from({ length: 8 }, () => plane.post(text)));
    const outcomes = new Set(
      answers.map(({ status, response }) => JSON.stringify([status, response.status, response.lease])),
    );
    expect([...outcomes]).toHaveLength(1);
    expect(answers[0]?.status).toBe(200);
    expect(await sequenceOf(fleet, replica.id)).toBe(before + 1);
  });

  test('F-125 an id that was used is refused with other content, of the same or another replica', async () => {
    const requestId = newId('message');
    const proposal = fleet.proposal(replica);
    expect((await send(proposal, { requestId })).status).toBe(200);
    const changed = fleet.proposal(replica);
    changed.payload.replica.capacity = 3;
    await refused(changed, { requestId });
    await refused(heartbeat(replica, 1), { requestId });
    const other = await fleet.provision();
    await expectRejected(plane, await plane.post(await signed(fleet, other, fleet.proposal(other), { requestId })));
    expect(await sequenceOf(fleet, other.id)).toBe(0);
    await accepted(heartbeat(replica, 1));
    await refused(heartbeat(replica, 2), { requestId });
  });

  test('F-126 an older transition is refused after a later one, and after maintenance took the replica offline', async () => {
    const register = await signed(fleet, replica, fleet.proposal(replica));
    expect((await plane.post(register)).status).toBe(200);
    const beat = await signed(fleet, replica, heartbeat(replica, 1));
    expect((await plane.post(beat)).status).toBe(200);
    await accepted(offline(replica, 2), 'offline');
    const before = await stored();
    for (const text of [register, beat]) await expectRejected(plane, await plane.post(text));
    expect(await stored()).toEqual(before);

    const short = await fleet.ready();
    const text = await signed(fleet, short, heartbeat(short, 1));
    expect((await plane.post(text)).status).toBe(200);
    await fleet.pool.query('UPDATE registry.replicas SET lease_expires_at = 1 WHERE id = $1', [short.id]);
    expect(await fleet.registry.maintenance.expire(10)).toBe(1);
    await expectRejected(plane, await plane.post(text));
    expect((await fleet.registry.replicas.get(short.id))?.status).toBe('offline');
  });

  test('F-125 a rejected request stays rejected when the exact bytes come again', async () => {
    await accepted(fleet.proposal(replica));
    const text = await signed(fleet, replica, heartbeat(replica, 7));
    await expectRejected(plane, await plane.post(text));
    for (let n = 1; n < 7; n += 1) await accepted(heartbeat(replica, n));
    expect(await sequenceOf(fleet, replica.id)).toBe(7);
    await expectRejected(plane, await plane.post(text));
    expect(await sequenceOf(fleet, replica.id)).toBe(7);
  });

  test('F-126 an id is remembered until the end of its last copy, also when that copy carried later times', async () => {
    const requestId = newId('message');
    const proposal = fleet.proposal(replica);
    expect((await send(proposal, { requestId })).status).toBe(200);
    fleet.time.ahead += 20_000;
    const later = await signed(fleet, replica, proposal, { requestId });
    expect((await plane.post(later)).status).toBe(200);
    await accepted(offline(replica, 1), 'offline');
    fleet.time.ahead += 20_000;
    const before = await stored();
    await expectRejected(plane, await plane.post(later));
    expect(await stored()).toEqual(before);
  });

  test('claims whose window has passed are dropped by later requests', async () => {
    await accepted(fleet.proposal(replica));
    const count = async () =>
      (await fleet.pool.query<{ n: number }>('SELECT count(*) AS n FROM registry.control_replay')).rows[0]?.n;
    expect(await count()).toBeGreaterThan(1);
    fleet.time.ahead += 60_000;
    await accepted(fleet.proposal(replica));
    expect(await count()).toBe(1);
  });
});

test('F-114 the sequence rises by one with every transition, over drain, offline, expiry and a new register', async () => {
  const seen: number[] = [];
  const step = async (command: Command): Promise<void> => {
    expect((await send(command)).status).toBe(200);
    seen.push(await sequenceOf(fleet, replica.id));
  };
  await step(fleet.proposal(replica));
  await step(heartbeat(replica, 1));
  await step(offline(replica, 2));
  await step(fleet.proposal(replica));
  fleet.time.ahead += LEASE_TTL_MS;
  await fleet.registry.maintenance.expire(10);
  seen.push(await sequenceOf(fleet, replica.id));
  await step(fleet.proposal(replica));
  await step(drain(replica, 6));
  await step(offline(replica, 7));
  await step(fleet.proposal(replica));
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('F-108 work that is pinned when its replica drains stays reserved, and ends normally', async () => {
  await accepted(fleet.proposal(replica));
  const request = wanted();
  const route = await assigned(fleet.registry, request);
  await accepted(drain(replica, 1));
  expect(await assigned(fleet.registry, request)).toEqual(route);
  await fleet.registry.routes.settle([
    { actionId: request.actionId, fenceToken: route.fenceToken, settlement: 'completed' },
  ]);
  expect(await stored()).toMatchObject({ status: 'draining', activeAssignments: 0 });
});

function set(object: object, name: string, value: unknown): void {
  Object.assign(object, { [name]: value });
}
