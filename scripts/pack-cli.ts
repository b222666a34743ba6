import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = resolve(import.meta.dirname, '..');
/** What of a workspace is needed to run it. */
const PARTS = ['package.json', 'bin', 'dist', 'oclif.manifest.json'];

interface Package {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  [member: string]: unknown;
}

const read = (folder: string): Package =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Package;

/**
 * Packs the CLI as one tarball that can be installed anywhere: `npm install -g aip-cli-VERSION.tgz`. Runtime and controller lie inside, because no
 * registry has them; other packages come from the registry in exactly the versions of this checkout, Node.js 24 among them. Build first.
 */
const { values } = parseArgs({ options: { out: { type: 'string', default: ROOT } } });
const stage = mkdtempSync(join(tmpdir(), 'aip-pack-'));
const copy = (from: string, to: string): void => {
  mkdirSync(to, { recursive: true });
  for (const part of PARTS)
    cpSync(join(ROOT, from, part), join(to, part), { recursive: true, force: true, errorOnExist: false });
};
const inside = ['runtime', 'controller'];
for (const part of PARTS.filter((name) => name !== 'oclif.manifest.json'))
  for (const workspace of inside)
    cpSync(join(ROOT, workspace, part), join(stage, 'node_modules', '@aip', workspace, part), { recursive: true });
// npm takes what a bundled package depends on as bundled too, and does not install it; the outer manifest has all of it.
for (const workspace of inside) {
  const { dependencies, optionalDependencies, ...rest } = read(workspace);
  // `aip connector init` packs the SDK out of here, and gives it what it needs back.
  const packed = { ...rest, packedDependencies: { dependencies, optionalDependencies } };
  writeFileSync(join(stage, 'node_modules', '@aip', workspace, 'package.json'), JSON.stringify(packed, null, 2));
}
copy('cli', stage);
cpSync(join(ROOT, 'examples', 'demo.yaml'), join(stage, 'examples', 'demo.yaml'));
cpSync(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'));

const packages = ['cli', ...inside].map(read);
const own = new Set(packages.map(({ name }) => name));
const union = (member: 'dependencies' | 'optionalDependencies', from: readonly Package[]): Record<string, string> =>
  Object.fromEntries(
    from
      .flatMap((each) => Object.entries(each[member] ?? {}))
      .filter(([name]) => !own.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
const [cli] = packages as [Package];
const bundled = inside.map((workspace) => `@aip/${workspace}`);
const manifest = {
  ...cli,
  bin: { aip: 'bin/aip.js', 'kubectl-aip': 'bin/kubectl-aip.js' },
  engines: undefined,
  dependencies: {
    ...union('dependencies', packages),
    ...Object.fromEntries(inside.map((workspace) => [`@aip/${workspace}`, read(workspace).version])),
  },
  optionalDependencies: union('optionalDependencies', [...packages, read('.')]),
  bundleDependencies: bundled,
};
writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
const [{ filename }] = JSON.parse(
  execFileSync('npm', ['pack', '--json', '--ignore-scripts'], {
    cwd: stage,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  }),
) as [{ filename: string }];
const target = join(resolve(values.out), filename);
cpSync(join(stage, filename), `${target}.part`);
renameSync(`${target}.part`, target);
rmSync(stage, { recursive: true, force: true });
process.stdout.write(`${target}\n`);
