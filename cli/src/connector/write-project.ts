import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  const { version } = await readManifest(manifest);
  const vendor = join(directory, 'vendor');
  await mkdir(vendor, { recursive: true });
  const sdkFile = `vendor/${await packed(dirname(manifest), vendor)}`;
  const files = projectFiles({ type, sdkVersion: version, sdkFile, node: await nodePackages() });
  for (const [path, text] of Object.entries(files)) await writeFile(join(directory, path), text);
  return { directory, type, files: [...Object.keys(files), sdkFile] };
}

interface Manifest {
  version: string;
  optionalDependencies?: Record<string, string>;
  /** Where it lies inside of the packed CLI: what it depends on, which the manifest of the CLI has there. */
  packedDependencies?: object;
}

async function readManifest(file: string): Promise<Manifest> {
  return JSON.parse(await readFile(file, 'utf8')) as Manifest;
}

/** The packages of Node.js that this installation has, with their versions: of the packed CLI, or of the checkout. */
async function nodePackages(): Promise<Record<string, string>> {
  const all = await Promise.all(
    ['../../package.json', '../../../package.json'].map((path) =>
      readManifest(fileURLToPath(new URL(path, import.meta.url))).catch(() => undefined),
    ),
  );
  const found = all.flatMap((manifest) => Object.entries(manifest?.optionalDependencies ?? {}));
  return Object.fromEntries(found.filter(([name]) => name.startsWith('node-')));
}

/** Packs the SDK into a folder, with what it depends on in its manifest; the name of the file. */
async function packed(packageDir: string, into: string): Promise<string> {
  const staged = await mkdtemp(join(tmpdir(), 'aip-sdk-'));
  try {
    const { packedDependencies, ...manifest } = await readManifest(join(packageDir, 'package.json'));
    for (const part of ['bin', 'dist']) await cp(join(packageDir, part), join(staged, part), { recursive: true });
    await writeFile(join(staged, 'package.json'), JSON.stringify({ ...manifest, ...packedDependencies }, null, 2));
    const args = ['pack', staged, '--pack-destination', into, '--ignore-scripts', '--silent'];
    const { stdout } = await promisify(execFile)('npm', args);
    return stdout.trim().split('\n').at(-1) as string;
  } catch (error) {
    throw new UsageError('npm could not pack the SDK.', `Install npm and try again (${(error as Error).message}).`);
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}
