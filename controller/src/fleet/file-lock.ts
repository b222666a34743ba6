import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { NamedError } from '@aip/runtime/internal/protocol';
import { pollUntil } from '@aip/runtime/internal/time';
import { privateDir } from './files.js';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity.js';

/** A lock that this process took, or the process that has it. */
export type LockTaken = { release(): Promise<void> } | { heldBy: number };

/** Takes a lock file for this process unless a living one has it; one left by a process that has ended is taken over. Holds on one machine. */
export async function takeLock(file: string): Promise<LockTaken> {
  await privateDir(dirname(file));
  // The file appears with its content: nobody ever reads a lock without a holder.
  const own = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(own, JSON.stringify(await identityOf(process.pid)), { mode: 0o600, flag: 'wx' });
  try {
    for (;;) {
      try {
        await link(own, file);
        return releasing(file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const lock = await readLock(file);
      if (lock?.holder) return { heldBy: lock.holder.pid };
      const taken = lock && (await takeOver(file, own));
      if (taken) return taken;
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** Another process has had a lock for longer than a change takes. */
export class LockHeld extends NamedError {
  readonly pid: number;
  constructor(file: string, pid: number) {
    super(`Process ${pid} holds ${file}. Try again; end that process if it hangs.`);
    this.pid = pid;
  }
}

/** How long a change waits for another one, and how often it tries, in ms. */
const WAIT_MS = 10_000;
const TRY_MS = 20;

/** Takes a lock file, waiting for whoever has it; gives a function that releases it. Throws LockHeld after `waitMs`. */
export async function waitForLock(file: string, waitMs = WAIT_MS): Promise<() => Promise<void>> {
  let heldBy = 0;
  const attempt = async (): Promise<(() => Promise<void>) | undefined> => {
    const taken = await takeLock(file);
    if ('release' in taken) return taken.release;
    heldBy = taken.heldBy;
    return undefined;
  };
  const release = await pollUntil(attempt, { everyMs: () => TRY_MS, longestMs: waitMs });
  if (!release) throw new LockHeld(file, heldBy);
  return release;
}

/**
 * Puts the file `own` in the place of a lock that was left, under a lock of its own: only who has that one changes a lock whose holder has ended,
 * so what is checked here stays as it is. Undefined when another process did it in the meantime.
 */
async function takeOver(file: string, own: string): Promise<LockTaken | undefined> {
  const right = await takeLock(`${file}.left`);
  if ('heldBy' in right) return right;
  try {
    const lock = await readLock(file);
    if (!lock || lock.holder) return undefined;
    await rename(own, file);
    return releasing(file);
  } finally {
    await right.release();
  }
}

/** The lock and, while it lives, its holder; undefined when there is no lock. A lock without a holder is stale. */
async function readLock(file: string): Promise<{ holder?: ProcessIdentity } | undefined> {
  try {
    const holder = JSON.parse(await readFile(file, 'utf8')) as ProcessIdentity;
    return (await isAlive(holder)) ? { holder } : {};
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function releasing(file: string): LockTaken {
  return { release: () => rm(file, { force: true }) };
}
