import { expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { readCertificate } from '#controller/trust/certificates/certificate.js';
import { DATA, KEY_ROLES, TRUST_ANNOTATIONS } from '#controller/trust/names.js';
import { secretText } from '#controller/trust/objects.js';
import { DAY, NAMES, NAMESPACE, OVERLAP, type Release, release, SECOND } from './support/release.ts';

/** The next round after `ms`, and what the observation of one object says then. */
async function after(aip: Release, ms: number, object: string, replicaIssuers: string[] = []): Promise<string> {
  aip.time.now += ms;
  const { observations } = await aip.reconcile({ replicaIssuers });
  const found = observations.find((observation) => observation.object === object);
  return `${found?.type} ${found?.reason}: ${found?.message}`;
}

test.each(KEY_ROLES)('the %s key is rotated in three phases, each an overlap long', async (role) => {
  const aip = release();
  const object = NAMES.key[role];
  await aip.reconcile();
  const old = aip.activeDid(role);
  const dids = () => aip.bundle('acme').dids[role];

  await aip.rotate(object, '1');
  expect(await after(aip, 0, object)).toMatch(
    /^Rotating NextPublished: did:key:z\w+ is published and becomes active at 2026-01-01T00:05:00Z$/,
  );
  const next = dids()[1] as string;
  expect([aip.activeDid(role), dids()]).toEqual([old, [old, next]]);

  await after(aip, OVERLAP - 1, object);
  expect(aip.activeDid(role)).toBe(old);
  await after(aip, 1, object);
  expect([aip.activeDid(role), dids()]).toEqual([next, [next, old]]);
  expect(JSON.stringify(aip.secret(object).data)).not.toContain(DATA.nextSeed);

  expect(await after(aip, OVERLAP - 1, object)).toMatch(
    /^Rotating PreviousStillTrusted: .* is removed at 2026-01-01T00:10:00Z$/,
  );
  expect(dids()).toEqual([next, old]);
  expect(await after(aip, 1, object)).toBe('Ready Active: no rotation is under way');
  expect(dids()).toEqual([next]);
  expect((await aip.reconcile()).steps).toEqual([]);
});

test('a further request during a rotation begins when that one has ended; several become one', async () => {
  const aip = release();
  const object = NAMES.key.gateway;
  await aip.reconcile();
  await aip.rotate(object, '1');
  await after(aip, 0, object);
  await aip.rotate(object, '2');
  await aip.rotate(object, '3');
  expect(await after(aip, SECOND, object)).toMatch(/; another rotation is requested and starts afterwards$/);
  await after(aip, OVERLAP, object);
  expect(await after(aip, SECOND, object)).toMatch(/afterwards$/);
  const first = aip.activeDid('gateway');
  expect(await after(aip, OVERLAP, object)).toMatch(/^Rotating NextPublished/);
  expect(aip.secret(object).metadata.annotations?.[TRUST_ANNOTATIONS.rotated]).toBe('3');
  await after(aip, OVERLAP, object);
  await after(aip, OVERLAP, object);
  expect(await after(aip, OVERLAP, object)).toMatch(/^Ready Active/);
  expect(aip.activeDid('gateway')).not.toBe(first);
  expect(aip.bundle().dids.gateway).toEqual([aip.activeDid('gateway')]);
});

test('a copy that was deleted while the next key waited makes the wait begin again', async () => {
  const aip = release();
  const object = NAMES.key.gateway;
  await aip.reconcile();
  await aip.rotate(object, '1');
  await after(aip, 0, object);
  await aip.kube.delete(KINDS.configMap, { namespace: 'acme', name: 'aip-trust' });
  expect(await after(aip, OVERLAP, object)).toMatch(/becomes active at 2026-01-01T00:10:00Z$/);
  const old = aip.activeDid('gateway');
  await after(aip, OVERLAP - 1, object);
  expect(aip.activeDid('gateway')).toBe(old);
  await after(aip, 1, object);
  expect(aip.activeDid('gateway')).not.toBe(old);
});

test('a mark from the future does not hold a rotation up for ever', async () => {
  const aip = release();
  const object = NAMES.key.gateway;
  await aip.reconcile();
  aip.time.now += DAY;
  await aip.rotate(object, '1');
  await after(aip, 0, object);
  expect(await after(aip, -DAY, object)).toMatch(/becomes active at 2026-01-01T00:05:00Z$/);
  expect(await after(aip, OVERLAP, object)).toMatch(/^Rotating PreviousStillTrusted/);
});

test('the authority is rotated: both in the bundle, then new leaves, then the old one goes when nobody has a leaf of it', async () => {
  const aip = release();
  await aip.reconcile();
  const old = aip.ca();
  const ids = () => aip.bundle('acme').authorities.map(({ id }) => id);

  await aip.rotate(NAMES.ca, '1');
  await after(aip, 0, NAMES.ca);
  const next = ids()[1];
  expect(ids()).toEqual([old.id, next]);
  await after(aip, OVERLAP - 1, NAMES.ca);
  expect(aip.leaf('gateway').issuedBy(old)).toBe(true);

  expect(await after(aip, 1, NAMES.ca, [old.id])).toMatch(
    /^Rotating PreviousStillTrusted: Waiting until no certificate of the old authority is in use: replicas$/,
  );
  expect(aip.ca().id).toBe(next);
  for (const role of KEY_ROLES) expect(aip.leaf(role).issuedBy(aip.ca())).toBe(true);
  expect(ids()).toEqual([next, old.id]);
  expect(secretText(aip.secret(NAMES.ca), DATA.previousCaCerts)?.trim()).toBe(old.pem.trim());

  await after(aip, DAY, NAMES.ca, [old.id, next as string]);
  expect(ids()).toEqual([next, old.id]);
  expect(await after(aip, SECOND, NAMES.ca)).toMatch(/stays trusted and is removed at 2026-01-02T00:10:01Z$/);
  await after(aip, OVERLAP - 1, NAMES.ca);
  expect(ids()).toEqual([next, old.id]);
  await after(aip, 1, NAMES.ca);
  expect(ids()).toEqual([next]);
});

test('a leaf of the old authority that turns up late takes the mark back', async () => {
  const aip = release();
  await aip.reconcile();
  const old = aip.ca();
  await aip.rotate(NAMES.ca, '1');
  await after(aip, 0, NAMES.ca);
  await after(aip, OVERLAP, NAMES.ca);
  await after(aip, OVERLAP - SECOND, NAMES.ca, [old.id]);
  await after(aip, SECOND, NAMES.ca);
  expect(aip.bundle().authorities).toHaveLength(2);
  await after(aip, OVERLAP, NAMES.ca);
  expect(aip.bundle().authorities).toHaveLength(1);
});

test('the authority is followed by a new one at four fifths of its life, and not before', async () => {
  const aip = release();
  await aip.reconcile();
  const { notBefore, notAfter, id } = aip.ca();
  const due = notBefore + (notAfter - notBefore) * 0.8;
  aip.time.now = due - SECOND;
  expect(await after(aip, 0, NAMES.ca)).toMatch(/^Ready Active/);
  expect(await after(aip, SECOND, NAMES.ca)).toMatch(/^Rotating NextPublished/);
  await after(aip, OVERLAP, NAMES.ca);
  await after(aip, OVERLAP, NAMES.ca);
  expect(await after(aip, OVERLAP, NAMES.ca)).toMatch(/^Ready Active/);
  expect(aip.ca().id).not.toBe(id);
  expect(aip.bundle().authorities).toHaveLength(1);
});

test('leaves never outlive their authority, and are renewed in time all the same', async () => {
  const aip = release();
  await aip.reconcile();
  const end = aip.time.now + 11 * 365 * DAY;
  for (let wakeAt: number | undefined = aip.time.now; aip.time.now < end; ) {
    aip.time.now = wakeAt ?? end;
    ({ wakeAt } = await aip.reconcile());
    for (const role of KEY_ROLES) {
      const leaf = aip.leaf(role);
      expect(leaf.notAfter).toBeGreaterThan(aip.time.now + 20 * DAY);
      expect(aip.bundle().authorities.some((authority) => leaf.issuedBy(authority))).toBe(true);
    }
  }
  expect(readCertificate(aip.ca().pem).notAfter).toBeGreaterThan(end);
});

test('a rotation that nobody asked for again stays done when its annotation is removed', async () => {
  const aip = release();
  const object = NAMES.key.gateway;
  await aip.reconcile();
  await aip.rotate(object, '1');
  for (const ms of [0, OVERLAP, OVERLAP]) await after(aip, ms, object);
  await aip.kube.merge(
    KINDS.secret,
    { namespace: NAMESPACE, name: object },
    { metadata: { annotations: { [TRUST_ANNOTATIONS.rotate]: null } } },
  );
  expect(await after(aip, DAY, object)).toMatch(/^Ready Active/);
});

test('a controller that sleeps over a rotation, at whichever of its requests, publishes nothing that it saw before', async () => {
  const copy = { namespace: 'acme', name: 'aip-trust' };
  let slept = true;
  for (let at = 1; slept; at += 1) {
    const aip = release();
    await aip.reconcile();
    // Something to write, so that what was read early is used late.
    await aip.kube.merge(KINDS.configMap, copy, { metadata: { labels: null } });
    let requests = 0;
    slept = false;
    aip.kube.before = async () => {
      requests += 1;
      if (slept || requests !== at) return;
      slept = true;
      await aip.rotate(NAMES.key.gateway, '1');
      for (const ms of [0, OVERLAP]) await after(aip, ms, NAMES.key.gateway);
    };
    aip.kube.after = () => {
      for (const namespace of [NAMESPACE, 'acme'])
        expect(aip.bundle(namespace).dids.gateway).toContain(aip.activeDid('gateway'));
    };
    await aip.reconcile();
    expect(aip.bundle('acme').dids.gateway).toHaveLength(slept ? 2 : 1);
  }
});
