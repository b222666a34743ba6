import { join } from 'node:path';
import { type Secrets, SecretUnavailable } from '../connectors/sdk/secrets.js';
import { StartupRefused } from '../transport/process/startup.js';
import { readProtectedBytes } from '../transport/settings/protected-file.js';

const MAX_SECRET_BYTES = 16_384;
/** A plain file name that is not hidden. */
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,252}$/;

/** The secrets of the folder SECRETS_DIR, read at each use by the rules for secret files; none when there is no folder. */
export function openSecrets(folder: string | undefined): Secrets {
  const bytes = (file: string): Buffer => {
    if (!NAME.test(file)) throw new SecretUnavailable(JSON.stringify(file), 'must be a plain file name');
    if (folder === undefined) throw new SecretUnavailable(file, 'cannot be read: this host was given no SECRETS_DIR');
    try {
      return readProtectedBytes(join(folder, file), 'secret', MAX_SECRET_BYTES);
    } catch (error) {
      if (error instanceof StartupRefused) throw new SecretUnavailable(file, `is refused: ${error.message}`, error);
      throw error;
    }
  };
  return {
    bytes,
    text: (file) => {
      const text = bytes(file).toString('utf8').trim();
      if (text === '') throw new SecretUnavailable(file, 'holds nothing but white space');
      return text;
    },
  };
}
