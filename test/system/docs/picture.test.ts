import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { svgLines } from '../../../scripts/screen-svg.ts';
import { openOnTerminal } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const COLUMNS = 104;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-p-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A line without what differs from run to run: ids, keys, ports, times and the data folder. */
const shape = (line: string): string =>
  line
    .replaceAll(/ --data \S+/g, '')
    .replaceAll(folder, '~/.local/state/aip/dev')
    .replaceAll(/act_[0-9a-f]+/g, 'act')
    .replaceAll(/demo-[0-9a-f]{6}-/g, 'demo-')
    .replaceAll(/…\w{8}\b/g, 'did')
    .replaceAll(/\b(\d+(\.\d)?m?s|\d+m(\d+s)?)\b/g, '0s')
    .replaceAll(/\d+(\.\d+)?/g, '0')
    .replaceAll(/\s+/g, ' ')
    .trim();

test('the picture of the readme shows what a run prints', async () => {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  expect(readme).toContain('(docs/demo.svg)');
  const [command, ...pictured] = svgLines(await readFile(join(ROOT, 'docs', 'demo.svg'), 'utf8'));
  expect(command).toBe('$ npx aip dev --demo --log-level warn');
  const args = ['dev', '--demo', '--log-level', 'warn', '--data', folder, '--gateway-port', '0', '--control-port', '0'];
  const terminal = openOnTerminal(args, { columns: COLUMNS, rows: 60, cwd: ROOT });
  const screen = await until(
    'the run is ready',
    () => {
      if (terminal.child.exitCode !== null) throw new Error(terminal.screen());
      return terminal.screen().includes('aip actions list') && terminal.screen();
    },
    90_000,
  );
  terminal.interrupt();
  const { screen: last, code } = await terminal.ended;
  expect(code).toBe(0);
  const real = new Set(screen.split('\n').map(shape));
  expect(pictured.length).toBeGreaterThan(20);
  for (const line of pictured) expect([...real]).toContain(shape(line));
  expect(last).toMatch(/✓ demo-[0-9a-f]{6}-0 has drained/);
  expect(last.trimEnd()).toMatch(/everything has ended [\d.]+m?s$/);
});
