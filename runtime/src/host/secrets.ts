import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type SecretReader, SecretUnavailable } from '../connectors/sdk/secrets.js';
import { StartupRefused } from '../transport/process/startup.js';
import { readProtectedBytes } from '../transport/settings/protected-file.js';

const MAX_SECRET_BYTES = 16_384;
/** A plain file name that is not hidden. */
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,252}$/;

/** Where the secrets of an instance are: a folder with a file each, and files that are named one by one. */
export interface SecretPlaces {
  folder?: string | undefined;
  /** Path by secret name; comes before the folder. */
  files?: Readonly<Record<string, string>>;
}

/** The secrets of an instance, read at each use by the rules for secret files. */
export function openSecrets({ folder, files = {} }: SecretPlaces): SecretReader {
  const pathOf = (file: string): string => {
    if (!NAME.test(file)) throw new SecretUnavailable(JSON.stringify(file), 'must be a plain file name');
    const named = Object.hasOwn(files, file) ? files[file] : undefined;
    if (named !== undefined) return named;
    if (folder === undefined) throw new SecretUnavailable(file, 'cannot be read: this host was given no SECRETS_DIR');
    return join(folder, file);
  };
  const bytes = (file: string): Buffer => {
    const path = pathOf(file);
    try {
      return readProtectedBytes(path, 'secret', MAX_SECRET_BYTES);
    } catch (error) {
      if (error instanceof StartupRefused) throw new SecretUnavailable(file, `is refused: ${error.message}`, error);
      throw error;
    }
  };
  const text = (file: string): string => {
    const trimmed = bytes(file).toString('utf8').trim();
    if (trimmed === '') throw new SecretUnavailable(file, 'holds nothing but white space');
    return trimmed;
  };
  return Object.assign(text, { bytes });
}

/** Names of the secrets that the instance was given, sorted; those of the folder as they are now. Throws when it cannot be read. */
export function secretNames({ folder, files = {} }: SecretPlaces): string[] {
  const found = folder === undefined ? [] : readdirSync(folder).filter((name) => NAME.test(name));
  return [...new Set([...found, ...Object.keys(files)])].sort();
}
