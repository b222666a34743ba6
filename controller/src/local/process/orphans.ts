import { waitUntil } from '@aip/runtime/internal/time';
import { readJson, writePrivate } from '../../fleet/files.js';
import { isAlive, type ProcessIdentity } from '../../fleet/process-identity.js';

/** How often processes that must end are checked, in ms. */
const CHECK_MS = 25;

/** Names and identities of the processes of a run, kept on disk so that the next run can end what a crash left. */
export interface ProcessRecord {
  set(name: string, identity: ProcessIdentity | undefined): void;
  /** Waits until what was set is on disk. */
  flush(): Promise<void>;
}

/** Opens an empty record; writes follow each other and the last state wins. */
export function openProcessRecord(file: string): ProcessRecord {
  const running = new Map<string, ProcessIdentity>();
  let writing = Promise.resolve();
  let queued = false;
  const write = (): void => {
    if (queued) return;
    queued = true;
    writing = writing
      .then(() => {
        queued = false;
        return writePrivate(file, JSON.stringify(Object.fromEntries(running)));
      })
      .catch(() => undefined);
  };
  return {
    set: (name, identity) => {
      if (identity) running.set(name, identity);
      else running.delete(name);
      write();
    },
    flush: async () => {
      while (queued) await writing;
      await writing;
    },
  };
}

/** Ends processes that a crashed run recorded: only those whose number and start time both agree. Gives how many there were. */
export async function endOrphans(file: string, graceMs = 2000): Promise<number> {
  const recorded = (await readJson<Record<string, ProcessIdentity>>(file)) ?? {};
  const alive: ProcessIdentity[] = [];
  for (const [name, identity] of Object.entries(recorded)) {
    if (!(await isAlive(identity))) continue;
    alive.push(identity);
    // SIGTERM would make PostgreSQL wait for its clients.
    signal(identity.pid, name === 'postgres' ? 'SIGINT' : 'SIGTERM');
  }
  const left = await leftAfter(graceMs, alive);
  for (const { pid } of left) signal(pid, 'SIGKILL');
  // Their ports are free only once they have ended.
  await leftAfter(graceMs, left);
  return alive.length;
}

/** Those that still live after `graceMs`; returns as soon as none does. */
async function leftAfter(graceMs: number, identities: ProcessIdentity[]): Promise<ProcessIdentity[]> {
  let left = identities;
  const ended = async (): Promise<boolean> => {
    left = await stillAlive(left);
    return left.length === 0;
  };
  await waitUntil(ended, { everyMs: CHECK_MS, longestMs: graceMs });
  return left;
}

async function stillAlive(identities: ProcessIdentity[]): Promise<ProcessIdentity[]> {
  const states = await Promise.all(identities.map(isAlive));
  return identities.filter((_, index) => states[index]);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it has just ended
  }
}
