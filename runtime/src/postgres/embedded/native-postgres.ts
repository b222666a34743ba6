import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { NamedError } from '../../protocol/errors/named-error.js';
import { postgresPackage } from '../platform.js';

/** A server cannot be had on this machine, or would not start; the message says why. */
export function embeddedPostgresFailed(message: string, cause?: unknown): NamedError {
  return new NamedError(message, { name: 'EmbeddedPostgresFailed', cause });
}

/** The PostgreSQL programs that come with the packages. */
export interface NativePostgres {
  /** Path of a program of theirs. */
  program(name: 'initdb' | 'postgres'): string;
  /** What their environment needs beside that of this process. */
  readonly env: NodeJS.ProcessEnv;
}

/** The package's folder, or why there is none. */
function packageFolder(): string {
  const name = postgresPackage();
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..');
  } catch (cause) {
    throw embeddedPostgresFailed(
      `no embedded PostgreSQL for ${process.platform}-${process.arch} (package ${name}); give the URL of a server instead`,
      cause,
    );
  }
}

/**
 * Finds the programs for this machine and makes the links between their libraries that are missing, as they are when install scripts did not
 * run. Where the package may not be written they are made in `linkDir`. `folder` is that of another package of the same kind. Fails when there is no server to be had here.
 */
export async function nativePostgres(linkDir: string, folder: string = packageFolder()): Promise<NativePostgres> {
  const links = JSON.parse(await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  let env: NodeJS.ProcessEnv = {};
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (existsSync(path)) continue;
    if (await linked(basename(source), path)) continue;
    await mkdir(linkDir, { recursive: true });
    const instead = join(linkDir, basename(target));
    if (!existsSync(instead) && !(await linked(join(folder, source), instead)))
      throw embeddedPostgresFailed(
        `the library link ${path} is missing and can be made neither there nor in ${linkDir}`,
      );
    // A library found by its link looks for others beside the link, so the package's own folder is named as well.
    env = {
      LD_LIBRARY_PATH: [linkDir, join(folder, 'native', 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':'),
    };
  }
  return { program: (name) => join(folder, 'native', 'bin', name), env };
}

/** Makes a link, or finds that another process just has; false where it may not be made. */
async function linked(source: string, path: string): Promise<boolean> {
  try {
    await symlink(source, path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST' && existsSync(path);
  }
}
