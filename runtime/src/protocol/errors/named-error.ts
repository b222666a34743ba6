/** Base of the errors that are no answers to callers: named by their class, in logs and where somebody decides by the name. */
export class NamedError extends Error {
  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
