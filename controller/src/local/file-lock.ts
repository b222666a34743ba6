import { randomBytes } from 'node:crypto';
import { link, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { privateDir, readJson } from './files.js';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity.js';

const ATTEMPTS = 5;

/** A lock that this process took, or the process that has it. */
export type LockTaken = { release(): Promise<void> } | { heldBy: number };

/** Takes a lock file for this process unless a living one has it; one left by a process that has ended is taken over. Holds on one machine. */
export async function takeLock(file: string): Promise<LockTaken> {
  await privateDir(dirname(file));
  // The file appears with its content: nobody ever reads a lock without a holder.
  const own = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(own, JSON.stringify(await identityOf(process.pid)), { mode: 0o600, flag: 'wx' });
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await link(own, file);
        return { release: () => rm(file, { force: true }) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt >= ATTEMPTS) throw error;
        const holder = await readJson<ProcessIdentity>(file);
        if (holder && (await isAlive(holder))) return { heldBy: holder.pid };
        await setAside(file, `${own}.left`);
      }
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** Removes a lock that was left. Of several who try, one moves it; what it moved is looked at again, since it may be a new lock by now. */
async function setAside(file: string, aside: string): Promise<void> {
  try {
    await rename(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const holder = await readJson<ProcessIdentity>(aside);
  if (holder && (await isAlive(holder))) await link(aside, file).catch(() => undefined);
  await rm(aside, { force: true });
}
