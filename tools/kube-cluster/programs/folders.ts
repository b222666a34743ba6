import { homedir } from 'node:os';
import { join } from 'node:path';

/** Folder of built programs, modules and base images: kept between runs, safe to delete. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'aip-fleet');
}

/** Folder of the developer's own cluster: certificates, database, logs. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'aip-fleet');
}
