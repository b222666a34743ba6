import { readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '../../time/wait.js';
import { workingFolderOf } from '../platform.js';

/** How often a server that must end is checked, in milliseconds. */
const CHECK_MS = 20;

/** What a running server keeps in its data folder; the first line is its process number. */
export const pidFile = (dataDir: string): string => join(dataDir, 'postmaster.pid');

/**
 * Ends a server that still runs on the folder, in order, then at once; false when it is there even so after `boundMs` for each. The pid file of
 * one that is gone stays: by its other lines PostgreSQL sees whether processes of the old server still use the folder, and waits with the
 * new one until they do not. Only a number that another process has by now is replaced, by ours, which PostgreSQL takes for no server.
 */
export async function endOldServer(dataDir: string, boundMs: number): Promise<boolean> {
  const file = pidFile(dataDir);
  const text = await readFile(file, 'utf8').catch(() => '');
  const [first = '', ...rest] = text.split('\n');
  const pid = Number(first);
  if (!(Number.isInteger(pid) && pid > 0) || !isAlive(pid)) return true;
  if (!(await worksIn(pid, dataDir))) {
    await writeFile(file, [process.pid, ...rest].join('\n'));
    return true;
  }
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    send(pid, signal);
    if (await waitUntil(() => !isAlive(pid), { everyMs: CHECK_MS, longestMs: boundMs })) return true;
  }
  return false;
}

/** Whether the process has the folder as its working directory, as a server has its data folder. */
async function worksIn(pid: number, folder: string): Promise<boolean> {
  return (await workingFolderOf(pid)) === (await realpath(folder));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has just ended
  }
}
