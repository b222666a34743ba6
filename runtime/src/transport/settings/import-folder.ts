import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** The link through which the kubelet swaps all files of a mounted Secret at once. */
const DATA_LINK = '..data';
/** Names of the files that an import brought, one a line; no imported file can have this name. */
const LIST = '..imported';
/** A swap during the reading begins it again; after this many the next look will find it quiet. */
const READINGS = 5;

/** A folder of secrets as it was at one moment: the bytes of each file by its name. */
export type SecretFiles = ReadonlyMap<string, Buffer>;

/**
 * The regular files of a folder, links followed, without names that begin with `..`. The files of a mounted Secret all come from one of
 * its versions, also when it is swapped meanwhile. Throws what the file system throws.
 */
export function readSecretFolder(folder: string): SecretFiles {
  for (let reading = 1; ; reading += 1) {
    const version = versionOf(folder);
    const files = readFiles(folder);
    if (version === versionOf(folder) || reading === READINGS) return files;
  }
}

function versionOf(folder: string): string {
  try {
    return readlinkSync(join(folder, DATA_LINK));
  } catch {
    return '';
  }
}

function readFiles(folder: string): SecretFiles {
  const files = new Map<string, Buffer>();
  for (const name of readdirSync(folder)) {
    if (name.startsWith('..')) continue;
    const path = join(folder, name);
    // A link that leads nowhere is a file that a swap took away.
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) files.set(name, readFileSync(path));
  }
  return files;
}

/**
 * Makes a folder (mode 0700, made when missing) that is its owner's alone, and this process's own. Throws an Error that says why it
 * cannot be.
 */
export function ownFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!lstatSync(folder).isDirectory()) throw new Error('it is not a folder');
  chmodSync(folder, 0o700);
  const { mode, uid } = lstatSync(folder);
  if ((mode & 0o077) !== 0 || uid !== process.geteuid?.()) throw new Error('it does not belong to this process alone');
}

/**
 * Puts the files into an own folder as regular files of mode 0600, each replaced whole, and takes away what an earlier import put there and
 * is gone. Files that nobody imported stay. Returns the names that changed. No other code of this process runs in between, so nobody in it
 * sees half of a change. Throws what the file system throws.
 */
export function writeSecretFolder(folder: string, files: SecretFiles): string[] {
  const before = importedInto(folder);
  const gone = before.filter((name) => !files.has(name));
  const changed = [...files].filter(([name, bytes]) => !isAlready(join(folder, name), bytes));
  const names = [...files.keys()];
  if (names.some((name) => !before.includes(name))) writeWhole(folder, LIST, listOf([...before, ...names]));
  const ready = changed.map(([name, bytes]) => [writeAside(folder, name, bytes), join(folder, name)] as const);
  for (const [aside, path] of ready) renameSync(aside, path);
  for (const name of gone) rmSync(join(folder, name), { force: true });
  if (gone.length > 0) writeWhole(folder, LIST, listOf(names));
  return [...changed.map(([name]) => name), ...gone];
}

function importedInto(folder: string): string[] {
  const list = join(folder, LIST);
  if (!statSync(list, { throwIfNoEntry: false })) return [];
  return readFileSync(list, 'utf8')
    .split('\n')
    .filter((name) => name !== '' && !name.includes('/'));
}

function listOf(names: readonly string[]): Buffer {
  return Buffer.from([...new Set(names)].map((name) => `${name}\n`).join(''));
}

function isAlready(path: string, bytes: Buffer): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && (found.mode & 0o777) === 0o600 && readFileSync(path).equals(bytes);
}

function writeWhole(folder: string, name: string, bytes: Buffer): void {
  renameSync(writeAside(folder, name, bytes), join(folder, name));
}

/** Writes a file of mode 0600 beside its place and returns its path. */
function writeAside(folder: string, name: string, bytes: Buffer): string {
  const path = join(folder, `..new-${name}`);
  rmSync(path, { force: true });
  const handle = openSync(path, 'wx', 0o600);
  try {
    writeSync(handle, bytes);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return path;
}
