import { afterAll, beforeAll, expect, test } from 'vitest';
import { reservationOf } from '#runtime/gateway/actions/accept/idempotency.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { RemoteError } from '#runtime/protocol/errors.js';
import { newId } from '#runtime/protocol/ids.js';
import type { Action } from '#runtime/protocol/types.js';
import { until } from '../../../../support/until.ts';
import {
  actionsOverFreshDatabase,
  caller,
  capability,
  contractOf,
  resultOf,
  startActions,
  type TestGateway,
} from '../../support/actions.ts';

let effects: string[] = [];
let now = Date.now();
const gates = new Map<string, PromiseWithResolvers<unknown>>();

const effect = async (action: Action): Promise<unknown> => {
  effects.push(action.id);
  return { by: action.id };
};
const keyed = (id: string, idempotency: object, run = effect) =>
  capability(id, run, { contract: contractOf({ idempotency }) });

const capabilities = [
  keyed('cap:key:principal', { key_scope: 'principal' }),
  keyed('cap:key:capability', { key_scope: 'capability' }),
  keyed('cap:key:capability-too', { key_scope: 'capability' }),
  keyed('cap:key:tenant', { key_scope: 'tenant' }),
  keyed('cap:key:action', { key_scope: 'action' }),
  keyed('cap:key:account', { key_scope: 'external_account' }),
  keyed('cap:key:required', { requirement: 'required' }),
  keyed('cap:key:reject', { collision_behavior: 'reject_conflict' }),
  keyed('cap:key:revalidate', { collision_behavior: 'revalidate_input_hash' }),
  keyed('cap:key:short', { ttl_ms: 1000 }),
  keyed('cap:key:endless', { ttl_ms: 9_223_372_036_854_775_000 }),
  keyed('cap:key:text', {}, async (action) => {
    effects.push(action.id);
    return 'a text';
  }),
  keyed('cap:key:slow', {}, async (action) => {
    effects.push(action.id);
    const gate = Promise.withResolvers<unknown>();
    gates.set(action.id, gate);
    return gate.promise;
  }),
  keyed('cap:key:failing', {}, async (action) => {
    effects.push(action.id);
    const { retryable } = action.input as { retryable: boolean };
    throw new RemoteError({ code: 'provider.failed', message: 'no', category: 'connector', retryable });
  }),
];

let gateway: TestGateway;
let url: string;
let end: () => Promise<void>;
beforeAll(async () => {
  ({ gateway, url, end } = await actionsOverFreshDatabase(capabilities, () => now));
});
afterAll(async () => {
  for (const gate of gates.values()) gate.resolve({});
  await end?.();
});

const submit = (capability_id: string, key: string, more: object = {}, as = caller()) => {
  effects = effects.slice(-50);
  return gateway.submit({ capability_id, idempotency_key: key, ...more }, { as }).then(resultOf);
};

test('a repeat of a settled key gets the first result, marked as a replay, and has no effect', async () => {
  const first = await submit('cap:key:principal', 'k1', { input: { n: 1 } });
  const again = await submit('cap:key:principal', 'k1', { input: { n: 2 } });
  expect(again).toEqual({ ...first, output: { by: first.action_id, idempotent_replay: true } });
  expect(effects.filter((id) => id === first.action_id)).toHaveLength(1);
  const text = await submit('cap:key:text', 'k-text');
  expect((await submit('cap:key:text', 'k-text')).output).toEqual({ value: 'a text', idempotent_replay: true });
  expect(text.output).toBe('a text');
});

test('an async repeat of a settled key is answered with the result instead of an ack', async () => {
  const first = await submit('cap:key:principal', 'k-async');
  const again = await submit('cap:key:principal', 'k-async', { mode: 'async' });
  expect(again.action_id).toBe(first.action_id);
});

test('the scope of a key is that of the contract, and never reaches into another tenant', async () => {
  const other = caller('agent:other');
  const foreign = caller('agent:desk', 'globex');
  const replays = async (id: string, as: ReturnType<typeof caller>, more: object = {}) => {
    const output = (await submit(id, `scope ${id}`, more, as)).output as { idempotent_replay?: boolean };
    return output.idempotent_replay === true;
  };
  for (const id of ['principal', 'capability', 'tenant', 'action'].map((scope) => `cap:key:${scope}`))
    expect(await replays(id, caller())).toBe(false);
  expect(await replays('cap:key:principal', other)).toBe(false);
  expect(await replays('cap:key:capability', other)).toBe(true);
  expect(await replays('cap:key:tenant', other)).toBe(true);
  expect(await replays('cap:key:action', caller())).toBe(false);
  for (const scope of ['principal', 'capability', 'tenant', 'action'])
    expect(await replays(`cap:key:${scope}`, foreign)).toBe(false);
});

test('a key of a capability is free for another capability', async () => {
  const first = await submit('cap:key:capability', 'k-apart');
  const other = await submit('cap:key:capability-too', 'k-apart');
  expect(other).toMatchObject({ status: 'completed', output: { by: other.action_id } });
  expect((await submit('cap:key:capability', 'k-apart')).action_id).toBe(first.action_id);
});

test('a key of an external account is its own, not that of another account or system', () => {
  const contract = contractOf({ idempotency: { key_scope: 'external_account' } });
  const keyOf = (system: string, id: string) => {
    const action = { id: newId('action'), capability_id: 'cap:key:account', input: {}, idempotency_key: 'k' };
    const by = { ...action, identity: { external_account: { system, id } } } as Action;
    return reservationOf(by, contract, { principalId: 'agent:desk', tenantId: 'acme' }, now)?.stored_key;
  };
  expect(keyOf('crm', '1')).toBe(keyOf('crm', '1'));
  expect(new Set([keyOf('crm', '1'), keyOf('crm', '2'), keyOf('erp', '1')]).size).toBe(3);
});

test('a key of an external account that the identity does not name is one of the tenant', async () => {
  const first = await submit('cap:key:account', 'reply');
  expect(first.status).toBe('completed');
  expect(await submit('cap:key:account', 'reply')).toMatchObject({
    action_id: first.action_id,
    output: { by: first.action_id, idempotent_replay: true },
  });
});

test('a missing key or a missing partition of its scope is a policy failure', async () => {
  const missing = await gateway.submit({ capability_id: 'cap:key:required' }).then(resultOf);
  expect(missing).toMatchObject({ status: 'failed', error: { code: 'idempotency.required', category: 'policy' } });
  const partition = { code: 'idempotency.scope_missing', category: 'policy' };
  const outside = {
    principal: { id: 'agent:x', kind: 'agent' as const },
    scopes: new Set(['*']),
    roles: [],
    scheme: 'bearer' as const,
  };
  for (const id of ['cap:key:tenant', 'cap:key:account'])
    await expect(submit(id, 'k', {}, outside as never)).resolves.toMatchObject({ status: 'failed', error: partition });
});

test('a key that another capability used is a conflict, never that one’s result', async () => {
  const first = await submit('cap:key:principal', 'shared');
  expect(await submit('cap:key:text', 'shared')).toMatchObject({
    status: 'failed',
    error: { code: 'idempotency.conflict', details: { owner_action_id: first.action_id } },
  });
});

test('a collision is rejected, or revalidated, where the contract says so', async () => {
  const first = await submit('cap:key:reject', 'k');
  const conflict = await submit('cap:key:reject', 'k');
  expect(conflict).toMatchObject({
    status: 'failed',
    error: { code: 'idempotency.conflict', category: 'policy', details: { owner_action_id: first.action_id } },
  });
  await submit('cap:key:revalidate', 'k-re', { input: { a: 1, b: 2 } });
  const same = await submit('cap:key:revalidate', 'k-re', { input: { b: 2, a: 1 } });
  expect(same.output).toMatchObject({ idempotent_replay: true });
  const different = await submit('cap:key:revalidate', 'k-re', { input: { a: 1, b: 3 } });
  expect(different).toMatchObject({ status: 'failed', error: { code: 'idempotency.input_hash_mismatch' } });
});

test('a key in flight is reported as such, with the rest of the reservation, and one effect remains', async () => {
  const id = newId('action');
  const first = gateway.submit({ id, capability_id: 'cap:key:slow', idempotency_key: 'flight' });
  await until('it runs', () => gates.has(id));
  const second = await submit('cap:key:slow', 'flight');
  expect(second).toMatchObject({
    status: 'failed',
    error: { code: 'idempotency.in_progress', category: 'temporary', retryable: true },
  });
  const wait = second.error?.retry_after_ms as number;
  expect(wait).toBeGreaterThan(60_000);
  expect(wait).toBeLessThanOrEqual(120_000);
  gates.get(id)?.resolve({ done: true });
  await first;
  expect((await submit('cap:key:slow', 'flight')).output).toEqual({ done: true, idempotent_replay: true });
});

test('parallel submissions of one key over two gateways have one effect', async () => {
  const second = await startActions(url, capabilities, () => now);
  try {
    const ids = Array.from({ length: 16 }, () => newId('action'));
    const replies = await Promise.all(
      ids.map((id, n) =>
        (n % 2 ? gateway : second)
          .submit({ id, capability_id: 'cap:key:principal', idempotency_key: 'race' })
          .then(resultOf),
      ),
    );
    expect(effects.filter((id) => ids.includes(id))).toHaveLength(1);
    const fresh = replies.filter(
      (reply) =>
        reply.status === 'completed' && !(reply.output as object & { idempotent_replay?: true }).idempotent_replay,
    );
    expect(fresh).toHaveLength(1);
  } finally {
    await second.stop();
  }
});

test('a retryable failure frees the key, a final one keeps it', async () => {
  const first = await submit('cap:key:failing', 'free', { input: { retryable: true } });
  const second = await submit('cap:key:failing', 'free', { input: { retryable: true } });
  expect(second.action_id).not.toBe(first.action_id);
  const kept = await submit('cap:key:failing', 'kept', { input: { retryable: false } });
  const replay = await submit('cap:key:failing', 'kept', { input: { retryable: false } });
  expect(replay).toMatchObject({ action_id: kept.action_id, status: 'failed', output: { idempotent_replay: true } });
});

test('a key is free again after the life that the contract gives it', async () => {
  const first = await submit('cap:key:short', 'k-short');
  now += 999;
  expect((await submit('cap:key:short', 'k-short')).action_id).toBe(first.action_id);
  now += 1;
  expect((await submit('cap:key:short', 'k-short')).action_id).not.toBe(first.action_id);
});

test('the reservation of a live action is never taken over, however old', async () => {
  const id = newId('action');
  const first = gateway.submit({ id, capability_id: 'cap:key:slow', idempotency_key: 'old' });
  await until('it runs', () => gates.has(id));
  await gateway.pool.query('UPDATE runtime.idempotency SET reserved_until = 0 WHERE owner_action_id = $1', [id]);
  expect(await submit('cap:key:slow', 'old')).toMatchObject({ error: { code: 'idempotency.in_progress' } });
  await gateway.actions.cancel(caller(), { actionId: id });
  await first;
});

test('a key whose action may take or whose contract keeps it longer than any time says holds, and is repeated', async () => {
  for (const action of [
    { capability_id: 'cap:key:principal', idempotency_key: newId('action'), timeout_ms: 1e18 },
    { capability_id: 'cap:key:principal', idempotency_key: newId('action'), timeout_ms: 1.8e19 },
    { capability_id: 'cap:key:endless', idempotency_key: newId('action') },
  ]) {
    const first = resultOf(await gateway.submit(action));
    expect(first.status).toBe('completed');
    const again = resultOf(await gateway.submit(action));
    expect(again.output).toMatchObject({ by: first.action_id, idempotent_replay: true });
  }
});

test('a key that its owner gave back before it could be read is in progress, to be tried again', async () => {
  const pool = openPool({ url, max: 4 });
  const key = { capability_id: 'cap:key:principal', idempotency_key: newId('action') };
  await gateway.submit(key);
  const other = await startActions(url, capabilities, () => now, {
    pool: {
      ...pool,
      query: async (statement: { name?: string }, values: unknown[]) => {
        if (statement.name === 'runtime.idempotency.read') await pool.query('DELETE FROM runtime.idempotency');
        return pool.query(statement as string, values);
      },
    } as Pool,
  });
  const error = { code: 'idempotency.in_progress', retryable: true, retry_after_ms: 1 };
  expect(resultOf(await other.submit(key))).toMatchObject({ status: 'failed', error });
  expect(resultOf(await other.submit(key)).status).toBe('completed');
  await other.stop();
  await pool.close();
});
