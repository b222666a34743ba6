import { afterEach, beforeEach, expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { KubeUnavailable } from '#controller/kube/client/errors.js';
import { type Election, electLeader, type LeaderOptions } from '#controller/kube/run/leader.js';
import type { Lease } from '#controller/kube/run/lease-record.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../support/until.ts';
import { createMemoryKube, type MemoryKube } from './support/memory-kube.ts';

const log = openLogger({ component: 'test', level: 'silent' });
/** Short, and long enough for a machine that has other things to do. */
const QUICK = { leaseMs: 2000, renewDeadlineMs: 1500, retryMs: 50 };
const REF = { namespace: 'aip-system', name: 'controller' };

/** One process that takes part. */
interface Elector {
  identity: string;
  election: Election;
  /** Leaderships so far, and whether the work of one continues. */
  terms: number;
  working: boolean;
  stop(): Promise<void>;
}

let kube: MemoryKube;
let electors: Elector[];
/** Set when two ever worked at once. */
let overlap: string | undefined;
beforeEach(() => {
  kube = createMemoryKube();
  electors = [];
  overlap = undefined;
});
afterEach(async () => {
  kube.before = () => undefined;
  await Promise.all(electors.map((each) => each.stop()));
  expect(overlap).toBeUndefined();
});

function join(identity: string, options: Partial<LeaderOptions> = {}): Elector {
  const stop = new AbortController();
  const elector: Elector = {
    identity,
    terms: 0,
    working: false,
    election: undefined as never,
    stop: async () => undefined,
  };
  const election = electLeader({
    kube,
    ...REF,
    identity,
    log,
    timing: QUICK,
    signal: stop.signal,
    onStart: (signal) => {
      elector.terms += 1;
      return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }));
    },
    onChange: (leading) => {
      const other = electors.find((each) => each.working && each !== elector);
      if (leading && other) overlap = `${identity} began while ${other.identity} worked`;
      elector.working = leading;
    },
    ...options,
  });
  elector.election = election;
  elector.stop = () => {
    stop.abort();
    return election.ended;
  };
  electors.push(elector);
  return elector;
}
const lease = (): Lease | undefined => kube.all<Lease>(KINDS.lease)[0];
const leaderOf = (): Promise<Elector> =>
  until('one leads', () => electors.find((each) => each.election.isLeader() && each.working));

test('one of many leads, the others know who it is', async () => {
  for (const name of ['a', 'b', 'c', 'd']) join(name);
  const leader = await leaderOf();
  await until('all know', () => electors.every(({ election }) => election.holder() === leader.identity));
  expect(electors.filter(({ election }) => election.isLeader())).toEqual([leader]);
  expect(lease()?.spec).toMatchObject({
    holderIdentity: leader.identity,
    leaseDurationSeconds: 2,
    leaseTransitions: 0,
  });
});

test('a leader that stops gives the lease back, and another leads in a moment', async () => {
  join('a');
  const first = await leaderOf();
  join('b');
  await first.stop();
  expect(first.working).toBe(false);
  const second = await leaderOf();
  expect(second.identity).toBe('b');
  await second.stop();
  expect(lease()?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
});

test('a lease that was taken while its taker was stopped is given back', async () => {
  const arrived = Promise.withResolvers<void>();
  const answers = Promise.withResolvers<void>();
  const a = join('a', {
    kube: {
      get: kube.get,
      replace: kube.replace,
      create: async (kind, object) => {
        const created = await kube.create(kind, object);
        arrived.resolve();
        await answers.promise;
        return created;
      },
    },
  });
  await arrived.promise;
  const ended = a.stop();
  answers.resolve();
  await ended;
  expect(a.terms).toBe(0);
  expect(lease()?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
});

test('a lease is renewed by one request, and its holder and time of taking stay', async () => {
  join('a');
  await leaderOf();
  const taken = lease()?.spec;
  const { get = 0, replace = 0 } = { ...kube.counts };
  await until('it was renewed', () => (kube.counts.replace ?? 0) > replace + 2);
  expect(kube.counts.get).toBe(get);
  expect(lease()?.spec).toMatchObject({ acquireTime: taken?.acquireTime, leaseTransitions: 0, holderIdentity: 'a' });
  expect(lease()?.spec?.renewTime).not.toBe(taken?.renewTime);
});

test('a leader behind a partition stops before another begins, and takes part again', async () => {
  const network = { heal: (): void => undefined, broken: undefined as Promise<void> | undefined };
  const a = join('a', {
    kube: {
      get: async (kind, ref) => {
        await network.broken;
        return kube.get(kind, ref);
      },
      create: async (kind, object) => {
        await network.broken;
        return kube.create(kind, object);
      },
      replace: async (kind, object) => {
        await network.broken;
        return kube.replace(kind, object);
      },
    },
  });
  await leaderOf();
  const b = join('b');
  await until('b knows a', () => b.election.holder() === 'a');
  network.broken = new Promise((done) => {
    network.heal = done;
  });
  await until('b leads', () => b.election.isLeader() && b.working);
  expect(a.election.isLeader()).toBe(false);
  expect(a.working).toBe(false);
  network.heal();
  await until('a knows b', () => a.election.holder() === 'b');
  expect(lease()?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  await b.stop();
  await until('a leads again', () => a.election.isLeader() && a.terms === 2);
});

test('a renewal that never ends, whether it arrived or not, is followed by another in time', async () => {
  const never = new Promise<never>(() => undefined);
  const lost = ['request', 'answer'];
  let tries = 0;
  const a = join('a', {
    kube: {
      get: kube.get,
      create: kube.create,
      replace: async (kind, object) => {
        tries += 1;
        const what = tries % 5 === 0 ? lost.shift() : undefined;
        if (what === 'request') return never;
        const answer = await kube.replace(kind, object);
        return what === 'answer' ? never : answer;
      },
    },
  });
  await leaderOf();
  await until('both were lost and it goes on', () => lost.length === 0 && tries > 12);
  expect(a.election.isLeader()).toBe(true);
  expect(a.terms).toBe(1);
});

test('failures of the server that end in time do no harm', async () => {
  const a = join('a');
  await leaderOf();
  let failures = 3;
  kube.before = () => {
    failures -= 1;
    if (failures >= 0) throw new KubeUnavailable(503, 'Down', 'down');
  };
  const replaced = kube.counts.replace ?? 0;
  await until('it was renewed after the failures', () => failures < 0 && (kube.counts.replace ?? 0) > replaced + 4);
  expect(a.election.isLeader()).toBe(true);
  expect(a.terms).toBe(1);
});

test('failures that continue end the leadership, and a new one begins when they are over', async () => {
  const a = join('a');
  await leaderOf();
  kube.before = () => {
    throw new KubeUnavailable(0, 'Unreachable', 'gone');
  };
  await until('it stopped', () => !a.election.isLeader() && !a.working);
  kube.before = () => undefined;
  expect(await until('it leads again', () => a.election.isLeader() && a.terms === 2)).toBeTruthy();
});

test('a lease that another one took ends the leadership at once', async () => {
  const a = join('a');
  await leaderOf();
  const current = structuredClone(lease() as Lease);
  delete current.metadata.resourceVersion;
  await kube.replace(KINDS.lease, {
    ...current,
    spec: { ...current.spec, holderIdentity: 'thief', leaseTransitions: 1 },
  });
  await until('it stopped', () => !a.working);
  expect(a.election.holder()).toBe('thief');
  // The thief never renews.
  await until('it leads again', () => a.election.isLeader());
  expect(lease()?.spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: 2 });
});

test('somebody who edits or deletes the lease does not end the leadership', async () => {
  const a = join('a');
  await leaderOf();
  await kube.merge(KINDS.lease, REF, { metadata: { labels: { touched: 'yes' } } });
  const replaced = kube.counts.replace ?? 0;
  await until('it was renewed', () => (kube.counts.replace ?? 0) > replaced + 2);
  kube.remove(KINDS.lease, REF);
  await until('it was made again', () => lease()?.spec?.holderIdentity === 'a');
  expect(a.terms).toBe(1);
  expect(a.working).toBe(true);
});

test('the lease is kept while the work of a stopped leader ends', async () => {
  const mayEnd = Promise.withResolvers<void>();
  let told = false;
  const a = join('a', {
    onStart: async (signal) => {
      signal.addEventListener('abort', () => {
        told = true;
      });
      await mayEnd.promise;
    },
  });
  await leaderOf();
  join('b');
  const ended = a.stop();
  const replaced = kube.counts.replace ?? 0;
  await until('it goes on renewing', () => told && (kube.counts.replace ?? 0) > replaced + 45);
  expect(lease()?.spec?.holderIdentity).toBe('a');
  mayEnd.resolve();
  await ended;
  expect((await leaderOf()).identity).toBe('b');
});

test('work that fails gives the lease back, and is tried again', async () => {
  let tries = 0;
  join('a', {
    onStart: async (signal) => {
      tries += 1;
      if (tries < 3) throw new Error('a fault of the work');
      await new Promise((done) => signal.addEventListener('abort', done, { once: true }));
    },
  });
  expect(await until('the third try works', async () => tries === 3 && electors[0]?.election.isLeader())).toBeTruthy();
});

test('a stop while the server does not answer ends all the same', async () => {
  kube.before = () => new Promise(() => undefined);
  const a = join('a');
  await until('it asked', () => (kube.counts.get ?? 0) > 0);
  await a.stop();
  expect(a.terms).toBe(0);
});
