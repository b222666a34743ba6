import { readFile } from 'node:fs/promises';

/** A process that can be told from a later one with the same number. */
export interface ProcessIdentity {
  pid: number;
  /** Start time in clock ticks since boot, as /proc says; empty where there is no /proc. */
  start: string;
}

/** The identity of a running process; undefined when it has ended. */
export async function identityOf(pid: number): Promise<ProcessIdentity | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) {
    if (process.platform === 'linux' || !exists(pid)) return undefined;
    return { pid, start: '' };
  }
  // After the name: state (field 3), number of threads (20), start time (22). A killed process whose first thread is gone (Z) still has its
  // ports and files until its last one is.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'X' || (fields[0] === 'Z' && Number(fields[17]) <= 1)) return undefined;
  return { pid, start: fields[19] ?? '' };
}

/** Does exactly this process still run? */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const now = await identityOf(identity.pid);
  return now !== undefined && now.start === identity.start;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
