import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const MODULE = resolve(import.meta.dirname, '../../../controller/dist/fleet/principals.js');
/** Principals that each process adds. */
const EACH = 20;

test('eight processes that change one principals file lose nothing, with a lock that a crash has left', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aip-principals-'));
  const file = join(folder, 'principals.json');
  await writeFile(`${file}.lock`, '');
  const program = `
    const { changePrincipals } = await import(${JSON.stringify(MODULE)});
    for (let at = 0; at < ${EACH}; at += 1)
      await changePrincipals(${JSON.stringify(file)}, (all) => [...all, { principal_id: process.pid + ':' + at }]);`;
  await Promise.all(Array.from({ length: 8 }, () => run(process.execPath, ['--input-type=module', '-e', program])));
  const ids = (JSON.parse(await readFile(file, 'utf8')) as { principal_id: string }[]).map(
    (entry) => entry.principal_id,
  );
  expect(new Set(ids).size).toBe(8 * EACH);
  await rm(folder, { recursive: true, force: true });
});
