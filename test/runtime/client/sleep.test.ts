import { expect, test } from 'vitest';
import { sleep } from '#runtime/client/sleep.js';

const never = 2 ** 31 - 1;

test('a wait ends with its time, and with its signal, also with one that was aborted before', async () => {
  expect(await sleep(1)).toBeUndefined();
  const ending = new AbortController();
  const waiting = sleep(never, ending.signal);
  ending.abort();
  expect(await waiting).toBeUndefined();
  expect(await sleep(never, ending.signal)).toBeUndefined();
});
