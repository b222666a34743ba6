import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../client/errors.js';
import { projectFiles, TYPE_NAME } from './project.js';

/** What was written. */
export interface WrittenProject {
  readonly directory: string;
  readonly type: string;
  readonly files: readonly string[];
}

/**
 * Writes a connector project into a new or empty folder, with the SDK of this installation as a packed file beside it.
 * Throws UsageError.
 */
export async function writeProject(folder: string, given: string | undefined): Promise<WrittenProject> {
  const directory = resolve(folder);
  const type = given ?? basename(directory).toLowerCase();
  if (!TYPE_NAME.test(type))
    throw new UsageError(
      `${type} is not a connector type.`,
      'Name one with --type: lower-case letters, digits and dashes, beginning with a letter, at most 63.',
    );
  const present = await readdir(directory).catch(() => []);
  if (present.length > 0)
    throw new UsageError(`${directory} is not empty.`, 'Name a folder that does not exist yet, or an empty one.');
  const manifest = createRequire(import.meta.url).resolve('@aip/runtime/package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  const vendor = join(directory, 'vendor');
  await mkdir(vendor, { recursive: true });
  const sdkFile = `vendor/${await packed(dirname(manifest), vendor)}`;
  const files = projectFiles({ type, sdkVersion: version, sdkFile });
  for (const [path, text] of Object.entries(files)) await writeFile(join(directory, path), text);
  return { directory, type, files: [...Object.keys(files), sdkFile] };
}

/** Packs a package into a folder; the name of the file. */
async function packed(packageDir: string, into: string): Promise<string> {
  try {
    const args = ['pack', packageDir, '--pack-destination', into, '--ignore-scripts', '--silent'];
    const { stdout } = await promisify(execFile)('npm', args);
    return stdout.trim().split('\n').at(-1) as string;
  } catch (error) {
    throw new UsageError('npm could not pack the SDK.', `Install npm and try again (${(error as Error).message}).`);
  }
}
