import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDatabase } from '#controller/local/process/database.js';
import { startEmbedded } from '#runtime/postgres/embedded/embedded.js';

test('a server whose database cannot be prepared does not stay behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aip-dev-database-'));
  const dataDir = join(folder, 'postgres');
  const log = (): void => undefined;
  const started: { pid: number }[] = [];
  const record = { set: (_: string, identity?: { pid: number }) => void (identity && started.push(identity)) };
  try {
    await (await startEmbedded({ dataDir, port: 0, log })).stop();
    await appendFile(join(dataDir, 'postgresql.auto.conf'), 'default_transaction_read_only = on\n');
    const starting = startDatabase({ dataDir, log, onEnd: log, onReady: log, record: record as never });
    await expect(starting).rejects.toThrow(/read-only/);
    expect(started).toHaveLength(1);
    expect(() => process.kill(started[0]?.pid as number, 0)).toThrow('ESRCH');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
