import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../../../tools/kube-cluster/process/command.ts';
import { cacheFolder } from '../../../../tools/kube-cluster/programs/folders.ts';

/** A program of a Debian package, with the libraries that it brings. */
export interface DebianProgram {
  path: string;
  env: Record<string, string>;
}

/** Unpacks packages of Debian into the cache folder, without installing them, and gives the program at `path` below their root. */
export async function debianProgram(path: string, packages: readonly string[]): Promise<DebianProgram> {
  const root = join(cacheFolder(), 'debian', packages[0] as string);
  if (!(await stat(join(root, path)).catch(() => undefined))) await unpack(root, packages);
  const libraries = ['usr/lib', 'lib'].flatMap((folder) => [
    join(root, folder),
    join(root, folder, `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`),
  ]);
  return { path: join(root, path), env: { LD_LIBRARY_PATH: libraries.join(':') } };
}

async function unpack(root: string, packages: readonly string[]): Promise<void> {
  const parent = join(root, '..');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, 'new-'));
  try {
    await run('sh', ['-c', `cd '${folder}' && apt-get download --quiet ${packages.join(' ')}`]);
    const archives = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
    for (const archive of archives) await run('dpkg', ['-x', join(folder, archive), join(folder, 'root')]);
    await rm(root, { recursive: true, force: true });
    await rename(join(folder, 'root'), root);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
