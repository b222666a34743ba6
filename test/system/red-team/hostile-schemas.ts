import type { Capability } from '#runtime/protocol/types.js';
import { probeCapability } from '../../support/external-host.ts';

/** Ten levels of alternatives that all refer to the root: an array of arrays is checked 3^10 times. */
const NESTED = {
  type: 'object',
  properties: { v: { $ref: '#/$defs/node' } },
  $defs: {
    node: {
      anyOf: Array.from({ length: 4 }, (_, n) => ({
        type: 'array',
        items: { $ref: '#/$defs/node' },
        contains: { const: n },
      })),
    },
  },
};
const WIDE = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 2000 }, (_, n) => [`p${n}`, { type: 'string', minLength: 1, maxLength: 100 }]),
  ),
};

/** Each item that is not a string is 1,500 issues in one list: its growth needs much memory at once. */
const GREEDY = {
  type: 'object',
  properties: { v: { type: 'array', items: { allOf: Array.from({ length: 1500 }, () => ({ type: 'string' })) } } },
};

/** Capabilities whose schemas cost a great deal to check. */
export const HOSTILE_CAPABILITIES: Capability[] = [
  probeCapability('pattern', {
    input_schema: { type: 'object', properties: { s: { type: 'string', pattern: '^(a+)+$' } } },
  }),
  probeCapability('output', { output_schema: { type: 'object', properties: { s: { pattern: '^(a+)+$' } } } }),
  probeCapability('nested', { input_schema: NESTED }),
  probeCapability('wide', { input_schema: WIDE }),
  probeCapability('greedy', { input_schema: GREEDY }),
  probeCapability('hang'),
];

/** An input of `cap:probe:nested` with two items at each of so many levels. */
export const nested = (levels: number): unknown =>
  levels === 0 ? [] : Array.from({ length: 2 }, () => nested(levels - 1));

/** An input of `cap:probe:greedy` with 30 million issues. */
export const zeros = (): unknown => Array.from({ length: 20_000 }, () => 0);
