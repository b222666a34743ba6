import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeImage, postgresImage } from '../../../../tools/kube-cluster/images/base-images.ts';
import { imageBuilder } from '../../../../tools/kube-cluster/images/image-builder.ts';
import { run } from '../../../../tools/kube-cluster/process/command.ts';
import { killProgram } from '../../../../tools/kube-cluster/process/kill-program.ts';
import { waitReady } from '../../../../tools/kube-cluster/process/ready.ts';
import { RUN_FOLDER, readRecord } from '../../../../tools/kube-cluster/process/record.ts';
import { ensurePackages, IMAGE_PACKAGES } from '../../../../tools/kube-cluster/programs/debian.ts';
import { cacheFolder } from '../../../../tools/kube-cluster/programs/folders.ts';
import { mountPoints } from '../../../../tools/kube-cluster/teardown.ts';
import { until } from '../../../support/until.ts';
import { describeCluster, startClusterOrSkip } from '../support/cluster.ts';
import { deployment, job, restrictedNamespace, service, statefulSet } from './workloads.ts';

const FIRST_TIME_MS = 600_000;
const repoRoot = resolve(import.meta.dirname, '..', '..', '..', '..');
const cache = cacheFolder();
const cluster = await startClusterOrSkip();

afterAll(() => cluster?.stop(), FIRST_TIME_MS);

describeCluster(cluster)('a Kubernetes cluster of one node', () => {
  if (!cluster) return;
  let node = '';
  let postgres = '';

  beforeAll(async () => {
    await ensurePackages(IMAGE_PACKAGES, console.error);
    const builder = imageBuilder(cache);
    const options = { cache, repoRoot, builder };
    node = await builder.push(await nodeImage(options), 'aip/node');
    postgres = await builder.push(await postgresImage(options), 'aip/postgres');
    await apply(restrictedNamespace('sea'));
  }, FIRST_TIME_MS);

  const kubectl = (...args: string[]): Promise<string> => cluster.kubectl(['--namespace', 'sea', ...args]);
  const apply = (...items: object[]): Promise<string> =>
    cluster.kubectl(
      ['apply', '--server-side', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: items.flat() }),
    );
  const rolledOut = (what: string): Promise<string> => kubectl('rollout', 'status', what, '--timeout=60s');

  test('a Pod reaches the Pods of a Service by its name, and outside names do not exist', async () => {
    const serve = "http.createServer((_, answer) => answer.end('ahoy')).listen(8080)";
    const ask =
      "fetch('http://harbour.sea.svc.cluster.local:8080').then((r) => r.text()).then(console.log)" +
      ".then(() => dns.promises.lookup('outside.example.')).catch((e) => console.log(e.code))";
    await apply(deployment('harbour', node, ['node', '-e', serve]), service('harbour', 8080));
    await rolledOut('deployment/harbour');
    await apply(job('visitor', node, ['node', '-e', ask]));
    await kubectl('wait', '--for=condition=Complete', '--timeout=60s', 'job/visitor');
    expect((await kubectl('logs', 'job/visitor')).split('\n')).toEqual(['ahoy', 'ENOTFOUND', '']);
  });

  test('a volume of the default class is writable by the Pod group and outlives its Pod', async () => {
    const count = "fs.appendFileSync('/data/starts', 'x'); setInterval(() => {}, 1000)";
    await apply(statefulSet('log', node, { command: ['node', '-e', count] }));
    await rolledOut('statefulset/log');
    const starts = (): Promise<string> => kubectl('exec', 'log-0', '--', 'cat', '/data/starts');
    expect(await until('the first start', starts)).toBe('x');
    await kubectl('delete', 'pod', 'log-0', '--grace-period=1');
    await rolledOut('statefulset/log');
    expect(await until('the second start', starts)).toBe('xx');
  });

  test('the PostgreSQL image makes its user and database once, on a volume', async () => {
    const env = { POSTGRES_USER: 'sailor', POSTGRES_PASSWORD: 'knots', POSTGRES_DB: 'ship', PGDATA: '/data/pgdata' };
    await apply(statefulSet('database', postgres, { args: ['postgres', '-c', 'max_connections=40'], env, user: 999 }));
    const query = (sql: string): Promise<unknown[]> =>
      until(`the database answers: ${sql}`, async () => {
        const host = await kubectl('get', 'pod', 'database-0', '-o', 'jsonpath={.status.podIP}');
        const client = new pg.Client({ host, user: 'sailor', password: 'knots', database: 'ship' });
        client.on('error', () => undefined);
        await client.connect();
        try {
          return (await client.query<object>(sql)).rows;
        } finally {
          await client.end();
        }
      });
    expect(await query('SHOW max_connections')).toEqual([{ max_connections: '40' }]);
    await query('CREATE TABLE IF NOT EXISTS crew AS SELECT 7 AS size');
    await kubectl('delete', 'pod', 'database-0');
    await rolledOut('statefulset/database');
    expect(await query('SELECT size FROM crew')).toEqual([{ size: 7 }]);
  });

  test('a program that is killed starts again as it was, and still ends with the cluster', async () => {
    const start = await killProgram('kube-apiserver');
    const again = await start();
    const isReady = async (): Promise<boolean> => (await cluster.kubectl(['get', '--raw', '/readyz'])) === 'ok';
    await expect(waitReady(again, isReady)).resolves.not.toThrow();
  });

  test('stop leaves no process, mount, folder, interface, chain, control group, namespace or record', async () => {
    let machine: object | undefined;
    await cluster.stop(async () => {
      machine = await machineState();
    });
    expect(machine).toEqual({ bridge: false, chains: false, groups: '', mounts: [], record: undefined });
    expect(existsSync(cluster.folder)).toBe(false);
    expect((await readMounts()).filter((point) => point.startsWith(cluster.folder))).toEqual([]);
    expect(await run('ps', ['-eo', 'args'])).not.toContain(cluster.folder);
  });
});

async function readMounts(): Promise<string[]> {
  return mountPoints(await readFile('/proc/self/mountinfo', 'utf8'));
}

/** What a cluster makes of which a machine has one only. */
async function machineState(): Promise<object> {
  return {
    bridge: (await run('ip', ['-brief', 'link'])).includes('cni0'),
    chains: /KUBE-|CNI-/.test(await run('iptables-save', [])),
    groups: await run('find', ['/sys/fs/cgroup', '-name', 'kubepods']),
    mounts: (await readMounts()).filter((point) => point.startsWith(RUN_FOLDER)),
    record: await readRecord(),
  };
}
