import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandsToTry } from '#cli/dev/commands-to-try.js';
import { json, type ScriptedGateway, scriptedGateway } from '../support/scripted-gateway.ts';

interface Offered {
  id: string;
  required?: string[];
  streams?: boolean;
  risk?: 'high';
  key?: boolean;
}

let folder: string;
let gateway: ScriptedGateway;
let offered: Offered[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-to-try-'));
  await writeFile(join(folder, 'token'), 'token\n');
  gateway = await scriptedGateway((_, response) =>
    json(response, {
      capabilities: offered.map(({ id, required = [], streams = false, risk, key }) => ({
        capability: {
          id,
          input_schema: {
            type: 'object',
            required,
            properties: Object.fromEntries(
              required.map((name) => [name, { type: 'string', examples: [`my ${name}`] }]),
            ),
          },
          ...(risk && { risk }),
          contract: {
            execution: { supports_streaming: streams },
            idempotency: { requirement: key ? 'required' : 'optional' },
          },
        },
      })),
      total: offered.length,
    }),
  );
});
afterAll(async () => {
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

const suggested = async (all: Offered[], data?: string): Promise<string[]> => {
  offered = all;
  const commands = await commandsToTry({ url: gateway.url, tokenFile: join(folder, 'token'), data });
  return commands.map((command) => command.replace(/^.*?(?=(fleet|capabilities|actions)( |$))/, 'aip '));
};

test("aip dev suggests a call of the user's own capability with an input that its schema takes", async () => {
  expect(await suggested([{ id: 'cap:shop:say', required: ['text'] }])).toEqual([
    'aip fleet status',
    'aip capabilities',
    `aip actions submit cap:shop:say --input '{"text":"my text"}'`,
    'aip actions list',
  ]);
});

test.each<[string, Offered[], string]>([
  ['one that streams', [{ id: 'cap:shop:say' }, { id: 'cap:shop:tail', streams: true }], 'cap:shop:tail'],
  [
    'the one that needs least',
    [
      { id: 'cap:shop:order', required: ['a', 'b'] },
      { id: 'cap:shop:find', required: ['a'] },
    ],
    'cap:shop:find',
  ],
  [
    'one that waits for no person',
    [
      { id: 'cap:shop:pay', streams: true, risk: 'high' },
      { id: 'cap:shop:find', required: ['a', 'b'] },
    ],
    'cap:shop:find',
  ],
])('of several it suggests %s', async (_, all, id) => {
  expect((await suggested(all))[2]).toContain(`actions submit ${id} `);
});

test('the call has the key that its contract requires, and every command the folder that is not the usual one', async () => {
  const commands = await suggested([{ id: 'cap:shop:pay', key: true, streams: true }], '/data');
  expect(commands[2]).toBe(
    `aip actions submit cap:shop:pay --input '{}' --idempotency-key example-1 --follow --data /data`,
  );
  for (const command of commands) expect(command).toMatch(/ --data \/data$/);
});

test('a folder is quoted where a shell would split its name', async () => {
  const [command] = await suggested([], "/home/me/it's mine");
  expect(command).toBe(`aip fleet status --data '/home/me/it'\\''s mine'`);
});

test('without a capability, or without an answer, the other commands are suggested', async () => {
  const others = ['aip fleet status', 'aip capabilities', 'aip actions list'];
  expect(await suggested([])).toEqual(others);
  const commands = await commandsToTry({ url: gateway.url, tokenFile: join(folder, 'none'), data: undefined });
  expect(commands).toHaveLength(others.length);
});
