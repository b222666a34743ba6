import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../postgres/embedded/embedded.js';
import type { Pool } from '../../postgres/pool.js';
import { openHostDatabase } from '../database.js';

/** The host's database: the given one, or an embedded server that is removed at the end. */
export async function openTestDatabase(
  url: string | undefined,
): Promise<{ readonly pool: Pool; close(): Promise<void> }> {
  if (url !== undefined) {
    const pool = await openHostDatabase(url, 4);
    return { pool, close: () => pool.close() };
  }
  const folder = await mkdtemp(join(tmpdir(), 'aip-test-host-'));
  const server = await startEmbedded({ dataDir: join(folder, 'postgres'), durable: false });
  const pool = await openHostDatabase(server.url, 4);
  return {
    pool,
    close: async () => {
      await pool.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
