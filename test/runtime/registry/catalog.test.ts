import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestOf } from '#runtime/protocol/digest.js';
import { newId } from '#runtime/protocol/ids.js';
import { operatorAttestation } from '#runtime/registry/attestation.js';
import { endpointProblem } from '#runtime/registry/endpoint.js';
import { CapabilityConflict, RegistryConflict, RegistryInputInvalid } from '#runtime/registry/errors.js';
import { openRegistry } from '#runtime/registry/registry.js';
import type { VersionAdmission } from '#runtime/registry/versions.js';
import { probeCapability } from '../../support/external-host.ts';
import { ARTIFACT, assigned, type Fleet, outcomeOf, startFleet, TENANT, versionOf, wanted } from './fleet.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet();
});
afterAll(() => fleet?.close());

/** Runs a write and says by how much it raised the catalog revision. */
async function raised(write: () => Promise<unknown>): Promise<number> {
  const before = await fleet.registry.catalogRevision();
  await write();
  return (await fleet.registry.catalogRevision()) - before;
}
/** Expects a refusal of the class, with the catalog as it was. */
async function refused(write: () => Promise<unknown>, failure: new (...args: never[]) => Error): Promise<void> {
  expect(await raised(() => expect(write()).rejects.toBeInstanceOf(failure))).toBe(0);
}
let serial = 0;
const nextCapability = () => {
  serial += 1;
  return probeCapability(`extra-${serial}`);
};

describe('connector types', () => {
  test('are stored once: the same again is nothing, another record a conflict', async () => {
    const type = { id: newId('connectorType'), name: 'n', owner: 'o', enabled: true };
    expect(await raised(() => fleet.registry.types.put(type))).toBe(1);
    expect(await raised(() => fleet.registry.types.put(type))).toBe(0);
    for (const change of [{ name: 'x' }, { owner: 'x' }, { enabled: false }])
      await refused(() => fleet.registry.types.put({ ...type, ...change }), RegistryConflict);
    for (const change of [{ name: ' ' }, { owner: '' }])
      await refused(
        () => fleet.registry.types.put({ ...type, id: newId('connectorType'), ...change }),
        RegistryInputInvalid,
      );
    expect(await raised(() => fleet.registry.types.setEnabled(type.id, false))).toBe(1);
    expect(await raised(() => fleet.registry.types.setEnabled(type.id, false))).toBe(0);
  });

  test('that are disabled admit no version', async () => {
    const type = { id: newId('connectorType'), name: 'n', owner: 'us', enabled: false };
    await fleet.registry.types.put(type);
    await refused(() => fleet.registry.versions.admit(versionOf(type.id, [nextCapability()])), RegistryInputInvalid);
  });
});

describe('versions', () => {
  test('never change: the same again is nothing, other contents under the id a conflict', async () => {
    const version = versionOf(fleet.typeId, [nextCapability()]);
    expect(await raised(() => fleet.registry.versions.admit(version))).toBe(1);
    expect(await raised(() => fleet.registry.versions.admit(version))).toBe(0);
    const other = { ...versionOf(fleet.typeId, [nextCapability()]), id: version.id };
    await refused(() => fleet.registry.versions.admit(other), RegistryConflict);
    await refused(() => fleet.registry.versions.admit({ ...version, label: '9.9.9' }), RegistryConflict);
  });

  test('keep number tokens and member order of their manifest', async () => {
    const capability = probeCapability('numbers', {
      input_schema: { type: 'object', properties: { z: { type: 'number', multipleOf: 0.5 }, a: { maximum: 100 } } },
    });
    const version = versionOf(fleet.typeId, [capability]);
    await fleet.registry.versions.admit(version);
    const { rows } = await fleet.pool.query<{ manifest: string }>(
      'SELECT manifest::text AS manifest FROM registry.versions WHERE id = $1',
      [version.id],
    );
    expect(rows[0]?.manifest).toBe(JSON.stringify(version.manifest));
    expect(digestOf(JSON.parse(rows[0]?.manifest as string))).toBe(version.manifestDigest);
  });

  test('are refused with a wrong digest, a capability twice, too many of them, or an attestation that is not valid', async () => {
    const version = versionOf(fleet.typeId, [nextCapability()]);
    const { attestation, manifest } = version;
    const twice = nextCapability();
    const many = Array.from({ length: 513 }, () => nextCapability());
    const rows: VersionAdmission[] = [
      { ...version, manifestDigest: ARTIFACT },
      { ...version, artifactDigest: 'sha256:short' },
      { ...version, artifactDigest: `sha256:${'cd'.repeat(32)}` },
      versionOf(fleet.typeId, [twice, twice]),
      versionOf(fleet.typeId, many),
      versionOf(newId('connectorType'), [nextCapability()]),
      { ...version, attestation: { ...attestation, owner: 'them' } },
      { ...version, attestation: { ...attestation, signer_identity: ' ' } },
      { ...version, attestation: { ...attestation, schema_bundle_digest: ARTIFACT } },
      { ...version, attestation: { ...attestation, supported_aip_versions: ['0.9'] } },
      { ...version, attestation: { ...attestation, conformance_status: 'failed' } },
      { ...version, attestation: { ...attestation, revocation_status: 'not_evaluated' } },
      { ...version, attestation: operatorAttestation(manifest, ARTIFACT, { signerIdentity: 'us', owner: 'others' }) },
    ];
    for (const row of rows) await refused(() => fleet.registry.versions.admit(row), RegistryInputInvalid);
    await fleet.registry.versions.admit(versionOf(fleet.typeId, many.slice(0, 512)));
  });

  test('cannot define a capability in another way than the fleet knows it; nothing of such a version stays', async () => {
    const known = probeCapability('echo');
    const changed = { ...known, description: 'another contract' };
    const fresh = nextCapability();
    const version = versionOf(fleet.typeId, [fresh, changed]);
    await refused(() => fleet.registry.versions.admit(version), CapabilityConflict);
    const { rows } = await fleet.pool.query('SELECT FROM registry.capabilities WHERE id = $1', [fresh.id]);
    expect(rows).toHaveLength(0);
    expect(versionOf(fleet.typeId, [changed]).manifestDigest).not.toBe(fleet.version.manifestDigest);
    await fleet.registry.versions.admit(versionOf(fleet.typeId, [known, fresh]));
  });

  test('move between admitted and active, and are revoked permanently', async () => {
    const version = { ...versionOf(fleet.typeId, [nextCapability()]), status: 'admitted' as const };
    const { admit, setStatus } = fleet.registry.versions;
    await admit(version);
    expect(await raised(() => setStatus(version.id, 'active'))).toBe(1);
    expect(await raised(() => setStatus(version.id, 'active'))).toBe(0);
    expect(await raised(() => setStatus(version.id, 'admitted'))).toBe(1);
    expect(await raised(() => setStatus(version.id, 'revoked'))).toBe(1);
    expect(await raised(() => setStatus(version.id, 'revoked'))).toBe(0);
    for (const status of ['admitted', 'active'] as const)
      await refused(() => setStatus(version.id, status), RegistryConflict);
    await refused(() => setStatus(newId('connectorVersion'), 'active'), RegistryInputInvalid);
  });

  test('admitted again do not change their status: that is a conflict, not a silent success', async () => {
    const version = versionOf(fleet.typeId, [nextCapability()]);
    const { admit, setStatus } = fleet.registry.versions;
    await admit(version);
    await refused(() => admit({ ...version, status: 'admitted' }), RegistryConflict);
    await setStatus(version.id, 'revoked');
    await refused(() => admit(version), RegistryConflict);
  });
});

describe('instances and bindings', () => {
  test('an instance keeps type and tenant, and its revision never falls', async () => {
    const instance = await fleet.addInstance({ configRevision: 3 });
    const { put } = fleet.registry.instances;
    expect(await raised(() => put(instance))).toBe(0);
    await refused(() => put({ ...instance, tenantId: 'tenant-b', configRevision: 4 }), RegistryConflict);
    await refused(() => put({ ...instance, configRevision: 2 }), RegistryConflict);
    await refused(() => put({ ...instance, connectorTypeId: newId('connectorType') }), RegistryInputInvalid);
    await refused(() => put({ ...instance, versionId: newId('connectorVersion') }), RegistryInputInvalid);
    await refused(() => put({ ...instance, tenantId: '' }), RegistryInputInvalid);
    expect(await raised(() => put({ ...instance, configRevision: 4, secretProviderRef: 'secrets:other' }))).toBe(1);
    expect(await fleet.registry.instances.find(instance.id)).toMatchObject({ configRevision: 4 });
  });

  test('an instance begins to keep the routes of completed actions at a time, and the catalog stays as it is', async () => {
    const instance = await fleet.addInstance();
    const keptSince = async () => {
      const { rows } = await fleet.pool.query<{ at: number | null }>(
        'SELECT routes_kept_since AS at FROM registry.instances WHERE id = $1',
        [instance.id],
      );
      return rows[0]?.at;
    };
    const put = (keepsRoutes?: boolean) => raised(() => fleet.registry.instances.put({ ...instance, keepsRoutes }));
    expect(await keptSince()).toBeNull();
    expect(await put(true)).toBe(0);
    const began = await keptSince();
    expect(began).toBeGreaterThan(0);
    for (const unchanged of [undefined, true]) {
      await put(unchanged);
      expect(await keptSince()).toBe(began);
    }
    expect(await fleet.registry.instances.find(instance.id)).toMatchObject({ keepsRoutes: true });
    expect(await put(false)).toBe(0);
    expect(await keptSince()).toBeNull();
  });

  test('an instance cannot move to a version without a capability that an enabled binding names', async () => {
    const instance = await fleet.addInstance();
    const next = versionOf(fleet.typeId, [nextCapability()]);
    await fleet.registry.versions.admit(next);
    const moved = { ...instance, versionId: next.id, configRevision: 2 };
    await refused(() => fleet.registry.instances.put(moved), RegistryConflict);
    const [binding] = await fleet.registry.bindings.of(instance.id);
    await fleet.registry.bindings.put({ ...(binding as NonNullable<typeof binding>), enabled: false });
    expect(await raised(() => fleet.registry.instances.put(moved))).toBe(1);
  });

  test('a binding needs the tenant of its instance, an implemented capability and a known policy; its revision rises', async () => {
    const instance = await fleet.addInstance();
    const [stored] = await fleet.registry.bindings.of(instance.id);
    const binding = stored as NonNullable<typeof stored>;
    const { put } = fleet.registry.bindings;
    expect(await raised(() => put(binding))).toBe(0);
    await refused(() => put({ ...binding, tenantId: 'tenant-b' }), RegistryInputInvalid);
    await refused(() => put({ ...binding, capabilityId: 'cap:probe:none' }), RegistryInputInvalid);
    await refused(() => put({ ...binding, quotaPolicyRef: 'quota:none' }), RegistryInputInvalid);
    expect(await raised(() => put({ ...binding, priority: 9 }))).toBe(1);
    expect(await raised(() => put({ ...binding, priority: 9, credentialRevisionRef: 'credential:9' }))).toBe(1);
    const { rows } = await fleet.pool.query('SELECT policy_revision FROM registry.bindings WHERE instance_id = $1', [
      instance.id,
    ]);
    expect(rows).toEqual([{ policy_revision: 3 }]);
  });

  test('a policy changes only with a higher revision, within its bounds', async () => {
    const limits = { circuit_failure_threshold: 5, circuit_open_ms: 30_000 };
    const policy = { ref: 'quota:p', revision: 1, enabled: true, limits };
    const { put } = fleet.registry.policies;
    expect(await raised(() => put(policy))).toBe(1);
    expect(await raised(() => put(policy))).toBe(0);
    await refused(() => put({ ...policy, enabled: false }), RegistryConflict);
    expect(await raised(() => put({ ...policy, revision: 2, enabled: false }))).toBe(1);
    await refused(() => put({ ...policy, ref: '' }), RegistryInputInvalid);
    await refused(() => put({ ...policy, ref: 'x'.repeat(257) }), RegistryInputInvalid);
    for (const change of [
      { circuit_open_ms: 99 },
      { circuit_open_ms: 3_600_001 },
      { circuit_open_ms: 100.5 },
      { circuit_failure_threshold: 0 },
      { max_tenant_in_flight: 0 },
      { max_tenant_in_flight: 1.5 },
    ])
      await refused(() => put({ ...policy, revision: 3, limits: { ...limits, ...change } }), RegistryInputInvalid);
  });
});

describe('replicas', () => {
  const wrong = [
    '/aip/v1/messages',
    'host.test/aip/v1/messages',
    'https://host.test',
    'https://host.test/aip/v1/messages/',
    'https://host.test/prefix/aip/v1/messages',
    'https://host.test/AIP/v1/messages',
    'https://user@host.test/aip/v1/messages',
    'https://user:word@host.test/aip/v1/messages',
    'https://host.test/aip/v1/messages?',
    'https://host.test/aip/v1/messages?a=1',
    'https://host.test/aip/v1/messages#',
    'http://host.test/aip/v1/messages',
    'http://127.0.0.1.host.test/aip/v1/messages',
    'ftp://host.test/aip/v1/messages',
  ];

  test('F-142 an endpoint is an absolute https URL that ends exactly in /aip/v1/messages, http on loopback where that is enabled', () => {
    const good = [
      'https://host.test/aip/v1/messages',
      'https://host.test:8443/aip/v1/messages',
      'https://[::1]/aip/v1/messages',
    ];
    for (const text of good)
      for (const loopback of [true, false]) expect(endpointProblem(text, loopback)).toBeUndefined();
    for (const text of [
      'http://127.0.0.1:80/aip/v1/messages',
      'http://localhost/aip/v1/messages',
      'http://[::1]:9/aip/v1/messages',
    ]) {
      expect(endpointProblem(text, true)).toBeUndefined();
      expect(endpointProblem(text, false)).toContain('loopback');
    }
    for (const text of wrong) expect([text, endpointProblem(text, true)]).not.toContain(undefined);
  });

  test('F-142 a replica with another endpoint is not admitted, and one with http on loopback only where that is enabled', async () => {
    for (const endpoint of wrong) await refused(() => fleet.provision({ endpoint }), RegistryInputInvalid);
    const closed = openRegistry({ data: fleet.pool, clock: fleet.clock });
    const { key: _, ...replica } = await fleet.provision();
    const again = { ...replica, id: newId('connectorReplica'), endpoint: 'http://127.0.0.1:9/aip/v1/messages' };
    await refused(() => closed.replicas.provision(again), RegistryInputInvalid);
    await fleet.registry.replicas.provision(again);
  });

  test('begin offline, keep their identity, and never move the catalog', async () => {
    const made: Awaited<ReturnType<Fleet['provision']>>[] = [];
    expect(await raised(async () => made.push(await fleet.provision()))).toBe(0);
    const [{ key: _, ...replica }] = made as [(typeof made)[number]];
    expect(await fleet.registry.replicas.get(replica.id)).toMatchObject({
      status: 'offline',
      healthRevision: 0,
      activeAssignments: 0,
    });
    await fleet.registry.replicas.provision(replica);
    const changes = [
      { endpoint: 'http://127.0.0.1:1/aip/v1/messages' },
      { peerDid: 'did:key:other' },
      { peerPrincipalId: 'agent:other' },
      { peerPrincipalKind: 'service' as const },
      { trustDomain: 'other' },
      { instanceId: (await fleet.addInstance()).id },
      ...(['region', 'zone', 'capacityClass'] as const).map((label) => ({
        topology: { ...replica.topology, [label]: 'x' },
      })),
    ];
    for (const change of changes)
      await refused(() => fleet.registry.replicas.provision({ ...replica, ...change }), RegistryConflict);
    await fleet.registry.replicas.provision({ ...replica, capacity: 7 });
    expect(await fleet.registry.replicas.get(replica.id)).toMatchObject({ capacity: 7 });
    for (const change of [{ capacity: 0 }, { capacity: 1.5 }, { topology: { ...replica.topology, zone: 'a b' } }])
      await refused(() => fleet.provision(change), RegistryInputInvalid);
    await refused(() => fleet.provision({ instanceId: newId('connectorInstance') }), RegistryInputInvalid);
  });

  test('of an old version keep their lease after the instance moved on, and get no new work', async () => {
    const own = await startFleet();
    const old = await own.ready();
    const request = wanted();
    const route = await assigned(own.registry, request);
    const next = versionOf(own.typeId, [probeCapability('echo')], { profiles: ['aip.native.http.v1', 'aip.other.v1'] });
    await own.registry.versions.admit(next);
    await own.registry.instances.put({ ...own.instance, versionId: next.id, configRevision: 2 });
    expect(await outcomeOf(own.registry)).toBe('connector.replica_unavailable');
    const beat = { replica_id: old.id, previous_sequence: 1, in_flight: 1, connector_ready: true };
    expect(await own.commit({ operation: 'heartbeat', payload: beat })).toMatchObject({ sequence: 2 });
    expect(await assigned(own.registry, request)).toEqual(route);
    await own.close();
  });
});

describe('the catalog of a tenant', () => {
  let own: Fleet;
  const NAMES = ['alpha', 'beta', 'gamma_1', 'gamma%1', 'gammax1'];
  beforeAll(async () => {
    own = await startFleet({
      capabilities: NAMES.map((name) => probeCapability(name, { description: `Does ${name.toUpperCase()} things` })),
    });
  });
  afterAll(() => own?.close());
  const GAMMAS = ['cap:probe:gamma%1', 'cap:probe:gamma_1', 'cap:probe:gammax1'];
  const page = (over: object = {}) => own.registry.catalog.page({ tenantId: TENANT, limit: 100, ...over });
  const ids = async (over: object = {}) => (await page(over)).capabilities.map(({ capability }) => capability.id);

  test('comes in pages in the order of bytes, with digests, one total and a cursor', async () => {
    const all = NAMES.map((name) => `cap:probe:${name}`).sort();
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const part = await page({ limit: 2, ...(cursor && { cursor }) });
      expect(part).toMatchObject({ total: 5, catalog_revision: await own.registry.catalogRevision() });
      for (const { capability, contract_digest, schema_digest } of part.capabilities) {
        seen.push(capability.id);
        expect(contract_digest).toBe(digestOf(capability));
        expect(schema_digest).toMatch(/^sha256:/);
      }
      cursor = part.next_cursor;
    } while (cursor);
    expect(seen).toEqual(all);
  });

  test('filters by id, by literal text in any case, and by profile', async () => {
    expect(await ids({ capabilityId: 'cap:probe:beta' })).toEqual(['cap:probe:beta']);
    expect(await ids({ text: 'GAMMA' })).toHaveLength(3);
    expect(await ids({ text: 'gamma_1' })).toEqual(['cap:probe:gamma_1']);
    expect(await ids({ text: 'gamma%1' })).toEqual(['cap:probe:gamma%1']);
    expect(await ids({ text: '%' })).toEqual(['cap:probe:gamma%1']);
    expect(await ids({ text: 'does alpha THINGS' })).toEqual(['cap:probe:alpha']);
    expect(await ids({ text: '' })).toHaveLength(5);
    expect(await ids({ profile: 'aip.native.http.v1' })).toHaveLength(5);
    expect(await ids({ profile: 'aip.other.v1' })).toEqual([]);
    expect(await ids({ tenantId: 'tenant-b' })).toEqual([]);
  });

  test('does not depend on the health of replicas, and a cursor survives their heartbeats', async () => {
    const replica = await own.ready();
    const { next_cursor: cursor } = await page({ limit: 2 });
    await own.commit({ operation: 'offline', payload: { replica_id: replica.id, previous_sequence: 1 } });
    expect(await ids({ cursor, limit: 2 })).toHaveLength(2);
  });

  test('a cursor is stale after a catalog change, and one that is none is refused', async () => {
    const { next_cursor: cursor } = await page({ limit: 2 });
    await own.registry.types.put({ id: newId('connectorType'), name: 'n', owner: 'o', enabled: true });
    await expect(page({ cursor })).rejects.toMatchObject({ code: expect.stringContaining('stale') });
    for (const wrong of ['', 'x', '1', ':', '1:', 'a:b', '-1:x'])
      await expect(page({ cursor: wrong })).rejects.not.toMatchObject({ code: expect.stringContaining('stale') });
  });

  test('hides what is disabled or not active, and answers single capabilities alike', async () => {
    const { catalog, types, versions } = own.registry;
    const one = () => catalog.capability(TENANT, 'cap:probe:beta');
    const later = () => {
      own.time.ahead += 251;
    };
    expect((await one())?.capability.id).toBe('cap:probe:beta');
    expect(await catalog.capability('tenant-b', 'cap:probe:beta')).toBeUndefined();
    const switches: [() => Promise<void>, () => Promise<void>][] = [
      [() => types.setEnabled(own.typeId, false), () => types.setEnabled(own.typeId, true)],
      [() => versions.setStatus(own.version.id, 'admitted'), () => versions.setStatus(own.version.id, 'active')],
      [
        () => own.registry.instances.put({ ...own.instance, configRevision: 2, enabled: false }),
        () => own.registry.instances.put({ ...own.instance, configRevision: 3, enabled: true }),
      ],
    ];
    for (const [off, on] of switches) {
      await off();
      later();
      expect(await ids()).toEqual([]);
      expect(await one()).toBeUndefined();
      await on();
      later();
      expect(await ids()).toHaveLength(5);
      expect((await one())?.contractDigest).toMatch(/^sha256:/);
    }
  });

  test('hides a capability whose one binding is disabled, in the list and for a call', async () => {
    const { catalog, bindings } = own.registry;
    const binding = { tenantId: TENANT, capabilityId: 'cap:probe:beta', instanceId: own.instance.id, priority: 0 };
    await bindings.put({ ...binding, enabled: false });
    own.time.ahead += 251;
    expect(await ids()).toEqual(['cap:probe:alpha', ...GAMMAS]);
    expect((await page()).total).toBe(4);
    expect(await catalog.capability(TENANT, 'cap:probe:beta')).toBeUndefined();
    expect((await catalog.capability(TENANT, 'cap:probe:alpha'))?.capability.id).toBe('cap:probe:alpha');
    await bindings.put({ ...binding, enabled: true });
    own.time.ahead += 251;
    expect(await ids()).toHaveLength(5);
    expect((await catalog.capability(TENANT, 'cap:probe:beta'))?.capability.id).toBe('cap:probe:beta');
  });

  test('a page ends at 4 MiB of definitions', async () => {
    const big = await startFleet({
      capabilities: Array.from({ length: 20 }, (_, n) =>
        probeCapability(`big-${String(n).padStart(2, '0')}`, { description: 'x'.repeat(255_000) }),
      ).slice(0, 16),
    });
    const more = versionOf(
      big.typeId,
      Array.from({ length: 4 }, (_, n) => probeCapability(`more-${n}`, { description: 'x'.repeat(255_000) })),
    );
    await big.registry.versions.admit(more);
    const other = await big.addInstance({ versionId: big.version.id });
    await big.registry.instances.put({ ...other, id: newId('connectorInstance'), versionId: more.id });
    const instance = (
      await big.pool.query<{ id: string }>('SELECT id FROM registry.instances WHERE version_id = $1', [more.id])
    ).rows[0]?.id as string;
    for (const { id } of more.manifest.capabilities ?? [])
      await big.registry.bindings.put({
        tenantId: TENANT,
        capabilityId: id,
        instanceId: instance,
        priority: 1,
        enabled: true,
      });
    const first = await big.registry.catalog.page({ tenantId: TENANT, limit: 200 });
    expect(first.total).toBe(20);
    expect(first.capabilities).toHaveLength(16);
    const second = await big.registry.catalog.page({
      tenantId: TENANT,
      limit: 200,
      cursor: first.next_cursor as string,
    });
    expect(second.capabilities).toHaveLength(4);
    expect(second.next_cursor).toBeNull();
    await big.close();
  });

  test('a definition above 256 KiB is refused', async () => {
    const huge = versionOf(own.typeId, [probeCapability('huge', { description: 'x'.repeat(262_144) })]);
    await expect(own.registry.versions.admit(huge)).rejects.toBeInstanceOf(RegistryInputInvalid);
  });
});

test('the sender of an event is its replica with instance and version, channels and capabilities', async () => {
  const own = await startFleet();
  const version = versionOf(own.typeId, [probeCapability('echo')], {
    channels: ['plain', { id: 'by-id' }, { channel_id: 'by-channel-id' }] as never,
  });
  await own.registry.versions.admit(version);
  const instance = await own.addInstance({ versionId: version.id, tenantId: 'tenant-c' });
  const replica = await own.provision({ instanceId: instance.id, versionId: version.id });
  expect(await own.registry.ingress.sender(replica.id)).toMatchObject({
    replica: { id: replica.id, peerDid: replica.key.did, status: 'offline' },
    instance: { id: instance.id, tenantId: 'tenant-c', enabled: true },
    version: {
      id: version.id,
      status: 'active',
      manifestDigest: version.manifestDigest,
      channelIds: ['plain', 'by-id', 'by-channel-id'],
      capabilityIds: ['cap:probe:echo'],
      attested: true,
    },
  });
  await own.registry.versions.setStatus(version.id, 'revoked');
  expect(await own.registry.ingress.sender(replica.id)).toMatchObject({ version: { status: 'revoked' } });
  expect(await own.registry.ingress.sender(newId('connectorReplica'))).toBeUndefined();
  await own.close();
});
