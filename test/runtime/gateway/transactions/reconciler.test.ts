import { afterEach, beforeEach, expect, test } from 'vitest';
import { openMetrics } from '#runtime/gateway/metrics/metrics.js';
import { followSources } from '#runtime/gateway/metrics/sources.js';
import { reconcileDue } from '#runtime/gateway/transactions/reconciler.js';
import { AipError } from '#runtime/protocol/errors.js';
import { newId } from '#runtime/protocol/ids.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../../support/until.ts';
import { actionsOverFreshDatabase, startActions, type TestGateway } from '../support/actions.ts';
import {
  inStatus,
  MODES,
  providedBy,
  reconcilerOf,
  stored,
  type TestProvider,
  take,
  transactional,
} from './support.ts';

const unaskable = transactional({
  transaction: {
    supported_modes: MODES.filter((mode) => mode !== 'reconcile'),
    requires_plan_before_commit: false,
    dry_run_fidelity: 'schema_only',
  },
});
const lost = () => {
  throw new AipError('runtime.handler_failed', 'lost', { retryable: false, details: { uncertain_outcome: true } });
};
const committed = { reconciliation: { terminal: true, committed: true, cursor: null, evidence: null } };

let ahead = 0;
const clock = () => Date.now() + ahead;
let provider: TestProvider;
let gateway: TestGateway;
let url: string;
let end: () => Promise<void>;
const capabilitiesOf = (asked: TestProvider) => [
  providedBy(asked, 'cap:pay:charge'),
  providedBy(asked, 'cap:pay:silent', unaskable),
];
beforeEach(async () => {
  ahead = 0;
  provider = { asked: [], answer: lost };
  ({ gateway, url, end } = await actionsOverFreshDatabase(capabilitiesOf(provider), clock));
});
afterEach(() => end?.());

/** Leaves a transaction with an unknown outcome, due now. */
async function unknown(capability = 'cap:pay:charge', key?: string): Promise<string> {
  const transaction_id = newId('transaction');
  const more = key === undefined ? {} : { idempotency_key: key };
  await take(gateway, capability, { mode: 'execute', transaction_id }, more);
  expect(await stored(gateway, transaction_id)).toMatchObject({ status: 'outcome_unknown' });
  return transaction_id;
}
const askedFor = (transaction_id: string) =>
  provider.asked.filter(
    ({ transaction }) => transaction?.mode === 'reconcile' && transaction.transaction_id === transaction_id,
  );
/** The provider loses the effects and answers questions by `answer`. */
const answering = (answer: () => unknown): void => {
  provider.answer = ({ transaction }) => (transaction?.mode === 'reconcile' ? answer() : lost());
};

test('an unknown outcome is reconciled automatically, with the input and key of the action that has it', async () => {
  answering(() => committed);
  const id = await unknown('cap:pay:charge', 'key-1');
  const reconciler = reconcilerOf(gateway, clock);
  ahead = 6000;
  const record = await inStatus(gateway, id, 'reconciled');
  await reconciler.stop();
  expect(record).toMatchObject({ effect: true, reconcile_after: null, reconcile_attempts: 1 });
  expect(askedFor(id)).toMatchObject([{ capability_id: 'cap:pay:charge', input: {}, idempotency_key: 'key-1' }]);
  const action = await gateway.record(record.reconcile_action_id as string);
  expect(action).toMatchObject({
    principal_id: 'system:aip-runtime',
    state: 'completed',
    tenant_id: 'acme',
    transaction_id: id,
  });
});

test('a provider that has not settled is asked again later with its cursor, ever more seldom', async () => {
  const error = { details: { reconciliation_cursor: 'c2' } };
  answering(() => {
    throw new AipError('runtime.handler_failed', 'pending', {
      retryable: true,
      retryAfterMs: 5000,
      details: { details: error.details },
    });
  });
  const id = await unknown();
  const delays: number[] = [];
  for (let round = 1; round <= 3; round += 1) {
    ahead += 600_000;
    expect(await pass()).toHaveLength(1);
    await until('it was asked', async () => (await stored(gateway, id)).reconcile_attempts === round);
    const { reconcile_after, updated_at, reconciliation_cursor } = await inStatus(gateway, id, 'outcome_unknown');
    expect(reconciliation_cursor).toBe('c2');
    delays.push((reconcile_after as number) - updated_at);
  }
  expect(delays).toEqual([10_000, 20_000, 40_000]);
  expect(askedFor(id)[1]?.memory_context).toMatchObject({ _aip: { reconciliation: { cursor: 'c2' } } });
});

/** One pass; at a clock of its own the leases of running actions stay as they are. */
const pass = (at = clock) => {
  const { capabilities, worker } = gateway.actions;
  const log = openLogger({ component: 'test', level: 'silent' });
  return reconcileDue({ pool: gateway.pool, clock: at, log, capabilities, wake: worker.wake });
};

test('a capability that cannot be asked is not asked: its unknown outcome is left to its callers', async () => {
  const id = await unknown('cap:pay:silent');
  expect(await pass(() => Date.now() + 600_000)).toEqual([]);
  expect(await stored(gateway, id)).toMatchObject({ status: 'outcome_unknown', reconcile_after: null });
  expect(askedFor(id)).toEqual([]);
});

test('several gateways ask about one transaction once', async () => {
  const others = [
    await startActions(url, capabilitiesOf(provider), clock),
    await startActions(url, capabilitiesOf(provider), clock),
  ];
  answering(() => committed);
  const ids = [await unknown(), await unknown(), await unknown()];
  ahead = 6000;
  const reconcilers = [gateway, ...others].map((each) => reconcilerOf(each, clock));
  for (const id of ids) await inStatus(gateway, id, 'reconciled');
  await Promise.all(reconcilers.map((each) => each.stop()));
  await Promise.all(others.map((each) => each.stop()));
  for (const id of ids) expect(askedFor(id)).toHaveLength(1);
});

test('an action that reconciles by hand and the automatic one exclude each other', async () => {
  const held = Promise.withResolvers<void>();
  answering(() => held.promise.then(() => committed));
  const id = await unknown();
  const asking = take(gateway, 'cap:pay:charge', { mode: 'reconcile', transaction_id: id });
  await inStatus(gateway, id, 'reconciling');
  expect(await pass(() => Date.now() + 600_000)).toEqual([]);
  const second = await take(gateway, 'cap:pay:charge', { mode: 'reconcile', transaction_id: id });
  expect(second.error?.code).toBe('transaction.commit_already_claimed');
  held.resolve();
  expect((await asking).status).toBe('completed');
  expect(askedFor(id)).toHaveLength(1);
});

test('N-437 N-299 N-300 32 reconciliations run at once; the 33rd starts no work while they run and runs then', async () => {
  const first = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<void>();
  let running = 0;
  provider.answer = ({ transaction }) => {
    if (transaction?.mode !== 'reconcile') return lost();
    running += 1;
    return (running === 1 ? first : rest).promise.then(() => committed);
  };
  const ids = await Promise.all(Array.from({ length: 33 }, () => unknown()));
  const { reconciliations } = gateway.actions;
  const metrics = openMetrics();
  followSources(metrics, { reconciliations });
  const gauges = async () =>
    (await metrics.render()).text.split('\n').filter((line) => line.startsWith('aip_runtime_reconciliation_'));
  const shown = (available: number) => [
    'aip_runtime_reconciliation_capacity 32',
    `aip_runtime_reconciliation_available ${available}`,
  ];
  expect(await gauges()).toEqual(shown(32));
  ahead = 6000;
  expect(await pass()).toHaveLength(33);
  await until('all have begun', async () => {
    const states = await Promise.all(ids.map((id) => stored(gateway, id)));
    return states.every(({ status }) => status === 'reconciling') && running === 32;
  });
  expect(running).toBe(32);
  expect(await gauges()).toEqual(shown(0));
  first.resolve();
  await until('the 33rd runs', () => running === 33);
  rest.resolve();
  for (const id of ids) await inStatus(gateway, id, 'reconciled');
  await until('every place is free', async () => reconciliations.available() === 32);
  expect(await gauges()).toEqual(shown(32));
});

test('a reconciliation whose gateway is gone is continued by another one', async () => {
  const other = await startActions(url, capabilitiesOf(provider), clock);
  const never = new Promise(() => undefined);
  provider.answer = ({ transaction }) => (transaction?.mode === 'reconcile' ? never : lost());
  const id = await unknown();
  ahead = 6000;
  const [actionId] = await pass();
  await inStatus(gateway, id, 'reconciling');
  answering(() => committed);
  // The lease of a process that is gone lapses.
  await other.pool.query(`UPDATE runtime.actions SET lease_expires_at = 0, lease_id = 'gone' WHERE action_id = $1`, [
    actionId,
  ]);
  await inStatus(gateway, id, 'reconciled');
  await other.stop();
});
