import { setTimeout as pause } from 'node:timers/promises';

/** Waits and rejects with the signal's reason as soon as it fires. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await pause(ms, undefined, { signal });
  signal.throwIfAborted();
}
