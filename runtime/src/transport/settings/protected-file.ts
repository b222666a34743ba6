import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { StartupRefused } from '../process/startup.js';

/**
 * `secret`: no group or world bit at all, and no link. `public`: no group or world write bit; links are followed, since a ConfigMap is
 * mounted as links, and the rules hold for the file that they lead to.
 */
export type FileProtection = 'secret' | 'public';

const FORBIDDEN_BITS: Record<FileProtection, number> = { secret: 0o077, public: 0o022 };

/**
 * The text of a file that configuration names, trimmed and not empty then; otherwise as `readProtectedBytes`.
 */
export function readProtectedFile(path: string, protection: FileProtection, maxBytes: number): string {
  const text = readProtectedBytes(path, protection, maxBytes).toString('utf8').trim();
  if (text === '') throw refused(path, 'holds nothing but white space');
  return text;
}

/**
 * The bytes of a regular file, not swapped while it is opened, with the mode bits of its protection, 1 to `maxBytes` of them. Throws
 * StartupRefused with code `aip.config.file` otherwise.
 */
export function readProtectedBytes(path: string, protection: FileProtection, maxBytes: number): Buffer {
  const refuse = (why: string, cause?: unknown): StartupRefused => refused(path, why, cause);
  let handle: number | undefined;
  try {
    const target = protection === 'public' ? realpathSync(path) : path;
    const named = lstatSync(target, { bigint: true });
    if (!named.isFile()) throw refuse('must be a regular file, not a link, folder or device');
    handle = openSync(target, constants.O_RDONLY | constants.O_NOFOLLOW);
    const opened = fstatSync(handle, { bigint: true });
    if (opened.ino !== named.ino || opened.dev !== named.dev) throw refuse('was replaced while it was opened');
    if ((Number(opened.mode) & FORBIDDEN_BITS[protection]) !== 0) {
      throw refuse(
        protection === 'secret' ? 'must be readable by its owner alone (mode 0600)' : 'must not be writable by others',
      );
    }
    if (opened.size < 1n || opened.size > BigInt(maxBytes)) throw refuse(`must hold 1 to ${maxBytes} bytes`);
    return readFileSync(handle);
  } catch (error) {
    if (error instanceof StartupRefused) throw error;
    throw refuse('cannot be read', error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function refused(path: string, why: string, cause?: unknown): StartupRefused {
  return new StartupRefused('aip.config.file', `the file ${path} ${why}`, cause === undefined ? undefined : { cause });
}
