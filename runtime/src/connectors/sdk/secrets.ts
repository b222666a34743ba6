import { ConnectorFailure } from './failure.js';

/**
 * The secrets that the instance was given, each a file by its name (`spec.secrets[].file`), read at each call: a rotated
 * secret is in force with the next one.
 */
export interface SecretReader {
  /** The text of a secret, white space at both ends trimmed; 1 to 16384 bytes. Throws SecretUnavailable. */
  (file: string): string;
  /** The exact bytes of a secret, as a signature needs them; 1 to 16384. Throws SecretUnavailable. */
  bytes(file: string): Buffer;
}

/** A secret is missing or refused; the message names the file and says what is wrong with it, never what it holds. */
export class SecretUnavailable extends ConnectorFailure {
  constructor(file: string, why: string, cause?: unknown) {
    super({
      code: 'connector.secret_unavailable',
      message: `the secret ${file} ${why}`,
      category: 'temporary',
      retryable: true,
      cause,
    });
  }
}
