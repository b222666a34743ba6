import type { Capability, CapabilityContract } from '@aip/runtime/internal/protocol';
import { exampleCall } from '../client/example.js';
import { shortDuration } from '../duration.js';
import { jsonLines } from './detail-lines.js';
import { paint } from './paint.js';
import { asTyped } from './self.js';
import { wrap } from './tables/width.js';

/** A capability for people: what it does, its contract in words, its schemas, and a call that can be copied. */
export function capabilityLines(capability: Capability, width = Number.POSITIVE_INFINITY): string[] {
  const words = contractInWords(capability).map(asTyped);
  return [
    `${paint.strong(capability.id)}  ${capability.name}`,
    ...(capability.description ? wrap(capability.description, width) : []),
    '',
    ...words.flatMap((sentence) => {
      const [first = '', ...more] = wrap(sentence, width - 2);
      return [`${paint.dim('•')} ${first}`, ...more.map((line) => `  ${line}`)];
    }),
    '',
    ...jsonLines('input', capability.input_schema),
    ...jsonLines('output', capability.output_schema),
    '',
    asTyped(exampleCall(capability)),
  ];
}

/** What each member of a contract does, one sentence each. */
export function contractInWords({ risk, requires_human_approval, contract }: Capability): string[] {
  const said: string[] = [];
  if (risk)
    said.push(
      `Its risk is ${risk}${risk === 'high' || risk === 'critical' ? ': it waits until a person approves it' : ''}.`,
    );
  const approval = contract?.approval;
  if (requires_human_approval || approval?.required)
    said.push(
      `A person must approve each call${approval?.reason ? ` (${approval.reason})` : ''}${approval?.ttl_ms ? ` within ${shortDuration(approval.ttl_ms)}` : ''}: \`aip approvals list\`.`,
    );
  if (!contract) return [...said, 'It states no contract: it is not retried, and what it changes is not known.'];
  return [...said, effects(contract), modes(contract), idempotency(contract), retries(contract)];
}

function effects({ side_effects: effects = [] }: CapabilityContract): string {
  const changing = effects.filter((effect) => effect !== 'read');
  return changing.length === 0 ? 'It changes nothing.' : `It changes something: ${changing.join(', ')}.`;
}

function modes({ execution }: CapabilityContract): string {
  const names = [
    execution.supports_sync ? 'sync' : undefined,
    execution.supports_async ? 'async' : undefined,
    execution.supports_streaming ? 'streaming' : undefined,
  ].filter((name) => name !== undefined);
  return `It runs ${names.join(', ')}${execution.supports_cancel ? ', and can be cancelled' : ', and cannot be cancelled'}.`;
}

function idempotency({ idempotency: { requirement, collision_behavior } }: CapabilityContract): string {
  const effect =
    collision_behavior === 'reject_conflict'
      ? 'is refused'
      : collision_behavior === 'revalidate_input_hash'
        ? 'gives the first result if the input is the same'
        : 'gives the first result';
  if (requirement === 'required') return `It needs --idempotency-key; a repeat under the same key ${effect}.`;
  if (requirement === 'optional') return `With --idempotency-key a repeat under the same key ${effect}.`;
  return 'It takes no idempotency key.';
}

function retries({ execution: { supports_retry, retry_safety } }: CapabilityContract): string {
  if (!supports_retry || retry_safety === 'unsafe')
    return 'It is never run twice for one action: an unknown outcome stays unknown.';
  if (retry_safety === 'safe') return 'It is retried after failures that can pass.';
  if (retry_safety === 'safe_with_idempotency_key')
    return 'It is retried after failures that can pass, when the action has an idempotency key.';
  return 'Whether a retry is safe is not known, so it is not retried.';
}
