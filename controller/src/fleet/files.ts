import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { NamedError } from '@aip/runtime/internal/protocol';

/** The file could not be written; the message names it and says why. */
export class FileNotWritten extends NamedError {
  constructor(path: string, cause: NodeJS.ErrnoException) {
    const why = NO_SPACE.has(cause.code ?? '') ? `no space is left for it (${cause.code}); free some` : cause.message;
    super(`${path} was not written: ${why}`, { cause });
  }
}

/** The disk, the quota or the limit of a file's size is used up. */
const NO_SPACE: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Writes a file readable by its owner only (mode 0600) so that a reader sees the old or the new content, never a part. Throws FileNotWritten. */
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
    throw new FileNotWritten(path, error as NodeJS.ErrnoException);
  }
}

/** Makes a folder that only its owner may enter (mode 0700). */
export async function privateDir(path: string): Promise<void> {
  if ((await mkdir(path, { recursive: true, mode: 0o700 })) !== undefined) await chmod(path, 0o700);
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
