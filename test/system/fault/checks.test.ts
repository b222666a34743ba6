import { afterEach, expect, test } from 'vitest';
import { RUNTIME_SCHEMA, runtimeMigrations } from '#runtime/gateway/schema/migrations.js';
import { migrate } from '#runtime/postgres/migrate.js';
import type { ActionResult, Event, Receipt, ReceiptChain } from '#runtime/protocol/types.js';
import { type Fleet, startFleet } from '../../runtime/registry/fleet.ts';
import { appendReceipt } from '../../support/receipt-chain.ts';
import type { Aftermath, StoredAction } from './aftermath.ts';
import { checkAll } from './checks.ts';
import { type LeaseChange, leaseProblems, readLeaseHistory, watchLeases } from './leases.ts';
import type { Sent } from './load.ts';

const TERMINAL = 'every accepted action has one terminal state';
const RECEIPTS = 'receipt chains verify and end once';
const STREAMS = 'streams that completed are whole and in order';
const EVENTS = 'every acknowledged event is readable once';
const EFFECTS = 'no provider effect is doubled, missing or denied';
const PLACES = 'places and counters are free at the end';
const LEASES = 'no two leases overlap';

const PAID = 'act_paid';
const UNPAID = 'act_unpaid';
const STREAM = 'act_stream';
const PUBLISHED = 'act_published';

const doneOf = (id: string): ActionResult => ({ action_id: id, status: 'completed' });
const failedOf = (id: string, code: string): ActionResult => ({
  action_id: id,
  status: 'failed',
  error: { code, message: code, category: 'temporary' },
});
const chainOf = (id: string, types: readonly string[]): ReceiptChain =>
  types.reduce<ReceiptChain>(
    (chain, receipt_type, n) => appendReceipt(chain, { id: `rcpt_${id}_${n}`, receipt_type } as Receipt),
    { chain_id: `action:${id}`, receipts: [] },
  );
const endOf = (id: string): Event => ({
  id: `evt_end_${id}`,
  kind: 'aip.action.result',
  occurred_at: '2026-01-01T00:00:00Z',
  action_id: id,
});
const renewal: LeaseChange = {
  replica_id: 'crepl_1',
  now_ms: 1000,
  old_status: 'ready',
  old_sequence: 4,
  old_end: 2000,
  new_status: 'ready',
  new_sequence: 5,
  new_end: 3000,
};
const takeover = { action_id: PAID, old_lease: 'a', old_end: 500, new_lease: 'b', new_start: 500 };

/** What a run leaves behind in which nothing was broken; a test breaks it. */
function truthful() {
  const actions = new Map<string, StoredAction>([
    [PAID, { state: 'completed', result: doneOf(PAID) }],
    [UNPAID, { state: 'failed', result: failedOf(UNPAID, 'connector.replica_unavailable') }],
    [STREAM, { state: 'completed', result: doneOf(STREAM) }],
    [PUBLISHED, { state: 'completed', result: doneOf(PUBLISHED) }],
  ]);
  const ids = [...actions.keys()];
  const sent = (id: string, name: string, rest: Partial<Sent['action']> = {}): Sent => ({
    action: { id, capability_id: `cap:${name}`, input: {}, ...rest },
    acknowledged: actions.has(id),
  });
  return {
    sent: [
      sent(PAID, 'payments:pay', { idempotency_key: 'key:1' }),
      sent(UNPAID, 'payments:book'),
      sent(STREAM, 'demo:count', { mode: 'streaming' }),
      sent(PUBLISHED, 'demo:echo', { input: { publish_event: { id: 'evt_1' } } }),
      sent('act_unheard', 'demo:echo'),
    ],
    actions,
    chains: new Map(ids.map((id) => [id, chainOf(id, ['action_accepted', 'result_returned'])])),
    chunks: new Map([[STREAM, [3, 4, 5, 6, 7, 8, 9, 10, 11]]]),
    log: [...ids.map(endOf), { ...endOf('x'), id: 'evt_1', kind: 'demo.note' }],
    payments: [{ key: 'key:1', amount: 5 }],
    assignments: 4,
    taken: [] as unknown[],
    leases: { changes: [renewal], takeovers: [takeover] },
  };
}
type Truth = ReturnType<typeof truthful>;

/** The checks that find something wrong, with what they say. */
const found = (after: Aftermath): Record<string, readonly string[]> =>
  Object.fromEntries(checkAll(after).flatMap(({ name, problems }) => (problems.length > 0 ? [[name, problems]] : [])));

test('checks pass over what a run leaves behind in which nothing broke, and each checked something', () => {
  expect(found(truthful())).toEqual({});
  expect(checkAll(truthful()).map(({ looked }) => looked > 0)).toEqual(Array(7).fill(true));
});

test.each<[string, string, RegExp, (truth: Truth) => void]>([
  ['an accepted action is gone', TERMINAL, /act_unpaid was accepted and is gone/, (t) => void t.actions.delete(UNPAID)],
  [
    'an action never ended',
    TERMINAL,
    /act_stream is still running/,
    (t) => {
      t.actions.set(STREAM, { state: 'running', result: null });
      t.chunks.set('act_other', [1, 2, 3, 4, 5, 6, 7, 8, 9]);
      t.actions.set('act_other', { state: 'completed', result: null });
    },
  ],
  [
    'an action ended twice',
    TERMINAL,
    /act_paid has 2 terminal events/,
    (t) => void t.log.push({ ...endOf(PAID), id: 'evt_2' }),
  ],
  ['the end of an action cannot be read', TERMINAL, /act_paid has 0 terminal events/, (t) => void t.log.splice(0, 1)],
  [
    'a client was told another result than the stored one',
    TERMINAL,
    /act_paid was answered/,
    (t) => void t.sent.splice(0, 1, { ...(t.sent[0] as Sent), result: failedOf(PAID, 'x') }),
  ],
  [
    'a receipt was changed',
    RECEIPTS,
    /act_paid do not verify: receipt 0 .* its hash is wrong/,
    (t) => {
      const { chain_id, receipts, ...rest } = t.chains.get(PAID) as ReceiptChain;
      const [first, ...others] = receipts as [Receipt, ...Receipt[]];
      t.chains.set(PAID, { chain_id, ...rest, receipts: [{ ...first, subject: 'other' } as Receipt, ...others] });
    },
  ],
  [
    'a receipt is missing in the middle',
    RECEIPTS,
    /act_paid do not verify: receipt 1 .* does not follow/,
    (t) => {
      const chain = chainOf(PAID, ['action_accepted', 'policy_decision', 'result_returned']);
      t.chains.set(PAID, { ...chain, receipts: chain.receipts.filter((_, n) => n !== 1) });
    },
  ],
  [
    'an action has two receipts of its end',
    RECEIPTS,
    /act_paid do not run from its acceptance to one end/,
    (t) => void t.chains.set(PAID, chainOf(PAID, ['action_accepted', 'result_returned', 'result_returned'])),
  ],
  ['an action has no receipts', RECEIPTS, /act_paid do not run/, (t) => void t.chains.set(PAID, chainOf(PAID, []))],
  [
    'a chunk is missing',
    STREAMS,
    /act_stream are \[3,4,6/,
    (t) => void t.chunks.set(STREAM, [3, 4, 6, 7, 8, 9, 10, 11]),
  ],
  ['a chunk came twice', STREAMS, /act_stream are/, (t) => void t.chunks.set(STREAM, [3, 3, 4, 5, 6, 7, 8, 9, 10])],
  ['an event is lost', EVENTS, /evt_1 is not in the log/, (t) => void t.log.pop()],
  ['an event is read twice', EVENTS, /evt_1 was read 2 times/, (t) => void t.log.push(t.log.at(-1) as Event)],
  [
    'a provider paid twice',
    EFFECTS,
    /key:1 was paid 2 times/,
    (t) => void t.payments.push({ key: 'key:1', amount: 5 }),
  ],
  [
    'a payment is missing',
    EFFECTS,
    /act_paid completed and was never paid/,
    (t) => void t.payments.splice(0, 1, { key: 'key:other', amount: 1 }),
  ],
  [
    'a payment is denied',
    EFFECTS,
    /act_unpaid was paid and is failed with connector.replica_unavailable/,
    (t) => void t.payments.push({ key: UNPAID, amount: 5 }),
  ],
  [
    'a place is still taken',
    PLACES,
    /still taken: \{"id":"crepl_1"/,
    (t) => void t.taken.push({ id: 'crepl_1', active: 1 }),
  ],
  [
    'a lease sequence was given twice',
    LEASES,
    /a lease does not follow the one before it/,
    (t) => void t.leases.changes.push({ ...renewal, now_ms: 1001 }),
  ],
  [
    'an action was taken over while its worker held it',
    LEASES,
    /an action was taken over too early/,
    (t) => void t.leases.takeovers.push({ ...takeover, old_end: 501 }),
  ],
])('the check fails when %s', (_what, name, problem, breakIt) => {
  const truth = truthful();
  breakIt(truth);
  const wrong = found(truth);
  expect(Object.keys(wrong)).toEqual([name]);
  expect(wrong[name]).toEqual([expect.stringMatching(problem)]);
});

test('an open outcome denies nothing: the provider may have paid', () => {
  const truth = truthful();
  truth.payments.push({ key: UNPAID, amount: 5 });
  for (const code of ['connector.outcome_unknown', 'sla.timeout_exceeded']) {
    truth.actions.set(UNPAID, { state: 'dead_lettered', result: failedOf(UNPAID, code) });
    expect(found(truth)).toEqual({});
  }
});

test('a run that left nothing behind proves nothing: every check fails', () => {
  const nothing: Aftermath = {
    sent: [],
    actions: new Map(),
    chains: new Map(),
    chunks: new Map(),
    log: [],
    payments: [],
    assignments: 0,
    taken: [],
    leases: { changes: [], takeovers: [] },
  };
  expect(checkAll(nothing).map(({ problems }) => problems)).toEqual(Array(7).fill(['there was nothing to look at']));
});

let fleet: Fleet;
afterEach(async () => {
  await fleet?.close();
});

test('the leases of a real registry and a real action table are written down, and what breaks them is found', async () => {
  fleet = await startFleet();
  const { pool } = fleet;
  await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
  await watchLeases(pool);
  const { id } = await fleet.ready();
  const problems = async () => leaseProblems(await readLeaseHistory(pool));
  const beat = (previous_sequence: number) =>
    fleet.commit({
      operation: 'heartbeat',
      payload: { replica_id: id, previous_sequence, in_flight: 0, connector_ready: true },
    });
  await beat(1);
  fleet.time.ahead += 600_000;
  await fleet.registry.maintenance.expire(10);
  expect(
    (await readLeaseHistory(pool)).changes.map(({ new_status, new_sequence }) => [new_status, new_sequence]),
  ).toEqual([
    ['ready', 1],
    ['ready', 2],
    ['offline', 3],
  ]);
  await pool.query(
    `INSERT INTO runtime.actions (action_id, principal_id, principal_kind, capability_id, message_id, mode, state, request, plan, attempts,
       lease_id, lease_acquired_at, lease_expires_at, receipt_head, receipt_count, accepted_at, updated_at)
     VALUES ('act_1', 'agent:a', 'agent', 'cap:a', 'msg_1', 'sync', 'running', '{}', '{}', 1, 'first', 0, 30000, NULL, 0, 0, 0)`,
  );
  const takeOver = (lease: string, atMs: number) =>
    pool.query(
      'UPDATE runtime.actions SET lease_id = $1, lease_acquired_at = $2::bigint, lease_expires_at = $2::bigint + 30000',
      [lease, atMs],
    );
  await takeOver('second', 30_000);
  expect(await problems()).toEqual([]);
  await takeOver('third', 59_999);
  expect(await problems()).toEqual([expect.stringMatching(/taken over too early.*third/)]);
  await pool.query("UPDATE registry.replicas SET status = 'ready', lease_expires_at = lease_expires_at + 1000000");
  expect(await problems()).toEqual([
    expect.stringMatching(/skipped or given twice/),
    expect.stringMatching(/taken over too early/),
  ]);
  await pool.query('UPDATE registry.replicas SET health_revision = 4, lease_expires_at = lease_expires_at - 5000');
  expect(await problems()).toContainEqual(expect.stringMatching(/cut while it was live/));
});
