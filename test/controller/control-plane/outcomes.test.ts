import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { signValue } from '#runtime/protocol/lifecycle.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { leaseArray, parseLeaseArray, parseTime } from '#runtime/protocol/time.js';
import { UNTRUSTED_SIGNER } from '#runtime/registry/lifecycle/commit.js';
import type { RouteAssignment } from '#runtime/registry/routes/assignment.js';
import { REGISTRY_SCHEMA_VERSION } from '#runtime/registry/schema/migrations.js';
import { type Fleet, sequenceOf, startFleet } from '../../runtime/registry/fleet.ts';
import { alterations } from '../../support/alter.ts';
import {
  CONTROL,
  drain,
  expectRejected,
  heartbeat,
  isSigned,
  LEASE_TTL_MS,
  offline,
  type Plane,
  signed,
  startPlane,
} from './plane.ts';

const DEAD_DATABASE = 'postgres://nobody:none@127.0.0.1:1/none';

let fleet: Fleet;
let plane: Plane;
beforeAll(async () => {
  fleet = await startFleet();
  plane = await startPlane(fleet);
});
afterAll(async () => {
  await plane?.close();
  await fleet?.close();
});

test('F-004 F-080 F-081 F-082 F-091 F-092 F-100 F-105 F-109 F-114 F-180 F-184 F-185 the life of a replica: lease for register, heartbeat and drain, offline at the end', async () => {
  const replica = await fleet.provision();
  const stored = () => fleet.registry.replicas.get(replica.id);
  const life = [
    { command: fleet.proposal(replica), sequence: 1, status: 'ready' },
    { command: heartbeat(replica, 1), sequence: 2, status: 'ready' },
    { command: heartbeat(replica, 2), sequence: 3, status: 'ready' },
    { command: drain(replica, 3), sequence: 4, status: 'draining' },
    { command: drain(replica, 4), sequence: 5, status: 'draining' },
  ];
  let end = 0;
  for (const { command, sequence, status } of life) {
    fleet.time.ahead += 1000;
    const answer = await plane.post(await signed(fleet, replica, command));
    expect(answer).toMatchObject({ status: 200, response: { status: 'lease', lease: { sequence } } });
    expect(answer.response).not.toHaveProperty('code');
    expect(await isSigned(plane, answer)).toBe(true);
    const row = await stored();
    expect(row).toMatchObject({ status, healthRevision: sequence });
    expect(row?.leaseExpiresAt).toBeGreaterThan(end);
    end = row?.leaseExpiresAt ?? 0;
    expect(answer.response.lease?.expires_at).toEqual(leaseArray(end));
    expect(end).toBeLessThanOrEqual(fleet.clock() + LEASE_TTL_MS);
  }
  const answer = await plane.post(await signed(fleet, replica, offline(replica, 5)));
  expect(answer).toMatchObject({ status: 200, response: { status: 'offline' } });
  expect(answer.response).not.toHaveProperty('lease');
  expect(answer.response).not.toHaveProperty('code');
  expect(await stored()).toMatchObject({ status: 'offline', healthRevision: 6 });
});

test('F-108 part: the answer to a drain counts in a header what is pinned to the replica and not ended, until that has ended', async () => {
  const replica = await fleet.ready();
  const [route] = await fleet.registry.routes.assign([
    { actionId: newId('action'), capabilityId: 'cap:probe:echo', tenantId: fleet.instance.tenantId },
  ]);
  const { actionId, fenceToken, replicaId } = route as RouteAssignment;
  expect(replicaId).toBe(replica.id);
  const beat = await plane.post(await signed(fleet, replica, heartbeat(replica, 1)));
  expect(beat).toMatchObject({ status: 200, pinned: null });
  const first = await signed(fleet, replica, drain(replica, 2));
  expect(await plane.post(first)).toMatchObject({ status: 200, pinned: '1' });
  expect(await plane.post(first)).toMatchObject({ status: 200, pinned: '1' });
  await fleet.registry.routes.settle([{ actionId, fenceToken, settlement: 'completed' }]);
  const again = await plane.post(await signed(fleet, replica, drain(replica, 3)));
  expect(again).toMatchObject({ status: 200, pinned: '0', response: { status: 'lease' } });
  const offlined = await plane.post(await signed(fleet, replica, offline(replica, 4)));
  expect(offlined).toMatchObject({ status: 200, pinned: null });
});

test('F-018 F-077 F-078 F-079 F-081 F-083 F-086 F-087 members of the response: id, window of 30 s, signer, signature, lease or code, and nothing else', async () => {
  const replica = await fleet.provision();
  const answers = [
    { id: newId('message'), command: fleet.proposal(replica), extra: 'lease' },
    { id: newId('message'), command: heartbeat(replica, 99), extra: 'code' },
    { id: newId('message'), command: offline(replica, 1), extra: undefined },
  ];
  for (const { id, command, extra } of answers) {
    const before = fleet.clock();
    const answer = await plane.post(await signed(fleet, replica, command, { requestId: id }));
    const { response, signature } = answer.body as { response: Record<string, unknown>; signature: string };
    expect(response.request_id).toBe(id);
    expect(parseTime(String(response.expires_at)) - parseTime(String(response.issued_at))).toBe(30_000);
    const issuedAt = parseTime(String(response.issued_at));
    expect([issuedAt >= before - 1000, issuedAt <= fleet.clock() + 1000]).toEqual([true, true]);
    expect(response.signer_did).toBe(plane.key.did);
    const said = extra === 'code' ? ['code', 'message', 'retryable'] : extra ? [extra] : [];
    const always = ['expires_at', 'issued_at', 'request_id', 'signer_did', 'status'];
    expect(Object.keys(response).sort()).toEqual([...always, ...said].sort());
    expect(signature).toMatch(/^[A-Za-z0-9+/]{86}==$/);
    expect(await isSigned(plane, answer)).toBe(true);
    expect(await signValue(response, plane.key)).toBe(signature);
    if (extra === 'lease') {
      const { expires_at, ...rest } = answer.response.lease as { expires_at: number[] };
      expect(rest).toEqual({ sequence: 1 });
      expect(expires_at).toHaveLength(9);
      expect(expires_at.every(Number.isInteger)).toBe(true);
      expect(parseLeaseArray(expires_at)).toBe((await fleet.registry.replicas.get(replica.id))?.leaseExpiresAt);
    }
  }
});

test('F-082 F-083 F-084 the end of a lease on 31 December of a leap year is its day 366', async () => {
  const at = Date.UTC(2028, 11, 31, 12, 30, 15, 250);
  const replica = await fleet.provision();
  const frozen = { ...fleet, clock: () => at };
  const own = await startPlane(frozen);
  const answer = await own.post(await signed(frozen, replica, frozen.proposal(replica)));
  expect(answer.response.lease).toEqual({ sequence: 1, expires_at: [2028, 366, 12, 30, 45, 250_000_000, 0, 0, 0] });
  await own.close();
});

test('F-186 F-018 a rejection says why in at most 1024 bytes, without a secret', async () => {
  const replica = await fleet.provision();
  const proposal = fleet.proposal(replica);
  proposal.payload.secret_provider_ref = 'vault://somebody/else';
  const answer = await plane.post(await signed(fleet, replica, proposal));
  await expectRejected(plane, answer);
  expect(Buffer.byteLength(String(answer.response.message))).toBeLessThanOrEqual(1024);
  expect(answer.text).not.toContain('vault://');
  expect(answer.text).not.toContain(fleet.instance.secretProviderRef);
});

test('F-188 F-190 503 while the database is away commits nothing: the same bytes are accepted afterwards', async () => {
  const replica = await fleet.provision();
  const dead = openPool({ url: DEAD_DATABASE, max: 1, acquireTimeoutMs: 500 });
  const away = await startPlane(fleet, { pool: dead });
  const text = await signed(fleet, replica, fleet.proposal(replica));
  await expectRejected(away, await away.post(text), 503);
  await expectRejected(away, await away.post(text), 503);
  expect(await sequenceOf(fleet, replica.id)).toBe(0);
  expect(await plane.post(text)).toMatchObject({ status: 200, response: { lease: { sequence: 1 } } });
  await away.close();
  await dead.close();
});

test('F-190 503 because the record could not be written leaves the request id free', async () => {
  const replica = await fleet.provision();
  const text = await signed(fleet, replica, fleet.proposal(replica));
  await fleet.pool.query(`
    CREATE FUNCTION registry.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'disk' USING ERRCODE = '53100'; END $$`);
  await fleet.pool.query(
    'CREATE TRIGGER refuse BEFORE UPDATE ON registry.replicas FOR EACH ROW EXECUTE FUNCTION registry.refuse()',
  );
  await expectRejected(plane, await plane.post(text), 503);
  await fleet.pool.query('DROP TRIGGER refuse ON registry.replicas');
  expect(await plane.post(text)).toMatchObject({ status: 200, response: { lease: { sequence: 1 } } });
});

test('F-091 the registry stores no state of a replica but ready, draining and offline', async () => {
  const { id } = await fleet.provision();
  const store = (status: string) =>
    fleet.pool.query('UPDATE registry.replicas SET status = $2 WHERE id = $1', [id, status]);
  for (const status of ['ready', 'draining', 'offline']) expect((await store(status)).rowCount).toBe(1);
  for (const status of ['joining', 'failed', 'Ready', ''])
    await expect(store(status)).rejects.toMatchObject({ code: '23514' });
});

test('F-191 500 with an unsigned error body when the answer cannot be signed', async () => {
  const replica = await fleet.provision();
  const key = { did: plane.key.did, sign: () => Promise.reject(new Error('the key store is away')) };
  const mute = await startPlane(fleet, { key });
  const answer = await mute.post(await signed(fleet, replica, fleet.proposal(replica)));
  expect(answer).toMatchObject({ status: 500, body: { error: { code: 'connector_control.response_signing' } } });
  expect(answer.body).not.toHaveProperty('signature');
  expect(answer.text).not.toContain('key store');
  await mute.close();
});

test('F-058 F-130 F-176 F-177 F-179 F-088 F-090 health, readiness and the pool snapshot need no credential', async () => {
  const pool = openPool({ url: fleet.url, max: 3 });
  const own = await startPlane(fleet, { pool });
  const get = async (path: string) => {
    const response = await fetch(own.url + path);
    return { status: response.status, type: response.headers.get('content-type'), body: await response.json() };
  };
  expect(await get('/health')).toMatchObject({
    status: 200,
    body: { status: 'ok', component: 'aip-connector-control-plane' },
  });
  const snapshot = { control_size: 0, control_idle: 0, control_max: 0, data_max: 3 };
  expect(await get('/ready')).toMatchObject({
    status: 200,
    body: {
      status: 'ready',
      schema_version: REGISTRY_SCHEMA_VERSION,
      catalog_revision: await fleet.registry.catalogRevision(),
      pools: snapshot,
    },
  });
  const metrics = await get('/metrics');
  expect(metrics.type).toContain('application/json');
  expect(metrics.body).toMatchObject(snapshot);
  expect(Object.keys(metrics.body as object).sort()).toEqual(
    ['control_idle', 'control_max', 'control_size', 'data_idle', 'data_max', 'data_size'].sort(),
  );
  expect(Object.values(metrics.body as object).every(Number.isInteger)).toBe(true);
  await own.close();
  await pool.close();
});

test('F-089 the pool snapshot counts open and idle connections', async () => {
  const pool = openPool({ url: fleet.url, max: 3 });
  const own = await startPlane(fleet, { pool });
  const snapshot = async () => (await fetch(`${own.url}/metrics`)).json();
  expect(await snapshot()).toMatchObject({ data_size: 0, data_idle: 0 });
  await Promise.all([pool.query('SELECT 1'), pool.query('SELECT 1')]);
  expect(await snapshot()).toMatchObject({ data_size: 2, data_idle: 2 });
  const busy = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const work = pool.tx(async () => {
    began.resolve();
    await busy.promise;
  });
  await began.promise;
  expect(await snapshot()).toMatchObject({ data_size: 2, data_idle: 1 });
  busy.resolve();
  await work;
  await own.close();
  await pool.close();
});

test('F-059 F-176 F-178 503 with schema_ok and catalog_ok when the schema or catalog cannot be used; health continues', async () => {
  const ready = async (own: Plane) => {
    const response = await fetch(`${own.url}/ready`);
    return { status: response.status, body: await response.json() };
  };
  const empty = await startFleet();
  const plane = await startPlane(empty);
  await empty.pool.query(`UPDATE registry.migrations SET id = 99 WHERE id = ${REGISTRY_SCHEMA_VERSION}`);
  expect(await ready(plane)).toMatchObject({ status: 503, body: { schema_ok: false, catalog_ok: true } });
  await empty.pool.query(`UPDATE registry.migrations SET id = ${REGISTRY_SCHEMA_VERSION} WHERE id = 99`);
  expect(await ready(plane)).toMatchObject({ status: 200 });
  await empty.pool.query('DELETE FROM registry.catalog');
  expect(await ready(plane)).toMatchObject({ status: 503, body: { schema_ok: true, catalog_ok: false } });
  await empty.pool.query('DROP SCHEMA registry CASCADE');
  expect(await ready(plane)).toMatchObject({ status: 503, body: { schema_ok: false, catalog_ok: false } });
  await plane.close();
  await empty.close();

  const dead = openPool({ url: DEAD_DATABASE, max: 1, acquireTimeoutMs: 500 });
  const away = await startPlane(fleet, { pool: dead });
  expect(await ready(away)).toMatchObject({ status: 503, body: { schema_ok: false, catalog_ok: false } });
  expect((await fetch(`${away.url}/health`)).status).toBe(200);
  expect((await fetch(`${away.url}/metrics`)).status).toBe(200);
  await away.close();
  await dead.close();
});

test('F-014 every other path or method is 404 or 405', async () => {
  const rows: [string, string, number][] = [
    ['GET', CONTROL, 405],
    ['PUT', CONTROL, 405],
    ['DELETE', CONTROL, 405],
    ['POST', '/health', 405],
    ['POST', '/ready', 405],
    ['POST', '/metrics', 405],
    ['POST', '/aip/v1/messages', 404],
    ['POST', '/aip/v1/connector-types', 404],
    ['PUT', '/aip/v1/connector-versions/cver_1', 404],
    ['POST', '/', 404],
    ['POST', `/prefix${CONTROL}`, 404],
    ...['types', 'versions', 'instances', 'replicas', 'bindings', 'capabilities', 'catalog', 'policies'].flatMap(
      (name) =>
        ['POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method): [string, string, number][] => [
          [method, `/aip/v1/${name}`, 404],
          [method, `/aip/v1/connector-${name}`, 404],
        ]),
    ),
  ];
  for (const [method, path, status] of rows) {
    const response = await fetch(plane.url + path, { method, ...(method === 'GET' ? {} : { body: '{}' }) });
    expect([method, path, response.status]).toEqual([method, path, status]);
    if (status === 405) expect(response.headers.get('allow')).toBe(path === CONTROL ? 'POST' : 'GET, HEAD');
    await response.text();
  }
});

test('D-36 the lifecycle path is exact: no other case, no slash behind it', async () => {
  for (const path of [`${CONTROL}/`, CONTROL.toUpperCase(), '/Health', '/ready/']) {
    const method = path.toLowerCase().startsWith('/aip') ? 'POST' : 'GET';
    const response = await fetch(plane.url + path, { method });
    expect([path, response.status]).toEqual([path, 404]);
  }
});

test('F-016 F-017 no lifecycle command touches types, versions, instances, bindings or the catalog revision', async () => {
  const replica = await fleet.provision();
  const catalog = async () => {
    const parts = await Promise.all(
      ['types', 'versions', 'instances', 'bindings', 'capabilities', 'catalog'].map((table) =>
        fleet.pool.query(`SELECT json_agg(t ORDER BY t::text)::text AS rows FROM registry.${table} t`),
      ),
    );
    return parts.map(({ rows }) => rows[0]);
  };
  const before = await catalog();
  const foreign = fleet.proposal(replica);
  foreign.payload.replica.version_id = newId('connectorVersion');
  await expectRejected(plane, await plane.post(await signed(fleet, replica, foreign)));
  for (const command of [
    fleet.proposal(replica),
    heartbeat(replica, 1),
    heartbeat(replica, 2, { connector_ready: false }),
    fleet.proposal(replica),
    drain(replica, 4),
    offline(replica, 5),
  ])
    expect((await plane.post(await signed(fleet, replica, command))).status).toBe(200);
  expect(await catalog()).toEqual(before);
});

test('F-285 a body of 65536 bytes is read, one byte more is 413 and changes nothing', async () => {
  const replica = await fleet.provision();
  const text = await signed(fleet, replica, fleet.proposal(replica));
  const padded = (bytes: number) => text + ' '.repeat(bytes - Buffer.byteLength(text));
  const refused = await plane.post(padded(65_537));
  expect(refused).toMatchObject({ status: 413, body: { error: { code: 'http.body_too_large' } } });
  expect(await sequenceOf(fleet, replica.id)).toBe(0);
  expect(await plane.post(padded(65_536))).toMatchObject({ status: 200, response: { lease: { sequence: 1 } } });
});

test('D-38 the connection is closed after a body above the bound', async () => {
  const { connection, status } = await new Promise<{ connection: string | undefined; status: number | undefined }>(
    (resolve, reject) => {
      const call = request(plane.url + CONTROL, { method: 'POST', headers: { 'content-type': 'application/json' } });
      call.on('response', (response) => {
        response.resume();
        resolve({ connection: response.headers.connection, status: response.statusCode });
      });
      call.on('error', reject);
      call.end(' '.repeat(65_537));
    },
  );
  expect({ connection, status }).toEqual({ connection: 'close', status: 413 });
});

test('F-007 F-011 F-253 F-254 F-255 strangers are refused: gateway key, bearer token, unknown replica, another signer', async () => {
  const replica = await fleet.provision();
  const other = await fleet.provision();
  const gateway = signingKeyFromSeed(newSeedHex());
  const proposal = fleet.proposal(replica);
  const texts = [
    await signed(fleet, replica, proposal, { key: gateway }),
    await signed(fleet, replica, proposal, { key: gateway, did: replica.key.did }),
    await signed(fleet, replica, proposal, { key: other.key }),
    await signed(fleet, other, fleet.proposal({ ...other, id: newId('connectorReplica') })),
    await signed(fleet, replica, proposal, { did: 'did:key:zNothing' }),
  ];
  const messages = new Set<string | undefined>();
  for (const text of texts) {
    const answer = await plane.post(text);
    await expectRejected(plane, answer);
    messages.add(answer.response.message);
  }
  const bare = JSON.parse(texts[0] as string) as { request: { signer_did: string } };
  bare.request.signer_did = replica.key.did;
  const bearer = await plane.post(JSON.stringify({ ...bare, signature: '' }), { authorization: 'Bearer token' });
  await expectRejected(plane, bearer);
  expect(await sequenceOf(fleet, replica.id)).toBe(0);
  expect(await sequenceOf(fleet, other.id)).toBe(0);
  // Unknown replica and foreign signer read alike, so that nobody learns which replicas exist.
  expect(messages.size).toBe(2);
});

test('F-255 part: a replica that was removed and made again with another key takes commands of that key alone', async () => {
  const replica = await fleet.ready();
  expect((await plane.post(await signed(fleet, replica, heartbeat(replica, 1)))).status).toBe(200);
  await fleet.registry.replicas.remove(replica.id);
  await expectRejected(plane, await plane.post(await signed(fleet, replica, heartbeat(replica, 2))));
  const key = signingKeyFromSeed(newSeedHex());
  const { id, endpoint } = replica;
  const again = { ...(await fleet.provision({ id, endpoint, peerDid: key.did })), key };
  await expectRejected(plane, await plane.post(await signed(fleet, replica, fleet.proposal(replica))));
  expect((await plane.post(await signed(fleet, again, fleet.proposal(again)))).status).toBe(200);
  await expectRejected(plane, await plane.post(await signed(fleet, replica, heartbeat(replica, 1))));
  expect((await plane.post(await signed(fleet, again, heartbeat(again, 1)))).status).toBe(200);
});

test('F-255 part: a command is refused when its replica has another key by the time it is committed', async () => {
  const replica = await fleet.ready();
  const other = await fleet.provision();
  const commit = (signerDid: string, requestId: string) =>
    fleet.registry.lifecycle.commit(
      { requestId, expiresAt: Date.now() + 30_000, signerDid, command: heartbeat(replica, 1) },
      LEASE_TTL_MS,
    );
  await expect(commit(other.key.did, newId('message'))).rejects.toThrow(UNTRUSTED_SIGNER);
  expect(await sequenceOf(fleet, replica.id)).toBe(1);
  expect(await commit(replica.key.did, newId('message'))).toMatchObject({ status: 'lease', sequence: 2 });
});

test('F-253 no member of a signed command may change or go, each alone: the lease stays as it was, and the command itself is taken', async () => {
  const offlineOne = await fleet.provision();
  const live = await fleet.ready();
  const commands = [
    [offlineOne, fleet.proposal(offlineOne), 0],
    ...[heartbeat, drain, offline].map((make, n) => [live, make(live, n + 1), n + 1] as const),
  ] as const;
  for (const [replica, command, sequence] of commands) {
    const text = await signed(fleet, replica, command);
    const taken: string[] = [];
    for (const { at, value } of alterations(JSON.parse(text))) {
      const { status } = await plane.post(JSON.stringify(value));
      if (status !== 400 && status !== 403) taken.push(`${command.operation} ${at}: ${status}`);
    }
    expect(taken).toEqual([]);
    expect(await sequenceOf(fleet, replica.id)).toBe(sequence);
    expect((await plane.post(text)).status).toBe(200);
    expect(await sequenceOf(fleet, replica.id)).toBe(sequence + 1);
  }
});
