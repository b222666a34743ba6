import { expect, test, vi } from 'vitest';
import { awaitOwnName } from '#runtime/host/own-name.js';

const ENDPOINT = 'https://demo-0.demo.acme.svc.cluster.local:8443/aip/v1/messages';
const own = () => ['10.0.0.7', 'fe80::1'];
const { signal } = new AbortController();

test('waits until DNS leads the name to this machine', async () => {
  const answers = [new Error('no such name'), [], ['10.0.0.6'], ['10.0.0.6', '10.0.0.7'], ['10.0.0.9']];
  const asked: string[] = [];
  const resolve = async (host: string): Promise<string[]> => {
    asked.push(host);
    const answer = answers[asked.length - 1];
    if (answer instanceof Error) throw answer;
    return answer ?? [];
  };
  const waits = vi.fn();
  expect(await awaitOwnName(ENDPOINT, { waitMs: 60_000, signal, waits, resolve, own })).toBe(true);
  expect(asked).toEqual(Array(4).fill('demo-0.demo.acme.svc.cluster.local'));
  expect(waits).toHaveBeenCalledTimes(1);
});

test('a name that leads here already is not waited for', async () => {
  const waits = vi.fn();
  const resolve = async (): Promise<string[]> => ['10.0.0.7'];
  expect(await awaitOwnName(ENDPOINT, { waitMs: 60_000, signal, waits, resolve, own })).toBe(true);
  expect(waits).not.toHaveBeenCalled();
});

test('gives up after its time, and at once when the host ends', async () => {
  const resolve = async (): Promise<string[]> => ['10.0.0.6'];
  expect(await awaitOwnName(ENDPOINT, { waitMs: 1, signal, resolve, own })).toBe(false);
  expect(await awaitOwnName(ENDPOINT, { waitMs: 60_000, signal: AbortSignal.abort(), resolve, own })).toBe(false);
});

test.each([
  [ENDPOINT, 0],
  ['https://10.0.0.1:8443/aip/v1/messages', 60_000],
  ['https://[fd00::1]:8443/aip/v1/messages', 60_000],
])('asks nothing for %s with %i ms', async (endpoint, waitMs) => {
  const resolve = (): Promise<string[]> => Promise.reject(new Error('was asked'));
  expect(await awaitOwnName(endpoint, { waitMs, signal, resolve, own })).toBe(true);
});
