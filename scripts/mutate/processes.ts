import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const PASSES = 3;

/** Numbers of the processes, without this one, that work in the folder or name a path in it. Linux alone answers; elsewhere none is found. */
export function processesIn(folder: string): number[] {
  return readProcesses().filter((pid) => pid !== process.pid && pathsOf(pid).some((path) => isIn(folder, path)));
}

/** Kills every process of the folder but this one; asked again, since a process may start another while it is killed. */
export function killProcessesIn(folder: string): void {
  for (let pass = 0; pass < PASSES; pass += 1) for (const pid of processesIn(folder)) kill(pid);
}

function readProcesses(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Its working directory and its command line; none when it has ended. */
function pathsOf(pid: number): string[] {
  try {
    return [readlinkSync(`/proc/${pid}/cwd`), ...readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')];
  } catch {
    return [];
  }
}

function isIn(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
