import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withCapabilityPlace } from '#controller/local/module/capability-place.js';
import { shortPath } from '#controller/local/module/module-fault.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-place-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};

test('a text that names a capability begins with its place in the module', async () => {
  const module = await write('shop.js', "const a = 'cap:shop:say.more';\n\nconst b = { id: 'cap:shop:say' };\n");
  expect(await withCapabilityPlace('cap:shop:say has another contract', module)).toBe(
    `${shortPath(module)}:3:18: cap:shop:say has another contract`,
  );
});

test('a capability of a file that the module imports has its place there', async () => {
  const pay = await write('pay.js', 'export const id = "cap:shop:pay";\n');
  const module = await write('shop.js', "import { id } from './pay.js';\n");
  expect(await withCapabilityPlace('took over cap:shop:pay', module)).toBe(
    `${shortPath(pay)}:1:20: took over cap:shop:pay`,
  );
});

test.each([
  ['names no capability', 'the connector is not healthy'],
  ['names one that is composed elsewhere', 'cap:shop:sell has another contract'],
])('a text that %s stays as it is', async (_, text) => {
  const module = await write('shop.js', "const id = 'cap:shop:say';\n");
  expect(await withCapabilityPlace(text, module)).toBe(text);
  expect(await withCapabilityPlace(text, undefined)).toBe(text);
});
