import { expect, test } from 'vitest';
import { identify, identityOf } from '../../../tools/kube-cluster/process/processes.ts';

const stat = (state: string, threads: number): string =>
  `4711 (kube (api) server) ${state} 1 4711 4711 0 -1 4194304 0 0 0 0 9 5 0 0 20 0 ${threads} 0 163254 0 0`;

test('a killed process is over with its last thread: until then it may hold its ports', () => {
  const alive = { pid: 4711, started: '163254' };
  expect(identityOf(4711, stat('S', 12))).toEqual(alive);
  expect(identityOf(4711, stat('Z', 2))).toEqual(alive);
  expect(identityOf(4711, stat('Z', 1))).toBeUndefined();
});

test('this process lives, and none has the id 0', async () => {
  expect(await identify(process.pid)).toEqual({ pid: process.pid, started: expect.stringMatching(/^\d+$/) });
  expect(await identify(0)).toBeUndefined();
});
