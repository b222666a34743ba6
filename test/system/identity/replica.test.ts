import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import type { ActionResult } from '#runtime/protocol/types.js';
import { runCli } from '../../cli/support/run-cli.ts';
import { clientOf, type TestClient } from '../../support/client.ts';
import { type Dev, startDev } from '../../support/dev.ts';
import { until } from '../../support/until.ts';

/** A change of `restarted` replaces every replica, as `kubectl rollout restart` does; nothing else of the instance changes. */
const documents = (restarted: string): string =>
  `apiVersion: fleet.aip.dev/v1alpha1
kind: ConnectorInstance
metadata: {name: demo}
spec:
  connector: {type: demo, version: 1.0.0}
  tenantId: demo
  replicas: 2
  rollout: {maxSurge: 1, maxUnavailable: 0}
  pod: {annotations: {restarted: "${restarted}"}}
`;

let dev: Dev;
let client: TestClient;
let pool: Pool;

beforeAll(async () => {
  dev = await startDev({ documents: documents('first') });
  client = clientOf(dev);
  pool = openPool({ url: dev.ready.database_url, max: 1 });
});
afterAll(async () => {
  await pool?.close();
  await dev?.stop();
});

const replicasNow = async (): Promise<{ replica_id: string; did: string }[]> => {
  const info = JSON.parse(await readFile(join(dev.dataDir, 'dev.json'), 'utf8')) as Dev['ready'];
  return info.instances.find(({ name }) => name === 'demo')?.replicas ?? [];
};

/** Replicas that could be given work at this moment. */
async function serving(): Promise<number> {
  const { rows } = await pool.query<{ replicas: string }>(
    `SELECT count(*) AS replicas FROM registry.replicas WHERE status = 'ready' AND lease_expires_at > (extract(epoch FROM now()) * 1000)::bigint`,
  );
  return Number(rows[0]?.replicas);
}

/** Submits one action after the other over each of `lanes` until it is asked to end; gives the states that they came to. */
function load(lanes: number): { count(): number; end(): Promise<Map<string, number>> } {
  const states = new Map<string, number>();
  let ended = false;
  let count = 0;
  const running = Array.from({ length: lanes }, async (_, lane) => {
    const mode = lane % 2 === 0 ? 'sync' : 'streaming';
    while (!ended) {
      const work =
        mode === 'sync'
          ? { capability_id: 'cap:demo:echo', input: { lane } }
          : { capability_id: 'cap:demo:count', mode: 'streaming' as const, input: { n: 5, interval_ms: 20 } };
      const { status, body } = await client.submit(work);
      const state = status === 200 ? stateOf(body) : `answered ${status}: ${JSON.stringify(body)}`;
      states.set(state, (states.get(state) ?? 0) + 1);
      count += 1;
    }
  });
  return {
    count: () => count,
    end: async () => {
      ended = true;
      await Promise.all(running);
      return states;
    },
  };
}

function stateOf(body: unknown): string {
  const { action_result: result } = (body as { body: { action_result?: ActionResult } }).body;
  return result?.status === 'completed' ? 'completed' : JSON.stringify(body);
}

test('keys of replicas are rotated by replacing the replicas: new records and new keys, no failed action, never less than all serving', async () => {
  const before = await replicasNow();
  expect(before).toHaveLength(2);
  const work = load(6);
  await until('actions run', () => work.count() > 20);
  let fewest = await serving();
  let watching = true;
  const watched = (async () => {
    while (watching) fewest = Math.min(fewest, await serving());
  })();
  const file = join(dirname(dev.dataDir), 'restarted.yaml');
  await writeFile(file, documents('second'));
  const applied = await runCli(['dev', 'apply', '-f', file, '--data', dev.dataDir, '--json']);
  expect(applied.json()).toMatchObject({ settled: true });
  const settled = work.count();
  await until('actions run on the new replicas', () => work.count() > settled + 20);
  watching = false;
  await watched;
  const states = await work.end();
  expect([...states.keys()]).toEqual(['completed']);
  expect(fewest).toBeGreaterThanOrEqual(2);

  const after = await replicasNow();
  expect(after).toHaveLength(2);
  for (const { replica_id, did } of before) {
    expect(after.map((each) => each.replica_id)).not.toContain(replica_id);
    expect(after.map((each) => each.did)).not.toContain(did);
  }
  const { rows } = await pool.query<{ peer_did: string; status: string }>(
    'SELECT peer_did, status FROM registry.replicas WHERE peer_did = ANY($1)',
    [before.map(({ did }) => did)],
  );
  expect(rows.map(({ status }) => status).filter((status) => status !== 'offline')).toEqual([]);
});
