import { expect, test } from 'vitest';
import { EXIT, exitOf, UsageError } from '#cli/client/errors.js';
import { exitCodeOf, exitCodeOfStatus } from '#cli/exit-codes.js';
import { GatewayRefused, GatewayUnreachable, IdInvalid, OutcomeUncertain } from '#runtime/client/errors.js';
import type { ActionStatus, ProtocolError } from '#runtime/protocol/types.js';

const error = (over: Partial<ProtocolError>): ProtocolError => ({
  code: 'provider.busy',
  message: 'busy',
  category: 'connector',
  retryable: false,
  ...over,
});

test.each([
  ['completed', 0],
  ['failed', 1],
  ['cancelled', 3],
  ['expired', 4],
  ['dead_lettered', 5],
  ['pending_approval', 6],
  ['requires_human', 6],
  ['running', 0],
  [undefined, 0],
] as const)('an action in state %s ends a command with code %d', (state, code) => {
  expect(exitCodeOf(state)).toBe(code);
  expect(exitCodeOf(state, error({}))).toBe(code);
});

test.each([
  ['a policy', { category: 'policy', code: 'policy.approval_denied' }],
  ['a missing right', { category: 'auth', code: 'auth.not_authorized' }],
  ['a person', { code: 'approval.denied' }],
] as const)('a failure by a refusal of %s is a rejection: code 8', (_whom, over) => {
  for (const state of ['failed', 'dead_lettered']) expect(exitCodeOf(state, error(over))).toBe(8);
  expect(exitCodeOf('cancelled', error(over))).toBe(3);
  expect(exitCodeOfStatus({ state: 'failed', result: { error: error(over) } } as unknown as ActionStatus)).toBe(8);
  expect(exitOf(new GatewayRefused(error(over), 403))).toBe(8);
});

test('a command that fails has the code of what failed', () => {
  expect(exitOf(new UsageError('wrong'))).toBe(2);
  expect(exitOf(new IdInvalid('action', 'x'))).toBe(2);
  expect(exitOf(new GatewayUnreachable('http://localhost', new Error('refused')))).toBe(7);
  expect(exitOf(new OutcomeUncertain('act_1', new Error('reset')))).toBe(7);
  expect(exitOf(new GatewayRefused(error({}), 503))).toBe(1);
  expect([EXIT.gaveUp, EXIT.interrupted]).toEqual([124, 130]);
});
