import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { withLock } from '../../../../tools/kube-cluster/process/lock.ts';
import { endProcess, identify, isAlive, processesWith } from '../../../../tools/kube-cluster/process/processes.ts';
import { ensureTools } from '../../../../tools/kube-cluster/programs/tools.ts';
import { ClusterUnavailable } from '../../../../tools/kube-cluster/unavailable.ts';
import { describeKube } from '../support/api-server.ts';

describeKube('building and ending programs', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aip-building-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  afterEach(() => vi.unstubAllEnvs());

  test('without a way to the modules the program is named and nothing is left half built', async () => {
    vi.stubEnv('GOPROXY', 'off');
    vi.stubEnv('GOMODCACHE', join(folder, 'modules'));
    const lines: string[] = [];
    const failed = await ensureTools(['etcd'], { cache: folder, log: (line) => lines.push(line) }).catch((e) => e);
    expect(failed).toBeInstanceOf(ClusterUnavailable);
    expect(failed.message).toContain("can't build etcd with Go");
    expect(lines).toEqual([expect.stringMatching(/^building etcd /)]);
  });

  test('two that want the same lock have it one after the other', async () => {
    const file = join(folder, 'lock');
    const order: string[] = [];
    const work = (name: string): Promise<void> =>
      withLock(file, async () => {
        order.push(`${name} has it`);
        await new Promise((done) => setImmediate(done));
        order.push(`${name} is done`);
      });
    await Promise.all([work('one'), work('two')]);
    const [first, second] = order[0] === 'one has it' ? ['one', 'two'] : ['two', 'one'];
    expect(order).toEqual([`${first} has it`, `${first} is done`, `${second} has it`, `${second} is done`]);
  });

  test('a lock is free again when its holder fails', async () => {
    const file = join(folder, 'lock-of-failed');
    await expect(withLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withLock(file, async () => 'free')).toBe('free');
  });

  test('a process that does not heed SIGTERM is killed, with its children found by its argument', async () => {
    const mark = join(folder, 'mark');
    const script = "process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)";
    const child = spawn(process.execPath, ['-e', script, mark], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(child.stdout, 'data');
    const [found, ...more] = (await processesWith(mark)).filter(({ pid }) => pid !== process.pid);
    expect(found).toEqual(await identify(child.pid as number));
    expect(more).toEqual([]);
    await endProcess(found as NonNullable<typeof found>, 50);
    expect(await isAlive(found as NonNullable<typeof found>)).toBe(false);
    expect(child.signalCode ?? 'SIGKILL').toBe('SIGKILL');
  });

  test('a later process with the same id is not taken for the one on record', async () => {
    const own = await identify(process.pid);
    expect(await isAlive({ pid: process.pid, started: own?.started as string })).toBe(true);
    expect(await isAlive({ pid: process.pid, started: '1' })).toBe(false);
  });
});
