import { type CapabilityContext, capability, defineConnector, idempotentWrite, readOnly } from '@aip/runtime/sdk';
import { openTestHost, type TestHost } from '@aip/runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

interface Config {
  greeting: string;
}
let calls = 0;
const greeter = defineConnector<Config>({
  type: 'kit',
  configSchema: { type: 'object', required: ['greeting'], properties: { greeting: { type: 'string' } } },
  manifest: () => ({ channels: ['greetings'] }),
  health: async ({ secret }) => ({ ready: secret('token') === 'let-me-in', detail: 'the token is checked' }),
  capabilities: [
    capability({
      id: 'cap:kit:greet',
      input: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: { name: { type: 'string' } },
      },
      output: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
      contract: readOnly({ execution: { supports_streaming: true } }),
      run: async ({ name }, ctx: CapabilityContext<Config>) => {
        calls += 1;
        await ctx.progress(1);
        await ctx.publishEvents('greetings', [
          { id: `evt_${ctx.action.id}`, kind: 'kit.greeted', occurred_at: '2026-01-01T00:00:00Z', data: { name } },
        ]);
        if (name === 'nobody') return {} as { text: string };
        return { text: `${ctx.config.greeting}, ${name}!` };
      },
    }),
    capability({
      id: 'cap:kit:pay',
      requiresHumanApproval: true,
      input: { type: 'object' },
      contract: idempotentWrite({
        approval: {
          required: true,
          reason: 'money leaves the account',
          approver_selector: { type: 'role', name: 'approver' },
          minimum_distinct_principals: 1,
          separation_of_duties: {
            requester_must_differ: true,
            operator_must_differ: false,
            allow_self_approval: false,
          },
        },
      }),
      run: (_input, { approval, idempotencyKey }) => ({ approved: approval !== undefined, key: idempotencyKey }),
    }),
  ],
});

let host: TestHost;
beforeAll(async () => {
  host = await openTestHost(greeter, { config: { greeting: 'Hi' }, secrets: { token: 'let-me-in' } });
});
afterAll(() => host?.stop());

test('a capability runs through a host of its own, with chunks and events', async () => {
  const { result, chunks, events } = await host.run('cap:kit:greet', { name: 'Ada' }, { mode: 'streaming' });
  expect(result).toMatchObject({ status: 'completed', output: { text: 'Hi, Ada!' } });
  expect(chunks).toEqual([{ kind: 'progress', data: { fraction: 1 } }]);
  expect(events).toMatchObject([{ channel: 'greetings', event: { kind: 'kit.greeted', data: { name: 'Ada' } } }]);
  expect(await host.run('cap:kit:greet', { name: 'Ada' }, { mode: 'async' })).toMatchObject({ chunks: [] });
});

test('input and output are checked as by a host', async () => {
  const wrong = await host.run('cap:kit:greet', { name: 7 });
  expect(wrong.result.error?.code).toBe('action.input_schema_invalid');
  const empty = await host.run('cap:kit:greet', { name: 'nobody' });
  expect(empty.result.error?.code).toBe('action.output_schema_invalid');
});

test('an action is journalled: the same id runs once', async () => {
  const first = await host.run('cap:kit:greet', { name: 'Bo' }, { id: 'act_once' });
  const before = calls;
  expect((await host.run('cap:kit:greet', { name: 'Bo' }, { id: 'act_once' })).result).toEqual(first.result);
  expect(calls).toBe(before);
  await expect(host.run('cap:kit:greet', { name: 'Cy' }, { id: 'act_once' })).rejects.toMatchObject({
    code: 'action.id_conflict',
  });
});

test('the gate is that of a host: what it does not offer is refused, and so is what nobody approved', async () => {
  await expect(host.run('cap:kit:other', {})).rejects.toMatchObject({ code: 'connector_host.route_mismatch' });
  await expect(host.run('cap:kit:pay', {}, { approved: false })).rejects.toMatchObject({
    code: 'connector_host.route_mismatch',
  });
  const paid = await host.run('cap:kit:pay', {}, { idempotencyKey: 'k-1' });
  expect(paid.result.output).toEqual({ approved: true, key: 'k-1' });
});

test('health and configuration are those of the connector', async () => {
  expect(await host.health()).toEqual({ ready: true, detail: 'the token is checked' });
  await expect(openTestHost(greeter, { config: {} })).rejects.toThrow('the configuration of kit is invalid');
});
