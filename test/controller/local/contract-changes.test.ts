import { expect, onTestFinished, test } from 'vitest';
import { localFailure } from '#controller/local/failure.js';
import { redefineCapabilities } from '#controller/local/redefine-capability.js';
import { CapabilityConflict, RegistryConflict } from '#runtime/registry/errors.js';
import { type Fleet, startFleet, versionOf } from '../../runtime/registry/fleet.ts';
import { probeCapability } from '../../support/external-host.ts';

const CHANGED = { ...probeCapability('echo'), description: 'says something else' };

async function fleetOfOne(): Promise<Fleet> {
  const fleet = await startFleet();
  onTestFinished(() => fleet.close());
  return fleet;
}

test('the contract of the only instance that has a capability is taken over, once', async () => {
  const { registry, pool, typeId } = await fleetOfOne();
  const next = versionOf(typeId, [CHANGED]);
  await expect(registry.versions.admit(next)).rejects.toBeInstanceOf(CapabilityConflict);
  expect(await redefineCapabilities(pool, next.manifest, new Map())).toEqual([CHANGED.id]);
  await registry.versions.admit(next);
  expect(await redefineCapabilities(pool, next.manifest, new Map())).toEqual([]);
});

test('a contract that another instance keeps, or whose wish is not known, stays, and the conflict names it', async () => {
  const { registry, pool, typeId, version, instance, addInstance } = await fleetOfOne();
  const other = await addInstance({ tenantId: 'tenant-b' });
  const next = versionOf(typeId, [CHANGED]);
  for (const wanted of [version.manifest, undefined])
    expect(await redefineCapabilities(pool, next.manifest, new Map([[other.id, wanted]]))).toBeUndefined();
  const conflict = await registry.versions.admit(next).catch((error: unknown) => error);
  expect(conflict).toBeInstanceOf(CapabilityConflict);
  expect([instance.id, other.id]).toContain((conflict as CapabilityConflict).instanceId);
});

test('a contract is taken over where every other instance comes to it too, gives the capability up, or is gone', async () => {
  const { registry, pool, typeId, addInstance } = await fleetOfOne();
  const next = versionOf(typeId, [CHANGED]);
  const [same, without] = [await addInstance({ tenantId: 'tenant-b' }), await addInstance({ tenantId: 'tenant-c' })];
  // Another instance had the capability and is not wanted any more.
  await addInstance({ tenantId: 'tenant-d' });
  const others = new Map([
    [same.id, next.manifest],
    [without.id, { ...next.manifest, capabilities: [probeCapability('other')] }],
  ]);
  expect(await redefineCapabilities(pool, next.manifest, others)).toEqual([CHANGED.id]);
  await registry.versions.admit(next);
});

test('a step that failed says which instance has the capability and what to do', () => {
  const failure = localFailure(new CapabilityConflict('cap:a:b', 'cinst_default.other.12345678'), 'admit-version');
  expect(failure).toMatchObject({ reason: 'CapabilityConflict', stalled: true, steps: ['admit-version'] });
  expect(failure.message).toMatch(
    /cap:a:b.*; the instance other has it: change both together, or give the capability another id$/,
  );
  expect(localFailure(new RegistryConflict('x'), undefined)).toMatchObject({ reason: 'RegistryRefused', steps: [] });
  expect(localFailure('text', 'start')).toMatchObject({ reason: 'StepFailed', message: 'text', stalled: false });
});
