/** What a NamedError takes besides its message: its cause, and its name where it has no class of its own. */
export interface NamedErrorOptions extends ErrorOptions {
  readonly name?: string;
}

/** Base of the errors that are no answers to callers. Logs show the name: that of the class, or the given one of an error that nobody catches by class. */
export class NamedError extends Error {
  constructor(message?: string, { name, cause }: NamedErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = name ?? new.target.name;
  }
}
