import type { ActionResult } from '@aip/runtime/protocol/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { probeCapability } from '../support/external-host.ts';
import { startTwoTenants, type TwoTenants } from './fleet.ts';

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

let fleet: TwoTenants;

beforeAll(async () => {
  fleet = await startTwoTenants([
    probeCapability('pattern', {
      input_schema: { type: 'object', properties: { s: { type: 'string', pattern: '^(a+)+$' } } },
    }),
    probeCapability('output', { output_schema: { type: 'object', properties: { s: { pattern: '^(a+)+$' } } } }),
    probeCapability('nested', { input_schema: NESTED }),
    probeCapability('wide', { input_schema: WIDE }),
  ]);
});
afterAll(async () => {
  await fleet?.stop();
});

const resultOf = ({ body }: { body: unknown }): ActionResult =>
  (body as { body: { action_result: ActionResult } }).body.action_result;
const nested = (levels: number): unknown => (levels === 0 ? [] : Array.from({ length: 2 }, () => nested(levels - 1)));

test.each([
  ['an expression that backtracks without an end', 'pattern', { s: `${'a'.repeat(60)}!` }],
  ['alternatives that refer to each other', 'nested', { v: nested(12) }],
])(
  'a schema with %s ends its own call alone; the other tenant’s calls complete meanwhile',
  async (_what, name, input) => {
    const attack = fleet.attacker.submit({ capability_id: `cap:probe:${name}`, input });
    for (let n = 0; n < 5; n += 1) await fleet.witnessed();
    expect(resultOf(await attack)).toMatchObject({
      status: 'failed',
      error: { code: expect.stringMatching(/schema_invalid$/) },
    });
    expect((await fetch(`${fleet.dev.ready.gateway_url}/health`)).status).toBe(200);
  },
);

test('an output that its schema cannot be held against ends its own action alone', async () => {
  fleet.host.answer = (envelope) => {
    const { id } = (envelope.body as { action: { id: string } }).action;
    return { body: { action_result: { action_id: id, status: 'completed', output: { s: `${'a'.repeat(60)}!` } } } };
  };
  const attack = fleet.attacker.submit({ capability_id: 'cap:probe:output', input: {} });
  for (let n = 0; n < 5; n += 1) await fleet.witnessed();
  expect(resultOf(await attack)).toMatchObject({ status: 'failed', error: { code: 'capability.schema_invalid' } });
});

test('a schema of 2,000 properties is admitted and used, never a temporary failure', async () => {
  const answer = await fleet.attacker.submit({ capability_id: 'cap:probe:wide', input: { p1999: '' } });
  await fleet.witnessed();
  expect(answer.status).toBe(200);
  expect(resultOf(answer)).toMatchObject({ status: 'failed', error: { code: 'action.input_schema_invalid' } });
});
