import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { identify, isAlive } from './processes.ts';
import { type Running, startProgram } from './program.ts';
import { readRecord, writeRecord } from './record.ts';

/**
 * Kills a program of the machine's cluster, `kube-apiserver` for example, with SIGKILL. The function that it returns starts it again exactly as it
 * was; it need not be ready then (`waitReady`). Throws when no such program runs.
 */
export async function killProgram(name: string): Promise<() => Promise<Running>> {
  const record = await readRecord();
  const program = record?.programs.find((one) => one.name === name);
  if (!record || !program) throw new Error(`no cluster with a ${name} runs on this machine`);
  const words = async (file: string): Promise<string[]> =>
    (await readFile(`/proc/${program.pid}/${file}`, 'utf8')).split('\0').filter(Boolean);
  const [command, ...args] = (await words('cmdline')) as [string, ...string[]];
  const env = Object.fromEntries((await words('environ')).map((pair) => pair.split(/=(.*)/s) as [string, string]));
  process.kill(program.pid, 'SIGKILL');
  while (await isAlive(program)) await pause(20);
  return async () => {
    const logFolder = join(record.folder, 'log');
    const running = await startProgram({ name, command, args, env, logFolder, outlives: true });
    const identity = await identify(running.pid);
    const now = (await readRecord()) ?? record;
    const programs = now.programs.map((one) => (one.name === name && identity ? { name, ...identity } : one));
    await writeRecord({ ...now, programs });
    return running;
  };
}
