import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isShown } from '#cli/logs/log-filter.js';
import { logLine } from '#cli/logs/log-line.js';

const HOSTS = ['host-default.shop-3f2a1c-0', 'host-default.shop-3f2a1c-1', 'host-acme.shop-77aa00-0'] as const;
const record = (level: string, msg = 'opened'): string =>
  JSON.stringify({ level, time: '2026-11-21T15:00:00.000Z', msg, replica_id: 'crepl_1', path: '/a b' });
const PLAIN = { level: 'info', json: false } as const;

describe('which lines aip dev shows', () => {
  const shown = (names: string[], level: 'info' | 'warn' | 'none' = 'info', all = false): string[] =>
    [...HOSTS, 'gateway', 'gateway-2', 'postgres'].filter((program) =>
      isShown(program, record('info'), { names, level, all }),
    );

  test('those of all hosts, of every program with --verbose, and none below the level', () => {
    expect(shown([])).toEqual(HOSTS);
    expect(shown([], 'info', true)).toEqual([...HOSTS, 'gateway', 'gateway-2', 'postgres']);
    expect(shown([], 'warn')).toEqual([]);
    expect(shown([], 'none', true)).toEqual([]);
  });

  test.each([
    ['an instance', ['shop'], [HOSTS[0], HOSTS[1]]],
    ['an instance of another namespace', ['acme/shop'], [HOSTS[2]]],
    ['a replica', ['shop-3f2a1c-1'], [HOSTS[1]]],
    ['a program', ['gateway'], ['gateway', 'gateway-2']],
    ['several', ['postgres', 'acme/shop'], [HOSTS[2], 'postgres']],
    ['what there is not', ['sho'], []],
  ])('those of %s alone', (_, names, expected) => {
    expect(shown(names)).toEqual(expected);
  });

  test('a line without a level, such as a stack, is shown with its program', () => {
    expect(isShown(HOSTS[0], '    at run (shop.js:7:3)', { names: [], level: 'warn', all: false })).toBe(true);
  });
});

describe('a line of a log', () => {
  test('has its time, its replica and its fields; the level where it matters', () => {
    const time = new Date('2026-11-21T15:00:00.000Z').toTimeString().slice(0, 8);
    expect(logLine(HOSTS[0], record('info'), PLAIN)).toBe(`${time} shop-3f2a1c-0 opened path=/a b`);
    expect(logLine(HOSTS[0], record('warn'), PLAIN)).toBe(`${time} shop-3f2a1c-0 warn opened path=/a b`);
    expect(logLine(HOSTS[0], record('debug'), PLAIN)).toBeUndefined();
  });

  test('keeps within the width, and moves no cursor', () => {
    const line = logLine(HOSTS[0], record('info', `\u001b[2J\r${'long '.repeat(40)}`), { ...PLAIN, width: 60 });
    expect(line).toHaveLength(60);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(line).not.toMatch(/[\u0000-\u001f]/);
  });

  test('is the record with its program as JSON', () => {
    const line = logLine('gateway', record('error'), { level: 'warn', json: true }) as string;
    expect(JSON.parse(line)).toMatchObject({ program: 'gateway', level: 'error', path: '/a b' });
  });

  describe('on a terminal', () => {
    const before = process.env.FORCE_COLOR;
    beforeAll(() => {
      process.env.FORCE_COLOR = '1';
    });
    afterAll(() => {
      if (before === undefined) delete process.env.FORCE_COLOR;
      else process.env.FORCE_COLOR = before;
    });
    const colourOf = (program: string): string | undefined =>
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a colour is such a sequence
      /\u001b\[(3\d)m(?=shop)/.exec(logLine(program, record('info'), PLAIN) as string)?.[1];

    test('has the colour of its replica, the same each time', () => {
      expect(colourOf(HOSTS[0])).toBeDefined();
      expect(colourOf(HOSTS[0])).toBe(colourOf(HOSTS[0]));
      expect(colourOf(HOSTS[0])).not.toBe(colourOf(HOSTS[1]));
    });
  });
});

test('a state of health is shown as its sentence', () => {
  const record = {
    level: 'info',
    message: 'health changed',
    storage: { ready: true, detail: 'storage answers' },
    n: [1],
  };
  expect(logLine('gateway', JSON.stringify(record), { level: 'info', json: false })).toMatch(
    /health changed .*storage=storage answers n=\[1\]/,
  );
});
