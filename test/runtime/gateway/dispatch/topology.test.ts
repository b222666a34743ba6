import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../../../support/until.ts';
import { completed, type Host, resultOf, startTestbed, type Testbed, work } from './testbed.ts';

let testbed: Testbed;
let east: Host;
let westA: Host;
let westB: Host;

beforeAll(async () => {
  testbed = await startTestbed([
    { region: 'east', zone: 'a' },
    { region: 'west', zone: 'a' },
    { region: 'west', zone: 'b', capacityClass: 'large' },
  ]);
  [east, westA, westB] = testbed.hosts as [Host, Host, Host];
});
afterAll(async () => {
  await testbed?.close();
});
beforeEach(() => {
  for (const host of testbed.hosts) host.received.length = 0;
});

type Topology = NonNullable<Parameters<Testbed['dispatcher']>[0]>['topology'];

/** Where eight actions go under a preference. */
const spread = async (topology: Topology): Promise<Host[]> => {
  const dispatcher = testbed.dispatcher({ topology });
  for (let n = 0; n < 8; n += 1) await resultOf(dispatcher, work());
  return testbed.hosts.filter((host) => host.received.length > 0);
};

test('F-319 F-320 F-321 a new action goes to the preferred region, zone and capacity class', async () => {
  expect(await spread({ region: 'east' })).toEqual([east]);
  for (const host of testbed.hosts) host.received.length = 0;
  expect(await spread({ region: 'west', zone: 'a' })).toEqual([westA]);
  for (const host of testbed.hosts) host.received.length = 0;
  expect(await spread({ capacityClass: 'large' })).toEqual([westB]);
});

test('F-107 F-322 F-323 F-324 F-108 a draining replica gets nothing new, another region takes over unless that is banned, and pinned work stays', async () => {
  const held = Promise.withResolvers<void>();
  east.reply = async (envelope) => {
    await held.promise;
    return completed(envelope);
  };
  const pinned = work();
  const dispatcher = testbed.dispatcher({ topology: { region: 'east' } });
  const running = resultOf(dispatcher, pinned);
  await until('it arrived', () => east.actions.length === 1);
  await east.lifecycle('drain');
  const banned = testbed.dispatcher({ topology: { region: 'east', allowCrossRegion: false } });
  await until('the drain is seen', async () => {
    const outcome = await resultOf(banned, work()).catch((error: { code: string }) => error);
    return 'code' in outcome && outcome.code === 'connector.replica_unavailable';
  });
  const atEast = east.received.length;
  await spread({ region: 'east' });
  expect(east.received).toHaveLength(atEast);
  expect(west().reduce((sum, { received }) => sum + received.length, 0)).toBe(8);
  held.resolve();
  east.reply = completed;
  expect((await running).status).toBe('completed');
  const before = east.received.length;
  await resultOf(testbed.dispatcher({ topology: { region: 'west' } }), pinned);
  expect(east.received.length).toBe(before + 1);
  expect(east.actions.at(-1)?.id).toBe(pinned.action.id);
});

const west = (): Host[] => [westA, westB].filter((host) => host.received.length > 0);
