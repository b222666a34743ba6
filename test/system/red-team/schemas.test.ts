import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionResult } from '#runtime/protocol/types.js';
import { startTwoTenants, type TwoTenants } from './fleet.ts';
import { HOSTILE_CAPABILITIES, nested, zeros } from './hostile-schemas.ts';

let fleet: TwoTenants;

beforeAll(async () => {
  fleet = await startTwoTenants(HOSTILE_CAPABILITIES);
});
afterAll(async () => {
  await fleet?.stop();
});

const resultOf = ({ body }: { body: unknown }): ActionResult =>
  (body as { body: { action_result: ActionResult } }).body.action_result;

test.each([
  ['an expression that backtracks without an end', 'pattern', { s: `${'a'.repeat(60)}!` }],
  ['alternatives that refer to each other', 'nested', { v: nested(12) }],
  ['issues that fill the memory at once', 'greedy', { v: zeros() }],
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
