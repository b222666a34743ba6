import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestOf } from '#runtime/protocol/digest.js';
import { CapabilityContract } from '#runtime/protocol/schema/discovery.js';
import type { Definition, Type } from '#runtime/protocol/schema/dsl/dsl.js';
import type { Capability, CapabilityContract as Contract } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';
import { probeCapability } from '../../support/external-host.ts';
import { assigned, type Fleet, outcomeOf, startFleet, TENANT, versionOf, wanted } from './fleet.ts';

type Json = unknown;
type Path = readonly (string | number)[];

/** A value of a type in which every member is there, with one item in each list; `n` gives different ones for 0 and 1. */
function sampleOf(type: Type, n: 0 | 1): Json {
  switch (type.type) {
    case 'string':
      return `text ${n}`;
    case 'time':
      return `2026-01-0${n + 1}T00:00:00Z`;
    case 'bool':
      return n === 1;
    case 'float':
      return n + 0.5;
    case 'uint':
      return n + 1;
    case 'const':
      return type.value;
    case 'list':
      return [sampleOf(type.of, n)];
    case 'map':
      return { key: sampleOf(type.of, n) };
    case 'ref':
      return sampleOfDefinition(type.to(), n);
    default:
      return { any: n };
  }
}

function sampleOfDefinition(definition: Definition, n: 0 | 1): Json {
  switch (definition.kind) {
    case 'enum':
      return definition.values[n];
    case 'record':
      return Object.fromEntries(
        Object.entries(definition.members).map(([name, { type }]) => [name, sampleOf(type, n)]),
      );
    case 'tagged': {
      // The variants that hold others of their kind are left out: they have no end.
      const plain = Object.entries(definition.variants).filter(([, members]) =>
        Object.values(members).every(({ type }) => type.type !== 'list' && type.type !== 'ref'),
      );
      const [tag, members] = plain[n] as (typeof plain)[number];
      const rest = Object.entries(members).map(([name, { type }]) => [name, sampleOf(type, n)]);
      return { [definition.tag]: tag, ...Object.fromEntries(rest) };
    }
    case 'choice': {
      const [name, type] = Object.entries(definition.options)[n] as [string, Type];
      return { [name]: sampleOf(type, n) };
    }
  }
}

/** Every member below a value, containers and leaves. */
function pathsOf(value: Json, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const path = [...at, Array.isArray(value) ? Number(key) : key];
    return [path, ...pathsOf(member, path)];
  });
}

const read = (value: Json, path: Path): Json =>
  path.reduce((at, key) => (at as Record<string | number, Json> | undefined)?.[key], value);

/** The value with another one at a path, or without it. */
function changed(value: Json, path: Path, to: Json): Json {
  const copy = structuredClone(value);
  const parent = read(copy, path.slice(0, -1)) as Record<string | number, Json>;
  const key = path.at(-1) as string | number;
  if (to !== undefined) parent[key] = to;
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
  return copy;
}

const [full, other] = [sampleOfDefinition(CapabilityContract, 0), sampleOfDefinition(CapabilityContract, 1)];
const paths = pathsOf(full);
const manifestWith = (contract: Json) =>
  versionOf('ctype_x', [probeCapability('echo', { contract: contract as Contract })]).manifest;

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet();
});
afterAll(async () => {
  await fleet?.close();
});

test('F-327 the manifest digest changes with a change of any member of a capability contract, and when any member is left out', () => {
  expect(check('CapabilityContract', full)).toEqual([]);
  expect(Object.keys(full as object)).toEqual(Object.keys(CapabilityContract.members));
  expect(paths.length).toBeGreaterThan(60);
  const before = digestOf(manifestWith(full));
  const unchanged: Path[] = [];
  for (const path of paths) {
    const value = read(other, path);
    const replaced = value === undefined || digestOf(value) === digestOf(read(full, path)) ? 'something else' : value;
    if (digestOf(manifestWith(changed(full, path, replaced))) === before) unchanged.push(path);
    if (digestOf(manifestWith(changed(full, path, undefined))) === before) unchanged.push(path);
  }
  expect(unchanged).toEqual([]);
});

test('F-327 whatever is put into a member, the digest changes exactly when the member does', () => {
  const before = digestOf(manifestWith(full));
  fc.assert(
    fc.property(fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 2 }), (path, value) => {
      const same = digestOf(value) === digestOf(read(full, path));
      expect(digestOf(manifestWith(changed(full, path, value))) === before).toBe(same);
    }),
    { numRuns: 500 },
  );
});

test('F-327 a changed contract needs a new digest, and a capability that is known keeps its contract: both are refused at admission', async () => {
  const [known] = fleet.version.manifest.capabilities as [Capability];
  const contract = { ...known.contract, sla: { timeout_ms: 7 } } as unknown as Contract;
  const silently = versionOf(fleet.typeId, [probeCapability('renewed', { contract })]);
  await expect(
    fleet.registry.versions.admit({ ...silently, manifestDigest: fleet.version.manifestDigest }),
  ).rejects.toThrow('digest');
  await expect(fleet.registry.versions.admit(versionOf(fleet.typeId, [{ ...known, contract }]))).rejects.toThrow();
});

test('F-327 work that is pinned to the old digest keeps it after the instance moved on, and goes to no replica of the new version', async () => {
  const old = await fleet.ready();
  const request = wanted();
  const route = await assigned(fleet.registry, request);
  await fleet.registry.routes.settle([
    { actionId: route.actionId, fenceToken: route.fenceToken, settlement: 'refused' },
  ]);
  const next = versionOf(fleet.typeId, [...(fleet.version.manifest.capabilities ?? []), probeCapability('further')]);
  await fleet.registry.versions.admit(next);
  await fleet.registry.instances.put({ ...fleet.instance, versionId: next.id, configRevision: 2 });
  expect(next.manifestDigest).not.toBe(route.manifestDigest);
  expect(await assigned(fleet.registry, request)).toEqual(route);
  await fleet.registry.routes.settle([
    { actionId: route.actionId, fenceToken: route.fenceToken, settlement: 'refused' },
  ]);
  await fleet.commit({ operation: 'offline', payload: { replica_id: old.id, previous_sequence: 1 } });
  const renewed = await fleet.provision({ versionId: next.id });
  await fleet.pool.query(
    "UPDATE registry.replicas SET status = 'ready', lease_expires_at = $2, health_revision = 1 WHERE id = $1",
    [renewed.id, fleet.clock() + 600_000],
  );
  expect(await outcomeOf(fleet.registry, request)).toBe('connector.replica_unavailable');
  expect(await assigned(fleet.registry, wanted({ tenantId: TENANT }))).toMatchObject({
    replicaId: renewed.id,
    manifestDigest: next.manifestDigest,
  });
});
