import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** A process that is reported from a later one of the same id by the time it started (clock ticks since boot). */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

/** The identity of a live process, or undefined; one that has ended but was not collected yet is not live. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  try {
    return identityOf(pid, await readFile(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * What `/proc/<pid>/stat` reports a process. When it is killed its first thread may be gone (state Z) while others still hold its ports and
 * files: it is over with the last of them.
 */
export function identityOf(pid: number, stat: string): ProcessIdentity | undefined {
  // The name, in parentheses, may hold anything; after it come state (field 3), number of threads (20) and start time (22).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' && Number(fields[17]) <= 1 ? undefined : { pid, started: fields[19] as string };
}

/** Is the very process still there? */
export async function isAlive({ pid, started }: ProcessIdentity): Promise<boolean> {
  return (await identify(pid))?.started === started;
}

/** SIGTERM, and SIGKILL after `graceMs`; returns when the process is gone. Never touches another process that got its id. */
export async function endProcess(identity: ProcessIdentity, graceMs: number): Promise<void> {
  const deadline = Date.now() + graceMs;
  let killed = false;
  if (await isAlive(identity)) send(identity.pid, 'SIGTERM');
  while (await isAlive(identity)) {
    if (!killed && Date.now() >= deadline) {
      send(identity.pid, 'SIGKILL');
      killed = true;
    }
    await pause(20);
  }
}

/** Live processes whose arguments hold `word` as one of them, with all their descendants. */
export async function processesWith(word: string): Promise<ProcessIdentity[]> {
  const all = await Promise.all(
    (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map((name) => describe(Number(name))),
  );
  const live = all.filter((process) => process !== undefined);
  const chosen = new Set(live.filter((process) => process.args.includes(word)).map((process) => process.pid));
  for (let before = -1; before !== chosen.size; ) {
    before = chosen.size;
    for (const process of live) if (chosen.has(process.parent)) chosen.add(process.pid);
  }
  const identities = await Promise.all([...chosen].map(identify));
  return identities.filter((identity) => identity !== undefined);
}

async function describe(pid: number): Promise<{ pid: number; parent: number; args: string[] } | undefined> {
  try {
    const [args, stat] = await Promise.all([
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return { pid, parent, args: args.split('\0') };
  } catch {
    return undefined;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone between the look and the signal.
  }
}
