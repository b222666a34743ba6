import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { ensureTools } from '../../../tools/kube-cluster/programs/tools.ts';

let folder: string | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test('for a cluster of the user, kubectl and helm of the PATH are taken and nothing is built', async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-tools-'));
  const programs = join(folder, 'programs');
  const cache = join(folder, 'cache');
  for (const path of [programs, cache]) await mkdir(path);
  for (const name of ['kubectl', 'helm']) await writeFile(join(programs, name), '', { mode: 0o755 });
  vi.stubEnv('PATH', `${join(folder, 'nothing')}:${programs}`);
  const lines: string[] = [];
  const tools = await ensureTools(['kubectl', 'helm'], { own: true, cache, log: (line) => lines.push(line) });
  expect(tools).toEqual({ kubectl: join(programs, 'kubectl'), helm: join(programs, 'helm') });
  expect(lines).toEqual([]);
  expect(await readdir(cache)).toEqual([]);
});
