import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acceptanceOf } from '#runtime/gateway/actions/accept/compose.js';
import { type Acceptance, acceptAlone, isOneStatement } from '#runtime/gateway/actions/accept/write.js';
import { replayClaimOf } from '#runtime/gateway/records/replay/freshness.js';
import type { Pool, Queryable } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { StorageUnavailable } from '#runtime/protocol/errors.js';
import { newId } from '#runtime/protocol/ids.js';
import type { Action, ActionMode } from '#runtime/protocol/types.js';
import { actionsOverFreshDatabase, caller, capability } from '../../support/actions.ts';

// Acceptances without a transaction around them: what is stored by their first statement stays stored, whatever comes after it.

let pool: Pool;
let end: () => Promise<void>;
beforeAll(async () => {
  const { gateway, end: ended } = await actionsOverFreshDatabase([]);
  ({ pool } = gateway);
  end = ended;
});
afterAll(() => end?.());

const { capability: write } = capability('cap:write', async () => ({}));

/** A new action of a message of its own, that no worker takes. */
function acceptance(changes: Partial<Action> = {}, mode: ActionMode = 'sync'): Acceptance {
  const action: Action = { id: newId('action'), capability_id: write.id, input: {}, ...changes };
  const envelope = newEnvelope({ action }, {}, { clock: Date.now });
  const prepared = { action, mode, known: { capability: write, placement: 'local' as const } };
  const lease = { workerId: 'worker', leaseId: randomUUID() };
  const now = Date.now();
  return acceptanceOf(caller(), envelope, prepared, replayClaimOf(caller(), envelope, now), lease, now).acceptance;
}

/** The pool, with something done before each statement of a name; what that throws, the statement throws. */
function before(name: string, act: () => unknown): Queryable {
  return {
    query: async (statement, values) => {
      if (typeof statement !== 'string' && statement.name === name) await act();
      return pool.query(statement as string, values);
    },
  };
}

async function outcomesOf(db: Queryable, items: readonly Acceptance[]): Promise<unknown[]> {
  expect(isOneStatement(items)).toBe(true);
  const outcomes = await acceptAlone(db, items, Date.now());
  return outcomes.map((outcome) => (outcome instanceof Error ? outcome.message : outcome.kind));
}

const statesOf = async (items: readonly Acceptance[]): Promise<string[]> => {
  const ids = items.map(({ action }) => action.action_id);
  const { rows } = await pool.query<{ state: string }>('SELECT state FROM runtime.actions WHERE action_id = ANY($1)', [
    ids,
  ]);
  return rows.map(({ state }) => state);
};

test('a key that its owner gives back before it is read is the outcome of one action, and the others are accepted', async () => {
  await outcomesOf(pool, [acceptance({ idempotency_key: 'freed' })]);
  const items = [acceptance(), acceptance({ idempotency_key: 'freed' }), acceptance()];
  const freed = before('runtime.idempotency.read', () => pool.query('DELETE FROM runtime.idempotency'));
  expect(await outcomesOf(freed, items)).toEqual(['accepted', 'key_released', 'accepted']);
  expect(await statesOf(items)).toEqual(['running', 'running']);
});

test.each([
  ['the storage', () => new StorageUnavailable('away')],
  ['a statement', () => new RangeError('no such number')],
])('a taken key that cannot be read because of %s is the failure of one action', async (_, failure) => {
  const idempotency_key = newId('action');
  await outcomesOf(pool, [acceptance({ idempotency_key })]);
  const items = [acceptance(), acceptance({ idempotency_key }), acceptance()];
  const failing = before('runtime.idempotency.read', () => Promise.reject(failure()));
  expect(await outcomesOf(failing, items)).toEqual(['accepted', failure().message, 'accepted']);
  expect(await statesOf(items)).toEqual(['running', 'running']);
});

test('known messages that cannot be written together are written one by one', async () => {
  const known = [acceptance(), acceptance()];
  await outcomesOf(pool, known);
  let fails = 1;
  const once = before('runtime.action.accept', () => {
    if (fails-- > 0) throw new RangeError('a whole statement');
  });
  expect(await outcomesOf(once, [acceptance(), ...known])).toEqual(['accepted', 'replayed', 'replayed']);
});

test('a known message that cannot be written fails alone, and all of them while the storage is away', async () => {
  const known = [acceptance(), acceptance()];
  await outcomesOf(pool, known);
  const failing = before('runtime.action.accept', () => Promise.reject(new RangeError('no')));
  expect(await outcomesOf(failing, [acceptance(), ...known])).toEqual(['accepted', 'no', 'no']);
  let asked = 0;
  const away = before('runtime.action.accept', () => {
    asked += 1;
    throw new StorageUnavailable('away');
  });
  expect(await outcomesOf(away, [acceptance(), ...known])).toEqual(['accepted', 'away', 'away']);
  expect(asked).toBe(1);
});

test('queued actions whose workers cannot be notified are accepted all the same', async () => {
  const items = [acceptance({}, 'async'), acceptance({}, 'async')];
  const silent = before('runtime.action.notify_work', () => Promise.reject(new RangeError('no')));
  expect(await outcomesOf(silent, items)).toEqual(['accepted', 'accepted']);
  expect(await statesOf(items)).toEqual(['queued', 'queued']);
});

test('a first statement that fails has stored nothing, so that all of it may be written again', async () => {
  const items = [acceptance(), acceptance()];
  const failing = before('runtime.action.accept_new', () => Promise.reject(new RangeError('no')));
  await expect(acceptAlone(failing, items, Date.now())).rejects.toThrow('no');
  expect(await statesOf(items)).toEqual([]);
  expect(await outcomesOf(pool, items)).toEqual(['accepted', 'accepted']);
});
