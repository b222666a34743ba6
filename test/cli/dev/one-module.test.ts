import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CLI, type Dev, startDev } from '../../support/dev.ts';
import { openOnTerminal } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';
import { runCli } from '../support/run-cli.ts';

/** A rollout of two instances takes long on a busy machine. */
const LONG_MS = 120_000;
vi.setConfig({ testTimeout: 3 * LONG_MS, hookTimeout: 3 * LONG_MS });

const SDK = pathToFileURL(join(CLI, '..', '..', '..', 'runtime', 'dist', 'connectors', 'sdk', 'index.js')).href;

/** A module with one capability; its description is part of the contract. */
const module = (type: string, capability: string, description: string): string => `
import { capability, defineConnector, readOnly } from '${SDK}';
export default defineConnector({
  type: '${type}',
  configSchema: { type: 'object' },
  capabilities: [
    capability({
      id: '${capability}',
      description: '${description}',
      input: { type: 'object' },
      contract: readOnly(),
      run: async () => ({ said: '${description}' }),
    }),
  ],
});
`;

interface Instance {
  name: string;
  conditions: { type: string; status: string; reason: string; message: string }[];
}

let folder: string;
let dev: Dev;
const file = (name: string): string => join(folder, name);
const instance = (name: string, type: string, tenant: string): string => `apiVersion: fleet.aip.dev/v1alpha1
kind: ConnectorInstance
metadata: {name: ${name}, annotations: {fleet.aip.dev/module: ${file(`${type}.js`)}}}
spec: {connector: {type: ${type}, version: 1.0.0}, tenantId: ${tenant}, config: {name: ${name}}}
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-one-module-'));
  await writeFile(file('shop.js'), module('shop', 'cap:shop:say', 'first'));
  await writeFile(file('kiosk.js'), module('kiosk', 'cap:kiosk:say', 'first'));
  const documents = [
    instance('shop', 'shop', 'acme'),
    instance('stall', 'shop', 'globex'),
    instance('kiosk', 'kiosk', 'acme'),
  ].join('---\n');
  dev = await startDev({ documents, args: ['--watch'] });
});
afterAll(async () => {
  await dev?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function instances(): Promise<Instance[]> {
  return (JSON.parse(await readFile(join(dev.dataDir, 'status.json'), 'utf8')) as { instances: Instance[] }).instances;
}

const said = async (tenant: string): Promise<string> => {
  const submit = ['actions', 'submit', 'cap:shop:say', '-i', '{}', '--json', '--data', dev.dataDir, '--tenant', tenant];
  return (await runCli(submit)).stdout;
};

test('--tenant uses the token of that tenant, and its actions run there', async () => {
  await until('the first code answers', async () => (await said('globex')).includes('first'), LONG_MS);
  const list = ['actions', 'list', '--json', '--data', dev.dataDir, '--tenant', 'globex'];
  const { actions } = (await runCli(list)).json() as { actions: { capability_id: string }[] };
  expect(actions.map(({ capability_id }) => capability_id)).toContain('cap:shop:say');
});

test('a changed contract of a module that two instances share is taken over for both, and reported once', async () => {
  await until('the first code answers', async () => (await said('acme')).includes('first'), LONG_MS);
  await writeFile(file('shop.js'), module('shop', 'cap:shop:say', 'second'));
  for (const tenant of ['acme', 'globex'])
    await until(`the new code answers ${tenant}`, async () => (await said(tenant)).includes('second'), LONG_MS);
  await until(
    'all instances are ready',
    async () =>
      (await instances()).every(({ conditions }) =>
        conditions.every(({ type, status }) => type !== 'Stalled' && (type !== 'Ready' || status === 'True')),
      ),
    LONG_MS,
  );
  expect(dev.reported().match(/took over the changed contract of cap:shop:say/g)).toHaveLength(1);
  expect(dev.reported()).not.toContain('CapabilityConflict');
});

test('a contract that an instance of another module needs as it is stays, and the conflict names that instance', async () => {
  await writeFile(file('kiosk.js'), module('kiosk', 'cap:shop:say', 'mine'));
  const conflict = await until(
    'the conflict is reported',
    async () =>
      (await instances())
        .find(({ name }) => name === 'kiosk')
        ?.conditions.find(({ reason }) => reason === 'CapabilityConflict'),
    LONG_MS,
  );
  expect(conflict.message).toMatch(/; the instance (shop|stall) has it: change both together/);
  expect(await said('acme')).toContain('second');
});

test('fleet status --wait names what is not ready, gives up after its time, and ends once all are ready', async () => {
  const wait = ['fleet', 'status', '--wait', '--data', dev.dataDir];
  const late = await runCli([...wait, '--wait-timeout', '1s']);
  expect(late.code).toBe(124);
  expect(late.stderr).toContain('Not ready after 1s: kiosk');
  expect(late.stdout).toMatch(/^! kiosk: CapabilityConflict/m);

  const waiting = openOnTerminal(wait, { columns: 100 });
  await until('it names the instance', () => waiting.screen().includes('Waiting for kiosk to become ready'), LONG_MS);
  await writeFile(file('kiosk.js'), module('kiosk', 'cap:kiosk:say', 'first'));
  const { code, screen } = await waiting.ended;
  expect(code, screen).toBe(0);
  expect(screen).toMatch(/^kiosk +kiosk-\S+ +ready/m);
  expect(screen).not.toContain('Waiting');
});

test('Ctrl-C ends a wait with 130', async () => {
  await writeFile(file('kiosk.js'), module('kiosk', 'cap:shop:say', 'mine'));
  await until(
    'the conflict is back',
    async () => (await instances()).some(({ conditions }) => conditions.some(({ type }) => type === 'Stalled')),
    LONG_MS,
  );
  const waiting = openOnTerminal(['fleet', 'status', '--wait', '--data', dev.dataDir], { columns: 100 });
  await until('it waits', () => waiting.screen().includes('Waiting for kiosk'), LONG_MS);
  waiting.interrupt();
  expect((await waiting.ended).code).toBe(130);
});
