import { NamedError } from '../../protocol/errors/named-error.js';
import { AipError } from '../../protocol/errors.js';

/** A start that must not continue: configuration, a file or a port is not as it has to be. `code` is stable, the message says what to change. */
export class StartupRefused extends NamedError {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The one line a failed start leaves behind: `{"code":…,"message":…}`. `code` names errors that are no StartupRefused. */
export function startFailureLine(error: unknown, code = 'aip.start.failed'): string {
  const message = error instanceof AipError ? withCause(error) : error instanceof Error ? error.message : String(error);
  return JSON.stringify({ code: error instanceof StartupRefused ? error.code : code, message });
}

/** The message of an error with that of its cause, as when the database gives no connection; both without secrets. */
function withCause({ message, cause }: AipError): string {
  const why = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : undefined;
  return why ? `${message}: ${why}` : message;
}

/** Prints the failure as one JSON line on standard error and ends the process with exit code 1 (docs/protocol/errors.md). */
export function failStart(error: unknown, code?: string): never {
  process.stderr.write(`${startFailureLine(error, code)}\n`);
  process.exit(1);
}
