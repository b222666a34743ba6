import { posix } from 'node:path';

/** One entry of a package-lock.json (version 3), by its folder such as `node_modules/pg`. */
export interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/** A package that a program needs at run time. */
export interface NeededPackage {
  readonly name: string;
  readonly version: string;
  /** Where npm put it, from the root of the repository. */
  readonly from: string;
  /** Where it goes, from the root of the image's folder. */
  readonly to: string;
  readonly license: string | undefined;
  /** `sha512-…` of the registry's archive; none for our own. */
  readonly integrity: string | undefined;
}

/**
 * What a workspace of this repository needs at run time: itself and its `dependencies`, however deep. Optional and development
 * dependencies are left out, and so are types. Throws when npm has not put a needed package anywhere.
 */
export function neededPackages(packages: LockedPackages, workspace: string): NeededPackage[] {
  const found = new Map<string, NeededPackage>();
  const add = (folder: string): void => {
    if (found.has(folder)) return;
    const entry = packages[folder];
    if (!entry) throw new Error(`package-lock.json has no ${folder}`);
    const name = entry.name ?? nameOf(folder);
    const { version = '0.0.0', license, integrity } = entry;
    found.set(folder, { name, version, from: folder, to: imageFolder(packages, folder), license, integrity });
    for (const dependency of Object.keys(entry.dependencies ?? {})) {
      if (!dependency.startsWith('@types/')) add(resolve(packages, folder, dependency));
    }
  };
  add(workspace);
  return [...found.values()].sort((a, b) => (a.to < b.to ? -1 : 1));
}

/** The folder that `require(name)` in a package finds: the nearest node_modules upwards; a link stands for its workspace. */
function resolve(packages: LockedPackages, from: string, name: string): string {
  for (let folder = from; ; folder = posix.dirname(folder)) {
    const candidate = posix.join(folder, 'node_modules', name);
    const entry = packages[candidate];
    if (entry?.link && entry.resolved) return entry.resolved;
    if (entry) return candidate;
    if (folder === '.') throw new Error(`${from} needs ${name}, which package-lock.json does not have`);
  }
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** Workspaces become ordinary packages; all others keep their place. */
function imageFolder(packages: LockedPackages, folder: string): string {
  for (const [link, entry] of Object.entries(packages)) {
    if (!entry.link || !entry.resolved) continue;
    if (folder === entry.resolved || folder.startsWith(`${entry.resolved}/`))
      return link + folder.slice(entry.resolved.length);
  }
  return folder;
}
