import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { ensureHostDatabase, retainHostDatabase } from '#controller/fleet/host-database.js';
import { freePorts } from '#controller/local/process/ports.js';
import { insertTransaction, newTransaction } from '#runtime/gateway/actions/transaction/record.js';
import { receiptOf } from '#runtime/gateway/actions/transaction/step/evidence.js';
import { insertDeliveries } from '#runtime/gateway/callbacks/record.js';
import { appendReceipts } from '#runtime/gateway/records/receipts/append.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import type { Handshake } from '#runtime/protocol/types.js';
import { runCli } from '../../cli/support/run-cli.ts';
import { newDelivery } from '../../runtime/gateway/callbacks/support.ts';
import { delivery } from '../../runtime/host/webhook/support/webhook-host.ts';
import { type Dev, startDev } from '../../support/dev.ts';
import { until } from '../../support/until.ts';
import { RUNS } from './screen.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const OPERATOR = { tenant_id: 'demo', principal_id: 'human:operator:demo', principal_kind: 'human' } as const;

/** A running `aip dev` with a record of every kind. */
export interface ScreenFleet {
  readonly dev: Dev;
  /** A folder whose path has the same length everywhere. */
  readonly folder: string;
  readonly env: Record<string, string>;
  /** Names that the gateway chose. */
  readonly ids: { approval: string; session: string; delivery: string; transaction: string };
  file(name: string): string;
  /** The words with the data folder of the fleet behind them. */
  on(...args: string[]): string[];
  json<T>(...args: string[]): Promise<T>;
  /** One value for each run of a call. */
  each<T>(make: (run: number) => Promise<T>): Promise<T[]>;
  refund(order: string): Promise<string>;
  openSession(): Promise<string>;
  token(principal: string): Promise<string>;
  /** What an instance that was removed leaves in the database. */
  removedDatabase(run: number): Promise<void>;
  stop(): Promise<void>;
}

/** The demo, a connector that offers resources, and one that takes webhooks. */
async function documents(): Promise<string> {
  const [port] = await freePorts(1);
  const [demo, chatwoot] = await Promise.all(
    ['demo.yaml', 'chatwoot.yaml'].map((name) => readFile(join(ROOT, 'examples', name), 'utf8')),
  );
  const library = {
    apiVersion: 'fleet.aip.dev/v1alpha1',
    kind: 'ConnectorInstance',
    metadata: {
      name: 'library',
      annotations: { 'fleet.aip.dev/module': join(ROOT, 'test', 'support', 'connectors', 'library-connector.ts') },
    },
    spec: {
      connector: { type: 'library', version: '1.0.0' },
      tenantId: 'demo',
      replicas: 1,
      config: { edition: 'first' },
    },
  };
  return [demo, JSON.stringify(library), chatwoot?.replace('http://127.0.0.1:4220', `http://127.0.0.1:${port}`)].join(
    '\n---\n',
  );
}

/** Starts the fleet and stores the records. */
export async function startScreenFleet(): Promise<ScreenFleet> {
  // Not the folder of TMPDIR: lines break by the length of a path.
  const folder = await mkdtemp('/tmp/aip-screens-');
  const file = (name: string): string => join(folder, name);
  // Not every machine has a psql; what it is called with is what matters here.
  await mkdir(file('programs'));
  await writeFile(file('programs/psql'), '#!/bin/sh\necho "psql on $1"\nshift\nfor word; do echo "  $word"; done\n', {
    mode: 0o755,
  });
  const env = {
    AIP_CONFIG: file('contexts.yaml'),
    XDG_STATE_HOME: file('state'),
    PATH: `${file('programs')}${delimiter}${process.env.PATH}`,
  };
  const dev = await startDev({ documents: await documents(), dataDir: file('dev'), args: ['--with-simulators'] });
  const on = (...args: string[]): string[] => [...args, '--data', dev.dataDir];
  const json = async <T>(...args: string[]): Promise<T> => (await runCli([...on(...args), '--json'])).json() as T;
  const submit = async (id: string, capability: string, input: object, ...more: string[]): Promise<void> => {
    await json('actions', 'submit', capability, '--id', id, '--input', JSON.stringify(input), ...more);
  };
  const stored = async <T>(store: (pool: Pool) => Promise<T>): Promise<T> => {
    const pool = openPool({ url: dev.ready.database_url, max: 1 });
    return store(pool).finally(() => pool.close());
  };

  const refund = async (order: string, id: string = newId('action')): Promise<string> => {
    await submit(id, 'cap:demo:refund', { order, amount_minor: 100, currency: 'EUR' }, '--idempotency-key', order);
    return (await json<{ approval_id: string }>('actions', 'get', id)).approval_id;
  };

  await submit('act_said', 'cap:demo:echo', { text: 'hello' });
  await submit('act_refused', 'cap:demo:flaky', { mode: 'permanent' });
  await submit('act_counted', 'cap:demo:count', { n: 3, interval_ms: 10 }, '--mode', 'streaming');
  const approval = await refund('order-1', 'act_refund');
  const ids = { approval, session: await openSession(dev), ...(await stored(recordsOf)) };
  await until('the delivery was given up', async () => {
    const { deliveries } = await json<{ deliveries: { status: string }[] }>('deliveries', 'list');
    return deliveries.every(({ status }) => status === 'dead_lettered');
  });
  // How long an action takes is not for a test to know.
  await stored((pool) =>
    pool.query({
      text: `UPDATE runtime.actions SET completed_at = started_at + 1200, updated_at = started_at + 1200
              WHERE completed_at IS NOT NULL`,
      values: [],
    }),
  );

  await writeFile(file('delivery.json'), JSON.stringify(delivery()));
  await writeFile(file('secret'), '0123456789abcdef');
  await cp(join(ROOT, 'examples', 'demo.yaml'), file('demo.yaml'));
  await mkdir(file('full'));
  await writeFile(file('full/notes.txt'), 'mine');
  await runCli(on('receipts', 'get', 'act_said', '--output-file', file('receipts.json')));
  await runCli(['keys', 'generate', '--output-file', file('agent.seed')]);
  await quietCopy(dev.dataDir, file('quiet'));
  for (const name of ['kept', 'shown'])
    await runCli(['context', 'add', name, '--gateway', dev.ready.gateway_url, '--token-file', file('agent.seed')], {
      env,
    });

  return {
    dev,
    folder,
    env,
    ids,
    file,
    on,
    json,
    each: async <T>(make: (run: number) => Promise<T>) => {
      const made: T[] = [];
      for (let run = 0; run < RUNS; run += 1) made.push(await make(run));
      return made;
    },
    refund,
    openSession: () => openSession(dev),
    token: async (principal) => {
      await json('tokens', 'create', '--tenant', 'demo', '--scopes', 'action:read', '--principal', principal);
      const { tokens } = await json<{ tokens: { id: string; principal_id: string }[] }>('tokens', 'list');
      return tokens.find(({ principal_id }) => principal_id === principal)?.id as string;
    },
    removedDatabase: (run) =>
      stored(async (pool) => {
        const uid = `left-run${run}`;
        await ensureHostDatabase(pool, { url: dev.ready.database_url }, uid, 'ab'.repeat(24));
        await retainHostDatabase(pool, uid);
      }),
    stop: async () => {
      await dev.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/** Opens a session of the operator; returns its id. */
async function openSession({ ready, token }: Dev): Promise<string> {
  const client = { id: OPERATOR.principal_id, kind: 'human' } as const;
  const handshake: Handshake = { client, purpose: 'screens', profiles: ['aip.native.http.v1'] };
  const answer = await fetch(`${ready.gateway_url}/aip/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(newEnvelope({ handshake }, {}, { clock: Date.now })),
  });
  const { body } = (await answer.json()) as { body: { handshake_response: { session_id: string } } };
  return body.handshake_response.session_id;
}

/** A committed transaction with its receipt, and a delivery that waits for its attempt. */
async function recordsOf(pool: Pool): Promise<{ delivery: string; transaction: string }> {
  const waits = newDelivery(
    { profile: 'aip.native.http.v1', target: 'https://client.example/callback' },
    { ...OPERATOR, action_id: 'act_said' },
  );
  await insertDeliveries(pool, [waits]);
  const id = newId('transaction');
  const at = Date.now();
  const request = {
    id: 'act_paid',
    capability_id: 'cap:demo:refund',
    input: {},
    transaction: { mode: 'commit' },
  } as const;
  const made = newTransaction(OPERATOR, id, {
    action_id: 'act_paid',
    capability_id: 'cap:demo:refund',
    mode: 'commit',
    status: 'committed',
    request,
    result: { action_id: 'act_paid', status: 'completed', output: { paid: true } },
    effect: true,
    created_at: at,
    updated_at: at,
  });
  await pool.tx(async (client) => {
    await insertTransaction(client, made);
    const owner = { tenantId: OPERATOR.tenant_id, principalId: OPERATOR.principal_id };
    const receipt = receiptOf(made, { id: OPERATOR.principal_id, kind: OPERATOR.principal_kind }, null);
    await appendReceipts(client, owner, [receipt]);
  });
  return { delivery: waits.delivery_id, transaction: id };
}

/** The first of each kind of event, and of each log line, that every start has. */
const EVENTS = ['VersionUnknown', 'InstanceUnknown', 'BindingMissing'];
const LOGGED = ['gateway is listening', 'listening', 'lease obtained'];

/** A copy of a data folder of which events and logs hold only what every run has, however slow the machine is. */
async function quietCopy(from: string, to: string): Promise<void> {
  await mkdir(join(to, 'logs'), { recursive: true, mode: 0o700 });
  for (const name of ['dev.json', 'lock.json', 'state.json']) await cp(join(from, name), join(to, name));
  const status = JSON.parse(await readFile(join(from, 'status.json'), 'utf8')) as {
    events: { reason: string; instance: string }[];
  };
  const seen = new Set<string>();
  status.events = status.events.filter(({ reason, instance }) => {
    const first = !seen.has(`${instance} ${reason}`) && EVENTS.includes(reason);
    seen.add(`${instance} ${reason}`);
    return first;
  });
  await writeFile(join(to, 'status.json'), JSON.stringify(status), { mode: 0o600 });
  for (const name of await readdir(join(from, 'logs'))) {
    const lines = (await readFile(join(from, 'logs', name), 'utf8')).split('\n');
    const kept = LOGGED.flatMap((message) => lines.find((line) => line.includes(`"message":"${message}"`)) ?? []);
    await writeFile(join(to, 'logs', name), kept.map((line) => `${line}\n`).join(''));
  }
}
