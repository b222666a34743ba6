import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileProblem, NamedError } from '@aip/runtime/internal/protocol';

/** The disk, the quota or the limit of a file's size is used up. */
const NO_SPACE: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Writes a file readable by its owner only (mode 0600) so that a reader sees the old or the new content, never a part. Fails with what to do when the disk is full. */
export async function writePrivate(path: string, content: string | Uint8Array): Promise<void> {
  await privateDir(dirname(path));
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw fileNotWritten(path, error as NodeJS.ErrnoException);
  }
}

/** Makes a folder that only its owner may enter (mode 0700). */
export async function privateDir(path: string): Promise<void> {
  if ((await mkdir(path, { recursive: true, mode: 0o700 })) !== undefined) await chmod(path, 0o700);
}

/** The file could not be written; the message names it and says why. */
function fileNotWritten(path: string, cause: NodeJS.ErrnoException): NamedError {
  const why = NO_SPACE.has(cause.code ?? '') ? `${fileProblem(cause)}; free some` : fileProblem(cause);
  return new NamedError(`${path} was not written: ${why}`, { name: 'FileNotWritten', cause });
}

/** The parsed JSON of a file; undefined when the file is not there or does not parse. */
export async function readJson<T>(path: string): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
