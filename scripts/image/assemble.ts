import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LockedPackages, neededPackages } from './lock-file.ts';
import { spdxOf } from './sbom.ts';

/** What of our own packages goes into an image. */
const OWN = new Set(['package.json', 'bin', 'dist']);
/** Of other packages these are left out: their own packages come on their own, and nothing reads the rest at run time. */
const NOT_OF_OTHERS = /^(node_modules|tests?|__tests__|\..*)$/;
/** Nothing reads these at run time. */
const LEFT_OUT = /\.(d\.[cm]?ts|[cm]?ts|map|tsbuildinfo|md|markdown|flow)$/i;
/** Built libraries for other systems than Linux, and for another program than Node.js. */
const NOT_OF_LINUX = /\/prebuilds\/(?!linux-)[^/]+$|\.bare$/;

/** Where the parts of an image lie in its folder. */
export const SBOM_FILE = 'sbom.spdx.json';
const APP = 'app';

/**
 * Puts together what an image holds beside Node.js: `app/node_modules` with one workspace of this repository and what it needs at run
 * time, and the bill of materials. All of it readable by everyone, whatever the umask. The workspaces must be built.
 */
export function assembleImage(options: { root: string; workspace: string; target: string; created: string }): void {
  const { root, workspace, target } = options;
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: LockedPackages };
  const needed = neededPackages(lock.packages, workspace);
  rmSync(target, { recursive: true, force: true });
  for (const { from, to, integrity } of needed) {
    const own = integrity === undefined;
    copy(join(root, from), join(target, APP, to), (name) => (own ? OWN.has(name) : !NOT_OF_OTHERS.test(name)));
  }
  const sbom = join(target, SBOM_FILE);
  writeFileSync(sbom, spdxOf(`aip-${workspace}`, needed, options.created));
  chmodSync(sbom, 0o644);
}

/** Copies a folder; `top` says which of its own entries take part. */
function copy(from: string, to: string, top: (name: string) => boolean): void {
  mkdirSync(to, { recursive: true });
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (!top(entry.name)) continue;
    const source = join(from, entry.name);
    if (NOT_OF_LINUX.test(source)) continue;
    const place = join(to, entry.name);
    if (entry.isDirectory()) copy(source, place, () => true);
    else if (entry.isFile() && !LEFT_OUT.test(entry.name)) {
      copyFileSync(source, place);
      chmodSync(place, 0o644);
    }
  }
}
