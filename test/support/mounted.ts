import { chmod, mkdir, readdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the kubelet mounts by default: Secrets as the chart asks for them, ConfigMaps as they are by default. */
export const SECRET_MODE = 0o440;
export const CONFIG_MAP_MODE = 0o644;

let versions = 0;

/**
 * Puts a version of a Secret or ConfigMap into `folder` as the kubelet does: the files in a folder of their own, `..data` as a link to it
 * that is replaced at once, and a link for each file that goes through `..data`. Files that are not given any more go.
 */
export async function mountVersion(folder: string, files: Record<string, string>, mode: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const before = await readdir(folder);
  versions += 1;
  const version = `..2026_11_21_${versions}`;
  await mkdir(join(folder, version));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, version, name), text);
    await chmod(join(folder, version, name), mode);
  }
  await symlink(version, join(folder, '..data_tmp'));
  await rename(join(folder, '..data_tmp'), join(folder, '..data'));
  for (const name of Object.keys(files))
    if (!before.includes(name)) await symlink(join('..data', name), join(folder, name));
  for (const name of before) {
    if (!name.startsWith('..') && !(name in files)) await unlink(join(folder, name));
    if (name.startsWith('..2026')) await rm(join(folder, name), { recursive: true });
  }
}
