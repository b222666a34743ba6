import { processFacts } from '@aip/runtime/internal/process';

/** A process that can be distinguished from a later one with the same number. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, as the operating system writes it. */
  start: string;
}

/** The identity of a running process; undefined when it has ended. */
export async function identityOf(pid: number): Promise<ProcessIdentity | undefined> {
  const facts = await processFacts(pid);
  return facts && !facts.ended ? { pid, start: facts.start } : undefined;
}

/** Does exactly this process still run? */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const now = await identityOf(identity.pid);
  return now !== undefined && now.start === identity.start;
}
