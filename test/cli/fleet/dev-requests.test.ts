import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask, serveRequests } from '#cli/fleet/dev-requests.js';
import { until } from '../../support/until.ts';

const AN_HOUR = 3_600_000;
const REQUEST = { replica: 'demo/demo-0', drained: true, timeoutMs: AN_HOUR };

let root: string;
let stop: AbortController;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'aip-requests-'));
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await rm(root, { recursive: true, force: true });
});

/** Serves a folder that was made new, rereading it after `rereadMs`. */
async function served(rereadMs: number): Promise<{ folder: string; asked: unknown[]; ended: Promise<void> }> {
  const folder = join(root, 'requests');
  const asked: unknown[] = [];
  const answer = async (request: unknown) => {
    asked.push(request);
    return { changed: `${asked.length}` };
  };
  const ended = serveRequests(folder, answer, stop.signal, rereadMs);
  const made = await until('the folder is there', () => access(folder).then(() => true));
  expect(made).toBe(true);
  return { folder, asked, ended };
}

test('a request is answered because it arrived, not because the folder was read again', async () => {
  const { folder, asked, ended } = await served(AN_HOUR);
  expect(await ask(folder, REQUEST)).toEqual({ changed: '1' });
  expect(await Promise.all([ask(folder, REQUEST), ask(folder, REQUEST)])).toHaveLength(2);
  expect(asked).toEqual([REQUEST, REQUEST, REQUEST]);
  stop.abort();
  expect(await ended).toBeUndefined();
});

test('where no change is reported the folder is read again after a time', async () => {
  const { folder } = await served(20);
  await rm(folder, { recursive: true });
  // The watch ended with its folder; the one that is made now has none.
  expect(await ask(folder, REQUEST)).toEqual({ changed: '1' });
});
