import { appendFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { moduleFiles } from '#controller/local/module/module-files.js';
import { type ModuleWatch, watchModules } from '#controller/local/module/watch-modules.js';
import { until } from '../../support/until.ts';

let folder: string;
let file: string;
let watch: ModuleWatch;
let seen: string[];
let besides: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-watch-'));
  file = join(folder, 'shop.js');
  await writeFile(file, 'first');
  seen = [];
  besides = 0;
  watch = watchModules({
    changed: (digests) => seen.push(digests.get(file) as string),
    besides: () => {
      besides += 1;
    },
  });
});
afterEach(async () => {
  watch.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

const digest = async (): Promise<string> => (await moduleFiles(file)).digest;
/** Waits until what is in the file now was reported last. */
const reported = async () => {
  const now = await digest();
  return until('the module is reported as it is', () => seen.at(-1) === now);
};

test('a module that is saved, or replaced as editors do it, is reported with its digest', async () => {
  expect((await watch.follow([file])).get(file)).toBe(await digest());
  await writeFile(file, 'second');
  expect(await reported()).toBe(true);
  await writeFile(`${file}.tmp`, 'third');
  await rename(`${file}.tmp`, file);
  expect(await reported()).toBe(true);
});

test('a file beside the module that is written to all the time does not hide that the module was saved', async () => {
  await watch.follow([file]);
  const writing = new AbortController();
  const noise = (async () => {
    while (!writing.signal.aborted) {
      appendFileSync(join(folder, 'shop.log'), 'line\n');
      await turn();
    }
  })();
  try {
    await until('the log is written to', () => besides > 0);
    await writeFile(file, 'second');
    expect(await reported()).toBe(true);
  } finally {
    writing.abort();
    await noise;
  }
});

test('the last of many saves is what is reported in the end', async () => {
  await watch.follow([file]);
  for (let n = 0; n < 200; n += 1) {
    await writeFile(file, `save ${n}`);
    if (n % 7 === 0) await turn();
  }
  expect(await reported()).toBe(true);
});

test('a folder that is removed and made again is watched again, and so is one that comes later', async () => {
  await watch.follow([file]);
  await rm(folder, { recursive: true });
  await until('the missing file is reported', () => seen.length > 0);
  await mkdir(folder);
  await writeFile(file, 'again');
  expect(await reported()).toBe(true);
  await writeFile(file, 'and again');
  expect(await reported()).toBe(true);
});
