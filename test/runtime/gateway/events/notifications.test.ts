import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { EVENTS_CHANNEL } from '#runtime/gateway/events/log/append.js';
import { openNotifications } from '#runtime/gateway/events/log/notifications.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { freshDatabase } from '../../../support/database.ts';
import { until } from '../../../support/until.ts';

const log = openLogger({ component: 'test', level: 'silent' });
let url: string;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ url, drop } = await freshDatabase());
});
afterAll(async () => {
  await drop?.();
});

/** The notifications of one process, with how often it was woken, and whatever else the database notifies. */
async function startProcess() {
  const pool = openPool({ url, max: 2 });
  const woken = { times: 0 };
  const heard: string[] = [];
  const unlisten = await pool.listen(EVENTS_CHANNEL, (payload) => heard.push(payload.split(' ')[0] as string));
  const onEvents = (): void => {
    woken.times += 1;
  };
  const notifications = await openNotifications({ pool, log, onEvents });
  onTestFinished(async () => {
    await notifications.close();
    await unlisten();
    await pool.close();
  });
  return { pool, woken, heard, notifications };
}

/** Commits what stands for an event. */
const commit = (pool: Pool): Promise<void> =>
  pool.tx(async (client) => {
    await client.query('SELECT 1');
    client.announce?.(EVENTS_CHANNEL);
  });

test('a process is woken by its own commits in memory, and notifies nothing while no other process has followers', async () => {
  const { pool, woken, heard } = await startProcess();
  for (let n = 1; n <= 5; n += 1) {
    await commit(pool);
    expect(woken.times).toBe(n);
  }
  await pool.query(`SELECT pg_notify('${EVENTS_CHANNEL}', 'mark')`);
  await until('the mark came', () => heard.includes('mark'));
  expect(heard).toEqual(['mark']);
});

test('what is undone announces nothing', async () => {
  const { pool, woken } = await startProcess();
  const undone = pool.tx(async (client) => {
    await client.query('SELECT 1');
    client.announce?.(EVENTS_CHANNEL);
    throw new Error('no');
  });
  await expect(undone).rejects.toThrow('no');
  expect(woken.times).toBe(0);
});

test('a process with followers is notified of the commits of others, and of many at a time by one or two notifications', async () => {
  const [writer, follower] = [await startProcess(), await startProcess()];
  const leave = follower.notifications.follow();
  await until('the writer knows of it and the follower is woken', async () => {
    await commit(writer.pool);
    return follower.woken.times > 0;
  });
  const before = follower.heard.length;
  for (let n = 0; n < 100; n += 1) writer.pool.announce?.(EVENTS_CHANNEL);
  await until('they came', () => follower.heard.length > before);
  await writer.pool.query(`SELECT pg_notify('${EVENTS_CHANNEL}', 'mark')`);
  await until('the mark came', () => follower.heard.includes('mark'));
  // One may be left of the commits before.
  expect(follower.heard.slice(before).filter((kind) => kind === 'events').length).toBeLessThanOrEqual(3);
  leave();
});
