import { describe, expect, test } from 'vitest';
import { type Evidence, explain } from '#cli/records/explain-action.js';
import type { ActionStatus, Event, ProtocolError, ReceiptChain } from '#runtime/protocol/types.js';

const NOW = Date.parse('2026-11-21T15:00:00Z');
const STARTED = '2026-11-21T14:59:00Z';

/** The sentences about an action in a state. */
function said(status: Partial<ActionStatus>, more: Partial<Evidence> = {}) {
  const given = { action_id: 'act_1', capability_id: 'cap:shop:buy', started_at: STARTED, ...status } as ActionStatus;
  const { said: sentences, next } = explain({ status: given, events: [], ...more }, NOW);
  return { text: sentences.join(' '), next };
}

const failed = (error: Partial<ProtocolError>) => ({
  state: 'failed' as const,
  result: {
    action_id: 'act_1',
    status: 'failed' as const,
    error: { code: 'shop.closed', message: 'closed', ...error },
  },
});

describe('aip actions explain says', () => {
  test('whom it was called for, where it ran, how often it was tried and why it failed', () => {
    const receipts = {
      receipts: [
        {
          receipt_type: 'action_accepted',
          occurred_at: '2026-11-21T14:58:59Z',
          actor: { id: 'agent:planner', kind: 'agent' },
        },
        { receipt_type: 'action_completed', data: { route: { replica_id: 'crepl_default.shop-0' } } },
      ],
    } as unknown as ReceiptChain;
    const retry = {
      attempts: 3,
      last_error: { code: 'shop.busy', message: 'try later' },
      dead_letter_reason: 'attempts_exhausted',
    };
    const { text } = said({ ...failed({}), state: 'dead_lettered', retry } as Partial<ActionStatus>, { receipts });
    expect(text).toContain('act_1 calls cap:shop:buy for agent:planner, accepted at 2026-11-21T14:58:59.000Z.');
    expect(text).toContain('It ran at crepl_default.shop-0.');
    expect(text).toContain('It was tried 3 times; the last attempt failed with shop.busy: try later.');
    expect(text).toContain('It failed with shop.closed: closed; it was given up: attempts_exhausted.');
    expect(text).toContain('2 receipts record it: action_accepted, action_completed.');
  });

  test('whose log has what a connector threw without a type', () => {
    const error = { code: 'connector.operation_failed', message: 'the connector call failed' };
    const thrown = failed(error) as Partial<ActionStatus>;
    const events = [{ data: { replica_id: 'crepl_default.shop-1a2b3c-0.0a1b2c3d' } }] as unknown as Event[];
    expect(said(thrown, { events }).next).toEqual([
      'Fix the cause, then submit it again.',
      'See where the connector threw: aip fleet logs shop-1a2b3c-0',
    ]);
    expect(said(thrown).next.at(-1)).toBe('See where the connector threw: aip fleet logs INSTANCE');
    expect(said(failed({}) as Partial<ActionStatus>).next).toHaveLength(1);
  });

  test('the replica that an event names, when receipts may not be read', () => {
    const events = [{ data: { replica_id: 'crepl_default.shop-1' } }] as unknown as Event[];
    expect(said({ state: 'running' }, { events }).text).toContain('It ran at crepl_default.shop-1.');
  });

  test.each([
    ['completed', { completed_at: '2026-11-21T14:59:04.200Z' }, 'It completed after 4.2s.'],
    ['queued', { retry: { attempts: 1, next_attempt_at: '2026-11-21T15:00:30Z' } }, 'its next attempt in 30s.'],
    ['queued', {}, 'It waits for a worker or for a free host.'],
    ['pending_approval', { approval_id: 'appr_1' }, 'It waits for a person.'],
    ['cancelled', {}, 'that does not prove that an effect at the provider was reversed.'],
    ['expired', {}, 'It expired before it could run.'],
    ['streaming', {}, 'It is streaming.'],
  ] as const)('why an action is %s: %j', (state, more, sentence) => {
    expect(said({ state, ...more } as Partial<ActionStatus>).text).toContain(sentence);
  });

  test.each([
    [{ state: 'pending_approval', approval_id: 'appr_1' }, 'aip approvals approve appr_1'],
    [{ state: 'running' }, 'aip actions follow act_1'],
    [{ state: 'queued' }, 'aip actions follow act_1'],
    [{ state: 'completed' }, 'aip receipts get act_1'],
    [failed({ code: 'action.input_schema_invalid' }), 'aip capabilities get cap:shop:buy'],
    [failed({ code: 'connector.replica_unavailable' }), 'aip fleet status'],
    [failed({ code: 'connector.outcome_unknown' }), 'Look at the provider before you repeat it'],
    [failed({ code: 'sla.timeout_exceeded', retryable: true }), 'Look at the provider before you repeat it'],
    [failed({ details: { uncertain_outcome: true } }), 'Look at the provider before you repeat it'],
    [failed({ retryable: true }), 'the same --idempotency-key'],
    [failed({ retryable: false }), 'Fix the cause'],
  ] as const)('what to do next: %j', (status, command) => {
    const { next } = said(status as Partial<ActionStatus>);
    expect(next).toHaveLength(1);
    expect(next[0]).toContain(command);
  });
});
