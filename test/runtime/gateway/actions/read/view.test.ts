import { expect, test } from 'vitest';
import { actionView } from '#runtime/gateway/actions/read/view.js';
import type { ActionRecord } from '#runtime/gateway/actions/record/record.js';

const ERROR = { code: 'provider.busy', message: 'busy', category: 'temporary', retryable: true } as const;
const LINKS = {
  self: '/aip/v1/actions/act_1',
  result: '/aip/v1/actions/act_1/result',
  events: '/aip/v1/actions/act_1/events',
  chunks: '/aip/v1/actions/act_1/chunks',
  cancel: '/aip/v1/actions/act_1/cancel',
};

/** A record with every member that a view can show. */
const FULL = {
  action_id: 'act_1',
  capability_id: 'cap:x',
  session_id: 'sess_1',
  correlation_id: 'corr_1',
  mode: 'async',
  state: 'retrying',
  plan: { max_attempts: 4 },
  result: { action_id: 'act_1', status: 'failed', error: ERROR },
  attempts: 2,
  last_error: ERROR,
  dead_letter_reason: 'provider.busy',
  worker_id: 'worker:1',
  lease_id: 'lease:1',
  lease_acquired_at: 1000,
  lease_expires_at: 31_000,
  next_attempt_at: 5000,
  approval_id: 'appr_1',
  transaction_id: 'txn_1',
  started_at: 2000,
  updated_at: 3000,
  completed_at: 4000,
} as unknown as ActionRecord;

test('a view shows every member of a record that has it', () => {
  const receiptChain = { chain_id: 'action:act_1', receipts: [], root_hash: 'sha256:0' };
  expect(actionView(FULL, { includeResult: true, receiptChain: receiptChain as never })).toEqual({
    action_id: 'act_1',
    capability_id: 'cap:x',
    session_id: 'sess_1',
    correlation_id: 'corr_1',
    state: 'retrying',
    result_status: 'failed',
    approval_id: 'appr_1',
    transaction_id: 'txn_1',
    started_at: '1970-01-01T00:00:02Z',
    updated_at: '1970-01-01T00:00:03Z',
    completed_at: '1970-01-01T00:00:04Z',
    retry: {
      attempts: 2,
      policy: { max_attempts: 4 },
      next_attempt_at: '1970-01-01T00:00:05Z',
      last_error: ERROR,
      dead_letter_reason: 'provider.busy',
    },
    lease: {
      worker_id: 'worker:1',
      lease_id: 'lease:1',
      acquired_at: '1970-01-01T00:00:01Z',
      expires_at: '1970-01-01T00:00:31Z',
    },
    result: { action_id: 'act_1', status: 'failed', error: ERROR },
    receipt_chain: receiptChain,
    links: LINKS,
  });
});

test('a view leaves out what a record does not have, the result unless it is requested, and the retry of a sync action', () => {
  const bare = Object.fromEntries(Object.keys(FULL).map((name) => [name, null]));
  const { action_id, capability_id, plan, updated_at, result } = FULL;
  const record = { ...bare, action_id, capability_id, plan, updated_at, mode: 'sync', state: 'queued', attempts: 0 };
  const expected = { action_id, capability_id, state: 'queued', updated_at: '1970-01-01T00:00:03Z', links: LINKS };
  expect(actionView(record as never)).toEqual(expected);
  expect(actionView({ ...record, result } as never)).toEqual({ ...expected, result_status: 'failed' });
  expect(actionView({ ...record, mode: 'async' } as never)).toEqual({
    ...expected,
    retry: { attempts: 0, policy: { max_attempts: 4 } },
  });
});
