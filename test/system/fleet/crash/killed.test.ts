import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { EventStream } from '#runtime/protocol/types.js';
import { runCli } from '../../../cli/support/run-cli.ts';
import { clientOf, type TestClient } from '../../../support/client.ts';
import { type Dev, startDev } from '../../../support/dev.ts';
import { until } from '../../../support/until.ts';

const TERMINAL = new Set(['completed', 'failed', 'cancelled', 'expired', 'dead_lettered']);

let dev: Dev;
let client: TestClient;

beforeAll(async () => {
  dev = await startDev();
  client = clientOf(dev);
});
afterAll(async () => {
  await dev?.stop();
});

/** Whether a host has written that it begins an action. */
async function isJournaled({ ready }: Dev, actionId: string): Promise<boolean> {
  const pool = openPool({ url: ready.database_url, max: 1 });
  try {
    const journals = await pool.query<{ schema: string }>(
      `SELECT quote_ident(schemaname) AS schema FROM pg_tables WHERE tablename = 'executions'`,
    );
    for (const { schema } of journals.rows)
      if ((await pool.query(`SELECT FROM ${schema}.executions WHERE action_id = $1`, [actionId])).rowCount === 1)
        return true;
    return false;
  } finally {
    await pool.close();
  }
}

/** Waits for the terminal state of each action and checks that its receipt chain verifies and ends once. */
async function settled(ids: string[]): Promise<string[]> {
  const states: string[] = [];
  for (const id of ids) {
    const status = await until(
      `${id} is terminal`,
      async () => {
        const view = await client.status(id);
        return TERMINAL.has(view.state) && view;
      },
      90_000,
    );
    states.push(status.state);
    const chain = await client.receipts(id);
    expect(verifyReceiptChain(chain)).toMatchObject({ ok: true });
    expect(chain.receipts.filter((receipt) => receipt.receipt_type === 'result_returned')).toHaveLength(1);
  }
  return states;
}

/** The first event with this id that a stream shows. */
async function firstData(stream: Response, id: string): Promise<unknown> {
  let text = '';
  for await (const bytes of stream.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(bytes).toString('utf8');
    for (const frame of text.split('\n\n').slice(0, -1)) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data?.includes(id)) return JSON.parse(data);
    }
  }
  return undefined;
}

test('N-003 a host killed in the middle of a stream leaves the action with exactly one terminal state', async () => {
  const submitted = client.submit({
    capability_id: 'cap:demo:count',
    mode: 'streaming',
    input: { n: 40, interval_ms: 50 },
  });
  const list = await until('the stream runs', async () => {
    const { body } = await client.get('/aip/v1/actions?capability_id=cap:demo:count&limit=10');
    const rows = (body as { actions: { action_id: string }[] }).actions;
    for (const row of rows) {
      const chunks = (await client.get(`/aip/v1/actions/${row.action_id}/chunks`)).body as { chunks?: unknown[] };
      if ((chunks.chunks?.length ?? 0) >= 3) return row.action_id;
    }
    return undefined;
  });
  for (const pid of await dev.pids('aip-runtime', 'host')) process.kill(pid, 'SIGKILL');
  const { id } = await submitted;
  expect(id).toBe(list);
  expect(await settled([id])).toHaveLength(1);
  const page = (await client.get(`/aip/v1/actions/${id}/chunks?limit=1000`)).body as { chunks: { sequence: number }[] };
  const sequences = page.chunks.map((chunk) => chunk.sequence);
  expect(new Set(sequences).size).toBe(sequences.length);
  expect([...sequences].sort((a, b) => a - b)).toEqual(sequences);
});

test('N-003 a gateway killed with 100 accepted actions brings all of them to one terminal state', async () => {
  const accepted = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      client.submit({ capability_id: 'cap:demo:echo', mode: 'async', input: { index } }),
    ),
  );
  expect(accepted.map((answer) => answer.status)).toEqual(accepted.map(() => 200));
  for (const pid of await dev.pids('aip-runtime', 'gateway')) process.kill(pid, 'SIGKILL');
  await until('the gateway is back', async () => (await client.get('/ready')).status === 200, 60_000);
  expect(await settled(accepted.map((answer) => answer.id))).toEqual(accepted.map(() => 'completed'));
});

test('F-225 an event that a host published is shown to a follower of the events after the gateway was killed', async () => {
  const event = { id: newId('event'), kind: 'demo.kept', occurred_at: '2026-01-02T03:04:05Z', data: { n: 1 } };
  const { id } = await client.submit({ capability_id: 'cap:demo:echo', input: { publish_event: event } });
  expect((await client.result(id)).status).toBe('completed');
  const listed = async () => {
    const { events } = (await client.get('/aip/v1/events?kind=demo.kept')).body as EventStream;
    return events.find(({ id }) => id === event.id);
  };
  const stored = await until('the event is in the log', listed);
  const [killed] = await dev.pids('aip-runtime', 'gateway');
  process.kill(killed as number, 'SIGKILL');
  await until('another gateway runs', async () => {
    const [other] = await dev.pids('aip-runtime', 'gateway');
    return other !== undefined && other !== killed;
  });
  await until('the gateway is back', async () => (await client.get('/ready')).status === 200, 60_000);
  expect(await listed()).toEqual(stored);
  const following = new AbortController();
  const stream = await fetch(`${dev.ready.gateway_url}/aip/v1/events?kind=demo.kept&follow=true`, {
    headers: { authorization: `Bearer ${dev.token}` },
    signal: following.signal,
  });
  const shown = await firstData(stream, event.id);
  following.abort();
  expect(shown).toEqual({ event: stored });
});

test('N-003 PostgreSQL stopped and started under load loses nothing that was accepted', async () => {
  const accepted: string[] = [];
  let stop = false;
  const load = Array.from({ length: 8 }, async () => {
    while (!stop) {
      const answer = await client
        .submit({ capability_id: 'cap:demo:echo', mode: 'async', input: { text: 'x' } })
        .catch(() => undefined);
      if (answer?.status === 200) accepted.push(answer.id);
    }
  });
  await until('some are accepted', () => accepted.length > 50);
  const [postgres] = await dev.pids('postgres', '-D');
  process.kill(postgres as number, 'SIGINT');
  await until('another PostgreSQL runs', async () => {
    const [other] = await dev.pids('postgres', '-D');
    return other !== undefined && other !== postgres;
  });
  await until('the gateway is ready again', async () => (await client.get('/ready')).status === 200, 60_000);
  const before = accepted.length;
  await until('new ones are accepted', () => accepted.length > before + 50, 60_000);
  stop = true;
  await Promise.all(load);
  const states = await settled(accepted);
  expect(new Set(states)).toEqual(new Set(['completed']));
});

test('F-108 part: a host that drains permanently still answers the gateway that takes over from a killed one', async () => {
  const documents = (replicas: number): string => `
apiVersion: fleet.aip.dev/v1alpha1
kind: ConnectorInstance
metadata: { name: last }
spec:
  connector: { type: demo, version: 1.0.0 }
  tenantId: demo
  replicas: ${replicas}
  rollout: { drainTimeoutSeconds: 120 }
`;
  const fleet = await startDev({ documents: documents(1) });
  try {
    const caller = clientOf(fleet);
    const id = newId('action');
    const submit = caller.submit({ id, capability_id: 'cap:demo:report', input: { seconds: 10 } });
    const unanswered = expect(submit).rejects.toThrow();
    await until('its host runs it', () => isJournaled(fleet, id));
    for (const pid of await fleet.pids('aip-runtime', 'gateway')) process.kill(pid, 'SIGKILL');
    const file = join(fleet.dataDir, 'none.yaml');
    await writeFile(file, documents(0));
    const applied = await runCli(['dev', 'apply', '-f', file, '--data', fleet.dataDir, '--json']);
    expect(applied.code, applied.stderr).toBe(0);
    // The answer came when the gateway was dead: its successor asks again when the lease of the execution has lapsed.
    await unanswered;
    const ended = await until(
      'it has ended',
      async () => {
        const view = await caller.status(id);
        if (!TERMINAL.has(view.state)) throw new Error(JSON.stringify(view));
        return view;
      },
      120_000,
    );
    expect(ended.state, JSON.stringify(ended)).toBe('completed');
    await until('the host has ended too', async () => (await fleet.pids('aip-runtime', 'host')).length === 0);
  } finally {
    await fleet.stop();
  }
});
