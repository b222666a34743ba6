import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until `state` gives something truthy and returns it. Asks every 20 ms; a throw counts as "not yet".
 * Fails with the last reason after `timeoutMs`.
 */
export async function until<T>(
  what: string,
  state: () => T | Promise<T>,
  timeoutMs = 180_000,
): Promise<Exclude<T, false | 0 | '' | null | undefined>> {
  const deadline = Date.now() + timeoutMs;
  let reason: unknown = 'it stayed false';
  while (Date.now() < deadline) {
    try {
      const value = await state();
      if (value) return value as Exclude<T, false | 0 | '' | null | undefined>;
    } catch (error) {
      reason = error;
    }
    await pause(20);
  }
  throw new Error(`waited ${timeoutMs} ms until ${what}: ${reason instanceof Error ? reason.message : String(reason)}`);
}
