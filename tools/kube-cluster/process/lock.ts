import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ClusterUnavailable } from '../unavailable.ts';

/**
 * Waits until no other process holds the lock `file`, takes it, and returns what lets it go. The kernel lets it go when the holder dies, however
 * it dies: the lock lies in a `flock` that ends with our end of its pipe.
 */
export async function takeLock(file: string): Promise<() => Promise<void>> {
  await mkdir(dirname(file), { recursive: true });
  const holder = spawn('flock', [file, 'sh', '-c', 'echo held; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // A signal from the terminal is for us to heed; the lock is held until we are done.
    detached: true,
  });
  const gone = new Promise<void>((done) => holder.once('close', () => done()));
  await new Promise<void>((held, fail) => {
    holder.once('error', () => fail(new ClusterUnavailable('flock (of util-linux) is not installed')));
    holder.once('exit', (code) => fail(new Error(`flock ${file} ended with ${code}`)));
    holder.stdout.once('data', () => held());
  });
  return async () => {
    holder.stdin.end();
    await gone;
  };
}

/** Does `work` while no other process holds the lock `file`. */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const release = await takeLock(file);
  try {
    return await work();
  } finally {
    await release();
  }
}
