import { afterEach, expect, onTestFinished, test } from 'vitest';
import { FLEET_CHANNEL } from '#runtime/registry/fleet-channel.js';
import { until } from '../../support/until.ts';
import { type Fleet, startFleet } from './fleet.ts';

let fleet: Fleet;
afterEach(async () => {
  await fleet?.close();
});

/** What the channel carried so far; `mark` travels behind everything that was committed before. */
async function listening() {
  const heard: string[] = [];
  const { pool } = fleet.another(1);
  onTestFinished(await pool.listen(FLEET_CHANNEL, (payload) => heard.push(payload)));
  return {
    /** How many notifications came since the last call. */
    since: async (): Promise<number> => {
      await fleet.pool.query(`SELECT pg_notify('${FLEET_CHANNEL}', 'mark')`);
      await until('the mark came', () => heard.includes('mark'));
      return heard.splice(0).filter((payload) => payload !== 'mark').length;
    },
  };
}

test('a replica that comes, drains, goes offline or expires is notified, and a heartbeat is not', async () => {
  fleet = await startFleet();
  const replica = await fleet.provision();
  const { since } = await listening();
  const payload = (previous_sequence: number) => ({ replica_id: replica.id, previous_sequence });
  await fleet.commit(fleet.proposal(replica));
  expect(await since()).toBe(1);
  const beat = { in_flight: 0, connector_ready: true };
  await fleet.commit({ operation: 'heartbeat', payload: { ...payload(1), ...beat } });
  expect(await since()).toBe(0);
  await fleet.commit({ operation: 'drain', payload: payload(2) });
  expect(await since()).toBe(1);
  await fleet.commit({ operation: 'drain', payload: payload(3) });
  expect(await since()).toBe(0);
  await fleet.commit({ operation: 'offline', payload: payload(4) });
  expect(await since()).toBe(1);
  await fleet.commit(fleet.proposal(replica));
  expect(await since()).toBe(1);
  fleet.time.ahead += 3_600_000;
  expect(await fleet.registry.maintenance.expire(10)).toBe(1);
  expect(await since()).toBe(1);
  expect(await fleet.registry.maintenance.expire(10)).toBe(0);
  expect(await since()).toBe(0);
});
