import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isFree } from '../process/ports.ts';
import { answersOk } from '../process/probe.ts';
import { type Running, startProgram } from '../process/program.ts';
import { waitReady } from '../process/ready.ts';
import { ClusterUnavailable } from '../unavailable.ts';

const PORT = 5000;

/** The machine's own image registry, as image names begin with it; containerd speaks plain HTTP to this host alone. */
export const REGISTRY = `localhost:${PORT}`;

/** Starts the image registry; what was pushed stays in the cache folder for the next time. Throws ClusterUnavailable when its port is taken. */
export async function startRegistry(cache: string, logFolder: string, outlives: boolean): Promise<Running> {
  if (!(await isFree(PORT))) throw new ClusterUnavailable(`port ${PORT}, for the image registry, is in use`);
  const folder = join(cache, 'registry');
  const config = join(folder, 'config.yml');
  await mkdir(folder, { recursive: true });
  await writeFile(config, registryConfig(folder));
  const running = await startProgram({
    name: 'registry',
    command: 'docker-registry',
    args: ['serve', config],
    logFolder,
    outlives,
  });
  await waitReady(running, () => answersOk(`http://127.0.0.1:${PORT}/v2/`));
  return running;
}

function registryConfig(folder: string): string {
  return JSON.stringify({
    version: '0.1',
    log: { level: 'warn', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(folder, 'data') } },
    http: { addr: `127.0.0.1:${PORT}` },
  });
}
