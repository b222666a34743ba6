import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCli, startCli } from '../../cli/support/run-cli.ts';
import { until } from '../../support/until.ts';
import { type Calls, commandCalls } from './calls.ts';
import { type ScreenFleet, startScreenFleet } from './fleet.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const manifest = JSON.parse(await readFile(join(ROOT, 'cli', 'oclif.manifest.json'), 'utf8')) as {
  commands: Record<string, { hidden?: boolean; flags: Record<string, { options?: string[] }> }>;
};
const FORMS = Object.fromEntries(
  Object.entries(manifest.commands)
    .filter(([, { hidden }]) => !hidden)
    .map(([id, { flags }]) => [id.replaceAll(':', ' '), flags.output?.options ?? []]),
);

/** A fleet with a record of every kind takes long on a busy machine. */
const STARTS_MS = 300_000;

let fleet: ScreenFleet;
const { reading, changing, failing, prepare } = commandCalls(() => fleet);
beforeAll(async () => {
  fleet = await startScreenFleet();
  await prepare();
}, STARTS_MS);
afterAll(() => fleet?.stop());

/** These print no documents: scripts, help, and another program's output. */
const NO_DOCUMENTS = ['completion', 'dev psql', 'help'];
/** What comes as it happens; `dev` says one line when all is ready. */
const STREAMS = ['actions follow', 'dev', 'dev logs', 'events follow', 'fleet logs'];
const ANSWER = ['json', 'yaml', 'wide', 'name'];

test('every command prints documents in all forms, prints a stream as JSON lines, or prints no documents', () => {
  const others = Object.keys(FORMS).filter((name) => !NO_DOCUMENTS.includes(name) && !STREAMS.includes(name));
  for (const name of others) expect(FORMS[name], name).toEqual(name === 'api' ? ['json', 'yaml'] : ANSWER);
  for (const name of STREAMS) expect(FORMS[name], name).toContain('json');
  for (const name of NO_DOCUMENTS) expect(FORMS[name], name).toEqual([]);
  const called = [...Object.keys({ ...reading, ...changing }), ...Object.keys(failing)];
  expect(called.sort()).toEqual(Object.keys(FORMS).sort());
});

const answering = Object.keys({ ...reading, ...changing }).filter((name) => FORMS[name]?.includes('yaml'));
const naming = answering.filter((name) => FORMS[name]?.includes('name'));

/** Every member, without its values, which may change from call to call. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

const run = async (name: string, at: number, form: string) => {
  const args = [...(await ({ ...reading, ...changing }[name] as Calls).works(at))];
  const words = args.indexOf('--') < 0 ? [...args, '-o', form] : args;
  return runCli(words, { env: fleet.env });
};

test.each(answering)('aip %s -o json is one document, and -o yaml the same', async (name) => {
  const json = await run(name, 0, 'json');
  const yaml = await run(name, 1, 'yaml');
  expect(json.stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(shapeOf(parse(yaml.stdout))).toEqual(shapeOf(json.json()));
  expect([json.code, yaml.code]).toEqual([0, 0]);
});

test.each(naming)('aip %s -o name is ids and names alone, -o wide leaves nothing out', async (name) => {
  const wide = await run(name, 2, 'wide');
  const names = await run(name, 3, 'name');
  expect([wide.code, names.code], wide.stderr + names.stderr).toEqual([0, 0]);
  expect(wide.stdout).not.toContain('…');
  const lines = names.stdout.split('\n').filter(Boolean);
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toMatch(/^\S+$/);
});

describe('a stream', () => {
  test.each([
    ['actions follow', () => ['actions', 'follow', 'act_counted'], 'dev'],
    ['dev logs', () => ['dev', 'logs'], 'quiet'],
    ['fleet logs', () => ['fleet', 'logs', 'library'], 'quiet'],
  ])('of aip %s is one document a line with -o json, and has no other form', async (_, args, data) => {
    const where = ['--data', fleet.file(data)];
    const run = await runCli([...args(), '-o', 'json', ...where], { env: fleet.env });
    expect(run.code).toBe(0);
    expect(run.lines().length).toBeGreaterThan(1);
    const other = await runCli([...args(), '-o', 'yaml', ...where], { env: fleet.env });
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('It must be one of json');
  });

  test.each([
    ['events follow', ['events', 'follow', '--since', '1h']],
    ['actions list --watch', ['actions', 'list', '--watch']],
    ['fleet status --watch', ['fleet', 'status', '--watch']],
  ])('of aip %s is one document a line with -o json, until Ctrl-C', async (_, args) => {
    const running = startCli([...fleet.on(...args), '-o', 'json'], { env: fleet.env });
    await until('documents have come', () => running.lines().length > 1);
    expect((await running.stop()).code).toBe(130);
  });

  test.each([
    [['actions', 'list', '--watch']],
    [['fleet', 'status', '--watch']],
    [['actions', 'submit', 'cap:demo:echo', '--input', '{"text":"x"}', '--follow']],
  ])('of aip %j is not YAML', async (args) => {
    const run = await runCli([...fleet.on(...args), '-o', 'yaml'], { env: fleet.env });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('-o yaml is not a form of a stream.');
  });
});
