import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into a process by NODE_OPTIONS: on SIGUSR2 it collects garbage and writes the bytes of its buffers to PROBE_FOLDER/<pid>, which
 * process-probe.ts reads.
 */
const folder = process.env.PROBE_FOLDER;
if (isMainThread && folder !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    collect();
    writeFileSync(`${folder}/${process.pid}`, `${process.memoryUsage().arrayBuffers}\n`);
  });
}
