import { describe, expect, test } from 'vitest';
import { type Attempt, decide } from '#runtime/gateway/actions/execute/decide.js';
import {
  isTerminal,
  LIVE_STATES,
  nextState,
  TERMINAL_STATES,
  type Trigger,
} from '#runtime/gateway/actions/record/states.js';
import type { ProtocolError } from '#runtime/protocol/types.js';

const TRIGGERS: Trigger[] = [
  'enqueue',
  'start',
  'chunk',
  'approval_needed',
  'approved',
  'denied',
  'approval_expired',
  'cancel',
  'cancelled',
  'complete',
  'report_completed',
  'fail',
  'retry',
  'give_up',
];

test('a terminal action never changes', () => {
  for (const state of TERMINAL_STATES) {
    expect(isTerminal(state)).toBe(true);
    for (const trigger of TRIGGERS) expect(nextState(state, trigger)).toBeUndefined();
  }
});

test('every live state can end, and every terminal state is reached', () => {
  const reached = new Set<string>();
  const endsFrom = (from: (typeof LIVE_STATES)[number], seen = new Set<string>([from])): boolean =>
    TRIGGERS.some((trigger) => {
      const next = nextState(from, trigger);
      if (next === undefined) return false;
      reached.add(next);
      if (isTerminal(next)) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return endsFrom(next as never, seen);
    });
  for (const state of LIVE_STATES) expect(endsFrom(state)).toBe(true);
  for (const state of LIVE_STATES) for (const trigger of TRIGGERS) reached.add(nextState(state, trigger) ?? '');
  for (const state of TERMINAL_STATES) expect(reached).toContain(state);
});

test('only running work is asked to stop; waiting work is cancelled at once', () => {
  const cancelled = LIVE_STATES.map((state) => [state, nextState(state, 'cancel')]);
  expect(cancelled.filter(([, next]) => next !== undefined)).toEqual([
    ['accepted', 'cancelled'],
    ['queued', 'cancelled'],
    ['running', 'cancelling'],
    ['streaming', 'cancelling'],
    ['pending_approval', 'cancelled'],
    ['cancelling', 'cancelling'],
  ]);
  expect(nextState('cancelling', 'complete')).toBeUndefined();
});

describe('what follows an attempt', () => {
  const plan = {
    placement: 'remote',
    timeout_ms: 1000,
    max_attempts: 3,
    supports_retry: true,
    supports_cancel: true,
  } as const;
  const failed = (
    error: Partial<ProtocolError>,
    attempts = 1,
    mode: 'sync' | 'async' | 'streaming' = 'async',
    more: Partial<Attempt> = {},
  ) =>
    decide({
      mode,
      attempts,
      plan,
      ...more,
      result: {
        action_id: 'act_1',
        status: 'failed',
        error: { code: 'x.y', message: 'm', category: 'temporary', ...error } as ProtocolError,
      },
    });

  test('a retryable failure of a queued action is tried again with a doubling pause, at most three times in all', () => {
    expect(failed({ retryable: true })).toEqual({ kind: 'retry', delayMs: 1000, maxAttempts: 3 });
    expect(failed({ retryable: true }, 2)).toEqual({ kind: 'retry', delayMs: 2000, maxAttempts: 3 });
    expect(failed({ retryable: true }, 3)).toEqual({ kind: 'settle', state: 'dead_lettered' });
  });

  test('an unknown outcome is looked up again where the host journals, else attempted again only where the contract permits', () => {
    const unknown = { code: 'connector.outcome_unknown', category: 'connector' } as const;
    const once = { ...plan, max_attempts: 1 };
    const over = { kind: 'settle', state: 'dead_lettered' };
    expect(failed(unknown, 9, 'async', { plan: once, journaled: true })).toMatchObject({ kind: 'retry' });
    expect(failed(unknown, 10, 'async', { plan: once, journaled: true })).toEqual(over);
    expect(failed(unknown, 1, 'async', { plan: once, journaled: false })).toEqual(over);
    expect(failed(unknown, 2, 'async', { journaled: false })).toMatchObject({ kind: 'retry', maxAttempts: 3 });
    expect(failed(unknown, 3, 'async', { journaled: false })).toEqual(over);
  });

  test('a host that leaves the outcome of its result open is not sent the action again, whatever the code', () => {
    const away = { code: 'storage.unavailable', retryable: true };
    const once = { plan: { ...plan, max_attempts: 1 } };
    expect(failed(away, 1, 'async', once)).toMatchObject({ kind: 'retry', maxAttempts: 10 });
    const open = { ...away, retryable: false, details: { uncertain_outcome: true } };
    expect(failed(open, 1, 'async', once)).toEqual({ kind: 'settle', state: 'dead_lettered' });
    expect(failed({ ...open, retryable: true }, 1, 'async', once)).toEqual({ kind: 'settle', state: 'dead_lettered' });
  });

  test('an action that waits for an idle instance makes no attempt, with pauses that grow, until its time to wait is over', () => {
    const unavailable = { code: 'connector.replica_unavailable', category: 'temporary', retry_after_ms: 1000 } as const;
    const waiting = (waitedMs: number, attempts = 1) =>
      failed(unavailable, attempts, 'async', { waking: { waitedMs, timeoutMs: 60_000 } });
    expect(waiting(0)).toEqual({ kind: 'wait', delayMs: 500 });
    expect(waiting(8000)).toEqual({ kind: 'wait', delayMs: 2000 });
    expect(waiting(50_000, 9)).toEqual({ kind: 'wait', delayMs: 5000 });
    expect(waiting(59_900)).toEqual({ kind: 'wait', delayMs: 100 });
    expect(waiting(60_000)).toEqual({ kind: 'settle', state: 'dead_lettered' });
  });

  test('an action that waited for its approval is tried again as a queued one is, since no caller waits for it', () => {
    const notReady = { code: 'connector_host.not_ready', category: 'temporary' } as const;
    expect(failed({ retryable: true }, 1, 'sync')).toEqual({ kind: 'settle', state: 'failed' });
    expect(failed({ retryable: true }, 1, 'sync', { background: true })).toMatchObject({
      kind: 'retry',
      maxAttempts: 3,
    });
    expect(failed({ retryable: true }, 3, 'sync', { background: true })).toEqual({ kind: 'settle', state: 'failed' });
    expect(failed({ retryable: true }, 1, 'streaming', { background: true })).toEqual({
      kind: 'settle',
      state: 'failed',
    });
    expect(failed(notReady, 1, 'streaming', { background: true })).toMatchObject({ kind: 'retry' });
    expect(failed(notReady, 1, 'streaming')).toEqual({ kind: 'settle', state: 'failed' });
  });

  test('the error’s own delay counts, up to 30 s', () => {
    expect(failed({ retryable: true, retry_after_ms: 70 })).toMatchObject({ delayMs: 70 });
    expect(failed({ retryable: true, retry_after_ms: 90_000 })).toMatchObject({ delayMs: 30_000 });
  });

  test('retryable false ends it; a silent error goes by its category', () => {
    expect(failed({ retryable: false })).toEqual({ kind: 'settle', state: 'dead_lettered' });
    for (const category of ['temporary', 'transport', 'connector'] as const)
      expect(failed({ category })).toMatchObject({ kind: 'retry' });
    for (const category of ['permanent', 'policy', 'auth', 'economic'] as const)
      expect(failed({ category })).toEqual({ kind: 'settle', state: 'dead_lettered' });
  });

  test('an inline action is never tried again by the server', () => {
    expect(failed({ retryable: true }, 1, 'sync')).toEqual({ kind: 'settle', state: 'failed' });
  });

  test.each([
    'connector.scheduler_overloaded',
    'connector.admission_capacity',
    'connector.replica_unavailable',
    'connector.outcome_unknown',
    'connector_host.not_ready',
    'connector_host.capacity',
    'connector_host.credential_revision_unavailable',
    'connector_host.approval_authorization_unavailable',
    'storage.unavailable',
  ])(
    'work that no host began, or whose host knows the outcome, is offered again beyond the contract’s attempts: %s',
    (code) => {
      expect(failed({ code, retryable: true, retry_after_ms: 1000 }, 4)).toEqual({
        kind: 'retry',
        delayMs: 8000,
        maxAttempts: 10,
      });
      expect(failed({ code }, 10)).toEqual({ kind: 'settle', state: 'dead_lettered' });
    },
  );
});
