import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ClusterUnavailable } from './unavailable.ts';

/**
 * Does `work` while no other process holds the lock `file`; waits for as long as another holds it. The kernel lets the lock go when the holder
 * dies, however it dies: it lies in a `flock` that ends with our end of its pipe.
 */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  const holder = spawn('flock', [file, 'sh', '-c', 'echo held; exec cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  await new Promise<void>((held, fail) => {
    holder.once('error', () => fail(new ClusterUnavailable('flock (of util-linux) is not installed')));
    holder.once('exit', (code) => fail(new Error(`flock ${file} ended with ${code}`)));
    holder.stdout.once('data', () => held());
  });
  try {
    return await work();
  } finally {
    const gone = new Promise((done) => holder.once('close', done));
    holder.stdin.end();
    await gone;
  }
}
