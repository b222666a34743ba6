import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.ts';

/** Reports of processes that were started with the variables `env`. */
export interface ProcessProbe {
  readonly env: Readonly<Record<string, string>>;
  /** Bytes of the buffers that a process still uses, after garbage collection. */
  bufferBytes(pid: number): Promise<number>;
  close(): Promise<void>;
}

/** Makes a probe. */
export async function openProbe(): Promise<ProcessProbe> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-probe-'));
  const module = new URL('process-probe.mjs', import.meta.url).href;
  return {
    env: { NODE_OPTIONS: `--import=${module}`, PROBE_FOLDER: folder },
    bufferBytes: async (pid) => {
      const file = join(folder, String(pid));
      await rm(file, { force: true });
      process.kill(pid, 'SIGUSR2');
      const text = await until(`process ${pid} reports`, async () => {
        const written = await readFile(file, 'utf8');
        return written.endsWith('\n') && written;
      });
      return Number(text);
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
