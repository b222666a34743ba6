import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from '../../../../tools/kube-cluster/process/processes.ts';
import { logTail } from '../../../../tools/kube-cluster/process/program.ts';
import { readRecord } from '../../../../tools/kube-cluster/process/record.ts';
import { RELEASE, type Release, ROOT } from './release.ts';

const LINES = '--tail=2000';

/** Keeps resources, events and logs of a failed test under test-results/e2e/. */
export async function keepEvidence({ cluster, kubectl, json }: Release, test: string): Promise<void> {
  const folder = join(ROOT, 'test-results', 'e2e', test.replaceAll(/[^\w]+/g, '-').slice(0, 60));
  await mkdir(folder, { recursive: true });
  if (cluster.isLocal) await keepPrograms(folder);
  const keep = async (file: string, ...args: string[]): Promise<void> => {
    await writeFile(join(folder, file), await kubectl(...args).catch(String));
  };
  await keep('resources.yaml', 'get', 'cinst,crep,pods', '-A', '-o', 'yaml');
  await keep('events.txt', 'get', 'events', '-A', '--sort-by=.lastTimestamp');
  const { items } = await json<{ items: { metadata: { name: string; namespace: string } }[] }>(
    ...['get', 'pods', '-A', '-l', 'app.kubernetes.io/component in (controller, gateway, host)'],
  );
  for (const { metadata } of items) {
    const pod = [metadata.name, '-n', metadata.namespace, LINES];
    await keep(`${metadata.name}.log`, 'logs', ...pod);
    await keep(`${metadata.name}.before.log`, 'logs', '--previous', ...pod);
  }
  process.stderr.write(`logs and resources: ${folder}\n`);
  await keep('component.txt', 'get', 'all', '-n', RELEASE.namespace, '-o', 'wide');
}

/** Keeps the logs of the programs that are the cluster, and names those that have ended. */
async function keepPrograms(folder: string): Promise<void> {
  const record = await readRecord();
  if (!record) return;
  for (const { name, ...identity } of record.programs) {
    const log = join(record.folder, 'log', `${name}.log`);
    await copyFile(log, join(folder, `${name}.log`));
    if (!(await isAlive(identity)))
      process.stderr.write(`${name} has ended; the end of its log:\n${await logTail(log)}\n`);
  }
}
