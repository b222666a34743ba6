import type { Capability } from '@aip/runtime/internal/protocol';
import { exampleOf } from './example.js';

/** A call of a capability that can be copied: an input made from its schema, and a key where its contract requires one. */
export function exampleCall(capability: Capability): string {
  const { id, input_schema: schema, contract } = capability;
  const input = JSON.stringify(exampleOf(schema)).replaceAll("'", `'\\''`);
  const key = contract?.idempotency.requirement === 'required' ? ' --idempotency-key example-1' : '';
  const follow = contract?.execution.supports_streaming ? ' --follow' : '';
  return `aip actions submit ${id} --input '${input}'${key}${follow}`;
}
