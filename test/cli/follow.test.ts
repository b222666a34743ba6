import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Dev, startDev } from '../support/dev.ts';
import { openOnTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { runCli, startCli } from './support/run-cli.ts';

let dev: Dev;
beforeAll(async () => {
  dev = await startDev();
});
afterAll(async () => {
  await dev?.stop();
});

const COUNT = 24;
const INPUT = JSON.stringify({ n: COUNT, interval_ms: 400 });
const chunksOf = (lines: Record<string, unknown>[]): number[] =>
  lines.flatMap((line) => (line.chunk ? [(line.chunk as { sequence: number }).sequence] : []));

/** Kills the gateway and waits until another process has taken its place and answers. */
async function restartGateway(): Promise<void> {
  const [old] = await dev.pids('aip-runtime', 'gateway');
  process.kill(old as number, 'SIGKILL');
  await until('another gateway answers', async () => {
    const [fresh] = await dev.pids('aip-runtime', 'gateway');
    return fresh !== undefined && fresh !== old && (await fetch(`${dev.ready.gateway_url}/ready`)).ok;
  });
}

describe('a follow', () => {
  test('that submits outlives a gateway killed three times; every chunk comes once', async () => {
    const args = ['actions', 'submit', 'cap:demo:count', '--input', INPUT, '--follow', '--json', '--data', dev.dataDir];
    const following = startCli(args);
    for (const after of [2, 6, 10]) {
      await until(`chunk ${after} has come`, () => chunksOf(following.lines()).length >= after);
      await restartGateway();
    }
    const run = await following.ended;
    expect(run.lines()[0]).toMatchObject({ following: { action_id: expect.stringMatching(/^act_/) } });
    expect(chunksOf(run.lines())).toEqual(Array.from({ length: COUNT + 1 }, (_, at) => at + 1));
    const ids = run.lines().flatMap((line) => (line.event ? [(line.event as { id: string }).id] : []));
    expect(new Set(ids).size).toBe(ids.length);
    expect(run.lines().at(-1)).toMatchObject({ terminal: true, state: 'completed' });
    expect(run.code).toBe(0);
  });

  test('of an action outlives a gateway killed three times; every chunk comes once', async () => {
    const submitting = startCli([
      'actions',
      'submit',
      'cap:demo:count',
      '--input',
      INPUT,
      '--follow',
      '--json',
      '--data',
      dev.dataDir,
    ]);
    const id = await until('its id is printed', () => {
      const [first] = submitting.lines();
      return (first?.following as { action_id: string } | undefined)?.action_id;
    });
    await until('it began', () => chunksOf(submitting.lines()).length > 0);
    const following = startCli(['actions', 'follow', id, '--json', '--data', dev.dataDir]);
    for (const after of [2, 6, 10]) {
      await until(`chunk ${after} has come`, () => chunksOf(following.lines()).length >= after);
      await restartGateway();
    }
    const run = await following.ended;
    expect(chunksOf(run.lines())).toEqual(Array.from({ length: COUNT + 1 }, (_, at) => at + 1));
    expect(run.code).toBe(0);
    expect((await submitting.ended).code).toBe(0);
  });

  test('that Ctrl-C ends says that the action continues, with the command to come back, and exits with 130', async () => {
    const args = ['actions', 'submit', 'cap:demo:count', '--input', INPUT, '--follow', '--data', dev.dataDir];
    const following = startCli(args);
    await until('a chunk has come', () => following.text().includes('#2'));
    const run = await following.stop();
    expect(run.code).toBe(130);
    const id = /act_[0-9a-f]{32}/.exec(run.stdout.split('\n')[0] ?? '')?.[0];
    expect(run.stdout.split('\n')[0]).toMatch(/^▶ cap:demo:count act_/);
    expect(run.stderr).toContain('The action continues.');
    expect(run.stderr).toContain(`actions follow ${id}`);
    const again = startCli(['actions', 'follow', id as string, '--data', dev.dataDir]);
    await until('it is followed again', () => again.text().includes('#1'));
    const second = await again.stop();
    expect(second.code).toBe(130);
    expect(second.stderr).toContain(`actions follow ${id}`);
  });

  test.each([60, 100, 200])(
    'on a terminal of %d columns names the action first, and Ctrl-C keeps the id',
    async (columns) => {
      const args = ['actions', 'submit', 'cap:demo:count', '--input', INPUT, '--follow', '--data', dev.dataDir];
      const terminal = openOnTerminal(args, { columns });
      await until('a chunk is on the screen', () => terminal.screen().includes('#2'));
      terminal.interrupt();
      const { lines, screen, code } = await terminal.ended;
      expect(code).toBe(130);
      expect(lines.find((line) => line.includes('▶'))).toContain('cap:demo:count');
      expect(screen).toContain('The action continues.');
      expect(screen).toMatch(/actions follow act_[0-9a-f]{32}/);
    },
  );
});

describe('waiting', () => {
  const slow = (seconds: number, ...more: string[]) =>
    runCli([
      'actions',
      'submit',
      'cap:demo:report',
      '--mode',
      'async',
      '--input',
      JSON.stringify({ seconds }),
      '--wait',
      ...more,
      '--data',
      dev.dataDir,
    ]);

  test('--wait ends with the action', async () => {
    const run = await slow(1, '--json');
    expect(run.json()).toMatchObject({ state: 'completed' });
    expect(run.code).toBe(0);
  });

  test('--wait-timeout gives up with 124, and the action continues', async () => {
    const run = await slow(60, '--wait-timeout', '500ms', '--json');
    expect(run.code).toBe(124);
    expect(run.json()).toMatchObject({
      error: { code: 'cli.gave_up', advice: expect.stringContaining('actions follow act_') },
    });
  });
});

test('the beginning of an id names an action; several are named with their ids', async () => {
  // Ids of the gateway begin with the time, which others share.
  const [first, second] = ['act_twins_left', 'act_twins_right'];
  for (const id of [first, second])
    await runCli(['actions', 'submit', 'cap:demo:echo', '--input', '{"text":"x"}', '--id', id, '--data', dev.dataDir]);
  const short = 'act_twins_l';
  expect((await runCli(['actions', 'get', short, '--json', '--data', dev.dataDir])).json()).toMatchObject({
    action_id: first,
  });
  const several = await runCli(['actions', 'get', 'act_twins_', '--data', dev.dataDir]);
  expect(several.code).toBe(2);
  expect(several.stderr).toContain(first);
  expect(several.stderr).toContain(second);
  expect(several.stderr).toContain('Give more of the id');
  const none = await runCli(['actions', 'get', 'act_ffff', '--data', dev.dataDir]);
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('no action act_ffff');
});

describe('the list of actions', () => {
  const list = (...args: string[]) => runCli(['actions', 'list', ...args, '--data', dev.dataDir]);

  test('begins with the newest, page after page', async () => {
    const made: string[] = [];
    for (const text of ['a', 'b', 'c']) {
      const run = await runCli([
        'actions',
        'submit',
        'cap:demo:echo',
        '--input',
        JSON.stringify({ text }),
        '--json',
        '--data',
        dev.dataDir,
      ]);
      made.unshift(run.json().action_id as string);
    }
    expect((await list('-o', 'name', '--limit', '3')).stdout.trim().split('\n')).toEqual(made);
    const page = (await list('--json', '--limit', '2')).json() as { cursor: string };
    const next = (await list('-o', 'name', '--limit', '1', '--cursor', page.cursor)).stdout.trim();
    expect(next).toBe(made[2]);
    expect((await list('-o', 'name', '--order', 'oldest', '--limit', '1')).stdout.trim()).not.toBe(made[0]);
    expect((await list('--since', '1ms', '-o', 'name')).stdout).toBe('');
    expect((await list('-o', 'yaml', '--limit', '1')).stdout).toContain(`action_id: ${made[0]}`);
  });

  test('--watch reports each change once, and Ctrl-C ends it with 130', async () => {
    const watching = startCli(['actions', 'list', '--watch', '--json', '--data', dev.dataDir]);
    await until('it began', () => watching.lines().length > 0);
    const id = (
      await runCli(['actions', 'submit', 'cap:demo:echo', '--input', '{"text":"w"}', '--json', '--data', dev.dataDir])
    ).json().action_id;
    await until('the new action is reported', () =>
      watching.lines().some((line) => (line.action as { action_id: string }).action_id === id),
    );
    expect((await watching.stop()).code).toBe(130);
  });

  test.each([60, 100, 200])('fits a terminal of %d columns', async (columns) => {
    await runCli(['actions', 'submit', 'cap:demo:flaky', '--input', '{"mode":"permanent"}', '--data', dev.dataDir]);
    const { lines, code } = await openOnTerminal(['actions', 'list', '--data', dev.dataDir], { columns }).ended;
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^ACTION +CAPABILITY +STATE +AGE/);
    for (const line of lines.slice(0, -1)) expect(line.length, line).toBeLessThanOrEqual(columns);
    expect(lines[1]).toMatch(/failed/);
    if (columns >= 100) expect(lines[0]).toContain('ERROR');
  });
});
