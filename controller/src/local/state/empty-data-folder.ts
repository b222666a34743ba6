import { rm } from 'node:fs/promises';
import type { DataPaths } from './data-dir.js';

/** Removes what an earlier run wrote, by name; anything else in the folder stays. */
export async function emptyDataFolder(paths: DataPaths): Promise<void> {
  const { root: _, lock: __, cache: ___, ...rest } = paths;
  await Promise.all(Object.values(rest).map((path) => rm(path, { recursive: true, force: true })));
}
