import { setTimeout as pause } from 'node:timers/promises';
import { logTail, ProgramFailed, type Running } from './program.ts';

const READY_MS = 60_000;
const POLL_MS = 25;

/**
 * Waits until a program is ready: asks every 25 ms; a throw counts as "not yet".
 * Throws ProgramFailed when it ends before, or is not ready within a minute.
 */
export async function waitReady(running: Running, ready: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while (Date.now() < deadline) {
    if (running.over()) {
      throw new ProgramFailed(running.name, `ended with ${await running.ended}`, await logTail(running.logFile));
    }
    if (await ready().catch(() => false)) return;
    await pause(POLL_MS);
  }
  throw new ProgramFailed(running.name, `was not ready within ${READY_MS / 1000} s`, await logTail(running.logFile));
}
