import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { KubeConflict, KubeUnavailable } from '#controller/kube/client/errors.js';
import { readCertificate } from '#controller/trust/certificates/certificate.js';
import { DATA, KEY_ROLES } from '#controller/trust/names.js';
import { type ConfigMapObject, type SecretObject, secretText } from '#controller/trust/objects.js';
import { reconcileTrust, type TrustResult } from '#controller/trust/reconcile-trust.js';
import { signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Call } from './support/memory-kube.ts';
import { NAMES, NAMESPACE, OVERLAP, type Release, release, SECOND, SETTINGS } from './support/release.ts';

/** How far behind the API server a process may be with a mounted file. */
const LAG = 90 * SECOND;
const COPIES = ['acme', 'globex'];

/** What becomes of one request of a round. Overtaken: until it is served, another controller has two rounds with some time between them. */
const FATES = ['lost', 'unanswered', 'slow', 'overtaken', 'none'] as const;
type Fate = (typeof FATES)[number];

/** What happens next. Clocks of controllers differ by `skew`; the request with number `at` of a round has a fate. */
type Happening =
  | { do: 'wait'; ms: number }
  | { do: 'rotate'; what: number }
  | { do: 'round'; skew: number; fate: Fate; at: number; slowMs: number }
  | { do: 'delete copy'; copy: number };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 400 * SECOND }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rotate' as const), what: fc.nat(2) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('round' as const),
      skew: fc.integer({ min: -60 * SECOND, max: 60 * SECOND }),
      fate: fc.constantFrom(...FATES),
      at: fc.nat(24),
      slowMs: fc.integer({ min: 1, max: 200 * SECOND }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete copy' as const), copy: fc.nat(1) }) },
);

/** What is in one place from one time on: texts that are used there, or that are trusted there. */
interface Entry {
  at: number;
  place: string;
  texts: ReadonlySet<string>;
}

/** Looks after every write: whatever a process that is up to LAG behind may use, each bundle that another such process may have must trust. */
function observer(aip: Release): (call?: Call) => void {
  let used: Entry[] = [];
  let trusted: Entry[] = [];
  /** What processes may have: per place what came within LAG, and what stood at its beginning. */
  const held = (entries: Entry[]): Entry[] => {
    const from = aip.time.now - LAG;
    return entries.filter(
      ({ place }, index) => !entries.some((later, n) => n > index && later.place === place && later.at <= from),
    );
  };
  return (call) => {
    if (call?.verb === 'get') return;
    const at = aip.time.now;
    for (const role of KEY_ROLES) {
      const secret = aip.kube.peek<SecretObject>(KINDS.secret, { namespace: NAMESPACE, name: NAMES.key[role] });
      if (!secret) continue;
      const [seed, leaf] = [secretText(secret, DATA.seed), secretText(secret, DATA.tlsCert)];
      if (seed) used.push({ at, place: `${role} key`, texts: new Set([didOf(seed)]) });
      if (leaf) used.push({ at, place: `${role} leaf`, texts: new Set([leaf]) });
    }
    for (const namespace of [NAMESPACE, ...COPIES]) {
      const map = aip.kube.peek<ConfigMapObject>(KINDS.configMap, { namespace, name: 'aip-trust' });
      // What was mounted stays where it is when the ConfigMap is deleted.
      if (!map) continue;
      const texts = Object.values(map.data ?? {}).flatMap(
        (text) => text.match(/did:key:\w+|-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [],
      );
      trusted.push({ at, place: namespace, texts: new Set(texts) });
    }
    used = held(used);
    trusted = held(trusted);
    for (const { place, texts } of used) {
      for (const bundle of trusted) {
        for (const text of texts)
          if (!trusts(bundle.texts, text))
            throw new Error(`${place} is used and not trusted in ${bundle.place} at ${at}`);
      }
    }
  };
}

function trusts(texts: ReadonlySet<string>, used: string): boolean {
  return used.startsWith('did:')
    ? texts.has(used)
    : [...texts].some((text) => !text.startsWith('did:') && isIssuer(text, used));
}

const didOf = remembered((seed) => signingKeyFromSeed(seed).did);
const isIssuerOf = remembered((ca) => remembered((leaf) => readCertificate(leaf).issuedBy(readCertificate(ca))));
const isIssuer = (ca: string, leaf: string): boolean => isIssuerOf(ca)(leaf);

/** The same function, computed once for each argument. */
function remembered<T>(compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const result = known.has(text) ? (known.get(text) as T) : compute(text);
    known.set(text, result);
    return result;
  };
}

test('whatever is interrupted, whenever, by clocks that differ: nothing is used that a process 90 s behind does not trust', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 10, maxLength: 40 }), async (happenings) => {
      const aip = release();
      await aip.reconcile({ namespaces: COPIES });
      const observe = observer(aip);
      observe();
      aip.kube.after = observe;
      let requests = 0;
      for (const event of happenings) {
        switch (event.do) {
          case 'wait':
            aip.time.now += event.ms;
            break;
          case 'rotate':
            requests += 1;
            await aip.rotate(
              [NAMES.ca, NAMES.key.gateway, NAMES.key['control-plane']][event.what] as string,
              String(requests),
            );
            break;
          case 'delete copy':
            await aip.kube.delete(KINDS.configMap, { namespace: COPIES[event.copy] as string, name: 'aip-trust' });
            break;
          case 'round':
            await round(aip, event, observe);
        }
      }
      for (let n = 0; n < 12; n += 1) {
        await aip.reconcile({ namespaces: COPIES });
        aip.time.now += OVERLAP + 120 * SECOND;
      }
      const { steps, observations } = await aip.reconcile({ namespaces: COPIES });
      expect([steps, observations.map(({ type }) => type)]).toEqual([[], ['Ready', 'Ready', 'Ready']]);
      expect(aip.bundle('globex').dids.gateway).toEqual([aip.activeDid('gateway')]);
      expect(aip.bundle('globex').authorities).toHaveLength(1);
    }),
    { numRuns: 25 },
  );
});

/** A round whose request number `at` has its fate; failures and conflicts end it. */
async function round(aip: Release, event: Happening & { do: 'round' }, observe: (call?: Call) => void): Promise<void> {
  const { fate, at, slowMs, skew } = event;
  let number = 0;
  const isFated = (): boolean => number === at;
  aip.kube.before = async () => {
    number += 1;
    if (!isFated()) return;
    if (fate === 'lost') throw new KubeUnavailable(0, 'Timeout', 'no answer');
    if (fate === 'slow') aip.time.now += slowMs;
    if (fate === 'overtaken') await overtake(aip, slowMs, -skew);
  };
  aip.kube.after = (call) => {
    observe(call);
    if (isFated() && fate === 'unanswered') throw new KubeUnavailable(0, 'Timeout', 'no answer');
  };
  try {
    await reconcileAt(aip, skew);
  } catch (error) {
    if (!(error instanceof KubeUnavailable || error instanceof KubeConflict)) throw error;
  } finally {
    aip.kube.before = () => undefined;
    aip.kube.after = observe;
  }
}

async function overtake(aip: Release, slowMs: number, skew: number): Promise<void> {
  const { before } = aip.kube;
  aip.kube.before = () => undefined;
  for (const ms of [slowMs, 2 * slowMs]) {
    aip.time.now += ms;
    await reconcileAt(aip, skew);
  }
  aip.kube.before = before;
}

function reconcileAt(aip: Release, skew: number): Promise<TrustResult> {
  const wanted = { namespaces: COPIES, tenants: [], replicaIssuers: [] };
  return reconcileTrust({ kube: aip.kube, clock: () => aip.time.now + skew }, SETTINGS, wanted);
}
