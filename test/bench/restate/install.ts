import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const RESTATE_VERSION = '1.7.12';
const PACKAGES = [`@restatedev/restate-server@${RESTATE_VERSION}`, '@restatedev/restate-sdk@1.17.2'];

/** The folder with Restate's server and SDK, installed from npm the first time. */
export function installRestate(): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = join(cache, 'aip-fleet', 'restate', RESTATE_VERSION);
  if (existsSync(join(folder, 'complete'))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const { status, error } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--save-exact', ...PACKAGES], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (error || status !== 0) throw new Error(`Restate cannot be installed: ${error?.message ?? `npm exit ${status}`}`);
  mkdirSync(join(folder, 'complete'));
  return folder;
}
