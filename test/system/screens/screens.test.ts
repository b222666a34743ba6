import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDev } from '../../support/dev.ts';
import { onTerminal, openOnTerminal } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';
import { commandCalls } from './calls.ts';
import { type ScreenFleet, startScreenFleet } from './fleet.ts';
import { masked } from './mask.ts';
import { EXPECTED, expectScreens, fileOf, screensOf, threeHoursLater, WIDTHS } from './screen.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');

/** A fleet with a record of every kind takes long on a busy machine. */
const STARTS_MS = 300_000;

let fleet: ScreenFleet;
beforeAll(async () => {
  fleet = await startScreenFleet();
}, STARTS_MS);
afterAll(() => fleet?.stop());

const on = (...args: string[]): string[] => fleet.on(...args);
const later = (): Record<string, string> => threeHoursLater(fleet.env);

const { reading, changing, failing, prepare } = commandCalls(() => fleet);

describe.each(Object.entries(reading))('aip %s', (name, { works, fails }) => {
  test('works and fails with the stored screens in a pipe and on terminals of 60, 100 and 200 columns', async () => {
    await expectScreens(name, await screensOf(works, later()), await screensOf(fails, fleet.env));
  });
});

describe('a command that does something', () => {
  beforeAll(prepare, STARTS_MS);

  describe.each(Object.entries(changing))('aip %s', (name, { works, fails }) => {
    test('works and fails with the stored screens in a pipe and on terminals of 60, 100 and 200 columns', async () => {
      await expectScreens(name, await screensOf(works, fleet.env), await screensOf(fails, fleet.env));
    });
  });

  test.each(Object.entries(failing))('aip %s fails with the stored screens', async (name, fails) => {
    await expectScreens(name, await screensOf(fails, fleet.env));
  });
});

test.each(WIDTHS)('aip events follow shows what comes within %d columns, until Ctrl-C', async (columns) => {
  const terminal = openOnTerminal(on('events', 'follow', '--since', '1h'), { columns, rows: 300 });
  await until('the end of an action is shown', () => terminal.screen().includes('aip.action.result act_counted'));
  terminal.interrupt();
  const { lines, code } = await terminal.ended;
  expect(code).toBe(130);
  // Actions that ran at the same time have no order among each other.
  const shown = masked(lines.filter((line) => line.includes('act_counted')).join('\n'));
  await expectScreens(`events follow ${columns}`, `${shown}\n`);
});

test.each(WIDTHS)('aip dev stop ends a fleet from a terminal of %d columns', async (columns) => {
  const other = await startDev();
  const { screen, code } = await onTerminal(['dev', 'stop', '--data', other.dataDir], { columns });
  expect(masked(screen)).toBe('✓ Stopped process PID.');
  expect(code).toBe(0);
  expect(await other.stop()).toBe(0);
});

test('every command has stored screens', async () => {
  const manifest = JSON.parse(await readFile(join(ROOT, 'cli', 'oclif.manifest.json'), 'utf8')) as {
    commands: Record<string, { hidden?: boolean }>;
  };
  const names = Object.entries(manifest.commands)
    .filter(([, { hidden }]) => !hidden)
    .map(([id]) => id.replaceAll(':', ' '));
  expect(names.length).toBeGreaterThan(60);
  const rows = { ...reading, ...changing };
  expect(Object.keys({ ...rows, ...failing }).sort()).toEqual(names.sort());
  const stored = (await readdir(EXPECTED, { recursive: true })).filter((file) => file.endsWith('.txt'));
  const following = WIDTHS.map((columns) => `events follow ${columns}`);
  expect(stored.sort()).toEqual([...names, ...following].map(fileOf).sort());
  // What needs a cluster succeeds in test/system/kube/cli; a whole `aip dev` and its end have tests of their own.
  const onCluster = await readFile(join(ROOT, 'test', 'system', 'kube', 'cli', 'cli.test.ts'), 'utf8');
  const unproven = Object.keys(failing).filter(
    (name) => !onCluster.includes(`'${name}',\n`) && !onCluster.includes(`['${name}', `),
  );
  expect(unproven).toEqual(['dev', 'dev stop', 'events follow']);
});
