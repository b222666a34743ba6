/** What a decoded object was before the decode changed it. */
const originals = new WeakMap<object, object>();

/** Notes that `decoded` stands for `original` as it was received. */
export function rememberReceived(decoded: object, original: object): void {
  originals.set(decoded, original);
}

/**
 * The value as it was received: signatures are checked over it, not over what the decode made of it (dropped nulls,
 * filled defaults, numbers read from their tokens). The value itself when the decode changed nothing.
 */
export function receivedOf(value: object): object {
  return originals.get(value) ?? value;
}
