import { setTimeout as pause } from 'node:timers/promises';

/** Thrown by a `state` that can no longer come true: the wait ends at once. */
export class NeverComes extends Error {}

/**
 * Waits until `state` gives something truthy and returns it. Asks every 20 ms; a throw other than NeverComes counts as "not yet".
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
      if (error instanceof NeverComes) break;
    }
    await pause(20);
  }
  const waited = reason instanceof NeverComes ? 'stopped waiting' : `waited ${timeoutMs} ms`;
  throw new Error(`${waited} until ${what}: ${reason instanceof Error ? reason.message : String(reason)}`);
}
