import { waited } from '../../time/wait.js';

/** Waits and rejects with the signal's reason as soon as it fires. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await waited(ms, signal);
  signal.throwIfAborted();
}
