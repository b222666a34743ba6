/** Signatures of one turn of the event loop that run on it: about 1 ms. Each hop to a thread and back costs a fifth of a signature in switches. */
const PER_TURN = 16;
/** Above this size hashing alone takes longer than a hop. */
const MAX_BYTES = 65_536;

let used = 0;

/**
 * Whether a signature over so many bytes may run on the event loop now. While a process is quiet they all do; one with many requests at a time
 * leaves the rest to the thread pool, so that the loop stays free and other cores help.
 */
export function mayRunInline(byteLength: number): boolean {
  if (byteLength > MAX_BYTES || used >= PER_TURN) return false;
  if (used === 0) setImmediate(() => (used = 0));
  used += 1;
  return true;
}
