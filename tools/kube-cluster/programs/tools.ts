import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { buildProgram } from './build.ts';
import { cacheFolder } from './folders.ts';
import type { ProgramName } from './versions.ts';

export interface ToolOptions {
  /** Folder of built programs; default: the user's cache folder. */
  readonly cache?: string;
  /** Takes programs of the machine's own PATH where they are there. Default: false, since versions matter. */
  readonly own?: boolean;
  /** Called with what is built and how long it took; default: standard error. */
  readonly log?: (line: string) => void;
}

/**
 * The paths of programs, built one after the other where they are missing.
 * Throws ClusterUnavailable when one can't be built here.
 */
export async function ensureTools<Name extends ProgramName>(
  names: readonly Name[],
  options: ToolOptions = {},
): Promise<Record<Name, string>> {
  const cache = options.cache ?? cacheFolder();
  const log = options.log ?? ((line) => process.stderr.write(`${line}\n`));
  const paths: Partial<Record<Name, string>> = {};
  for (const name of names) paths[name] = (options.own && onPath(name)) || (await buildProgram(cache, name, log));
  return paths as Record<Name, string>;
}

/** A program of the machine's own, by its PATH. */
function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
