import { describe, expect, test } from 'vitest';
import { capabilityLines, contractInWords } from '#cli/ui/capability-lines.js';
import type { Capability } from '#runtime/protocol/types.js';

interface Members {
  risk?: string;
  requires_human_approval?: boolean;
  side_effects?: string[];
  approval?: object;
  execution?: object;
  idempotency?: object;
}

/** A capability whose contract has these members. */
const capability = ({ risk, requires_human_approval, ...contract }: Members): Capability =>
  ({
    id: 'cap:shop:order',
    name: 'Order',
    description: 'Orders goods from the supplier that has them first.',
    input_schema: { type: 'object', required: ['sku'], properties: { sku: { type: 'string', examples: ['A1'] } } },
    ...(risk && { risk }),
    ...(requires_human_approval && { requires_human_approval }),
    contract: {
      side_effects: ['read'],
      execution: { supports_sync: true, supports_retry: true, retry_safety: 'safe' },
      idempotency: { requirement: 'none' },
      ...contract,
    },
  }) as unknown as Capability;
const words = (members: Members): string => contractInWords(capability(members)).join(' ');

describe('aip capabilities get says what a member of the contract does', () => {
  test.each<[Members, string]>([
    [{ risk: 'low' }, 'Its risk is low.'],
    [{ risk: 'high' }, 'Its risk is high: it waits until a person approves it.'],
    [{ risk: 'critical' }, 'Its risk is critical: it waits until a person approves it.'],
    [{ requires_human_approval: true }, 'A person must approve each call: `aip approvals list`.'],
    [
      { approval: { required: true, reason: 'money leaves', ttl_ms: 600_000 } },
      'A person must approve each call (money leaves) within 10m: `aip approvals list`.',
    ],
    [{ side_effects: ['read'] }, 'It changes nothing.'],
    [{ side_effects: ['read', 'payment', 'message'] }, 'It changes something: payment, message.'],
    [{ idempotency: { requirement: 'none' } }, 'It takes no idempotency key.'],
    [
      { idempotency: { requirement: 'optional', collision_behavior: 'reject_conflict' } },
      'With --idempotency-key a repeat under the same key is refused.',
    ],
    [
      { idempotency: { requirement: 'required', collision_behavior: 'revalidate_input_hash' } },
      'It needs --idempotency-key; a repeat under the same key gives the first result if the input is the same.',
    ],
  ])('%j', (members, sentence) => {
    expect(words(members)).toContain(sentence);
  });

  test.each([
    [true, 'safe', 'It is retried after failures that can pass.'],
    [true, 'safe_with_idempotency_key', 'when the action has an idempotency key.'],
    [true, 'unsafe', 'It is never run twice for one action: an unknown outcome stays unknown.'],
    [true, 'unknown', 'Whether a retry is safe is not known, so it is not retried.'],
    [false, 'safe', 'It is never run twice for one action: an unknown outcome stays unknown.'],
  ])('supports_retry %s, retry_safety %s', (supports_retry, retry_safety, sentence) => {
    expect(words({ execution: { supports_sync: true, supports_retry, retry_safety } })).toContain(sentence);
  });

  test.each([
    [{ supports_sync: true }, 'It runs sync, and cannot be cancelled.'],
    [
      { supports_async: true, supports_streaming: true, supports_cancel: true },
      'async, streaming, and can be cancelled.',
    ],
  ])('%j', (execution, sentence) => {
    expect(words({ execution: { retry_safety: 'safe', ...execution } })).toContain(sentence);
  });

  test('without a contract that nothing is known of it', () => {
    const { contract: _, ...without } = capability({ risk: 'high' });
    expect(contractInWords(without as Capability)).toEqual([
      'Its risk is high: it waits until a person approves it.',
      'It states no contract: it is not retried, and what it changes is not known.',
    ]);
  });
});

test('the sentences are wrapped at the width; the call to copy is whole', () => {
  const lines = capabilityLines(capability({ risk: 'high', side_effects: ['payment'] }), 40);
  const call = lines.at(-1) as string;
  expect(call).toContain(`actions submit cap:shop:order --input '{"sku":"A1"}'`);
  for (const line of lines.slice(0, -1)) expect(line.length, line).toBeLessThanOrEqual(40);
});
