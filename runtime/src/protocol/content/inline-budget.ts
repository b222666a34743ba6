/** Signatures of one turn of the event loop that run on it: about 2 ms. A hop to a thread and back costs more than a signature by libsodium. */
const PER_TURN = 48;
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
