import { expect, test } from 'vitest';
import { Args, Flags } from '#cli/arguments/definitions.js';
import { parseArguments } from '#cli/arguments/parse-arguments.js';
import { durationFlag, timeLeft } from '#cli/duration.js';

const COMMAND = {
  id: 'things:make',
  args: { name: Args.string({ required: true }), kind: Args.string({ options: ['one', 'two'] }) },
  flags: {
    file: Flags.string({ char: 'f', multiple: true }),
    limit: Flags.integer({ char: 'n', min: 1, max: 10, default: 5 }),
    order: Flags.option({ options: ['up', 'down'] }),
    since: durationFlag({ exclusive: ['limit'] }),
    quick: Flags.boolean({ char: 'q' }),
    verbose: Flags.boolean({ char: 'v' }),
    watch: Flags.boolean({ allowNo: true }),
    wait: Flags.boolean({ default: true, allowNo: true }),
    until: Flags.string({ dependsOn: ['watch'] }),
  },
};
const DEFAULTS = { limit: 5, quick: false, verbose: false, wait: true };

test.each([
  [['a'], { name: 'a' }, {}],
  [['a', 'two'], { name: 'a', kind: 'two' }, {}],
  [
    ['-f', 'x', 'y', '--quick', 'z', '--limit', '3', 'a'],
    { name: 'a' },
    { file: ['x', 'y', 'z'], quick: true, limit: 3 },
  ],
  [['a', '--file=x', '-fy', '-f=z'], { name: 'a' }, { file: ['x', 'y', 'z'] }],
  [['a', '-qv', '-n7'], { name: 'a' }, { quick: true, verbose: true, limit: 7 }],
  [['a', '-qn', '7'], { name: 'a' }, { quick: true, limit: 7 }],
  [['a', '--no-wait', '--watch'], { name: 'a' }, { wait: false, watch: true }],
  [['a', '--no-watch'], { name: 'a' }, { watch: false }],
  [['a', '--since', '1h30m'], { name: 'a' }, { since: 5_400_000 }],
  [['a', '--watch', '--until', '-'], { name: 'a' }, { watch: true, until: '-' }],
  [['a', '--watch', '--until=--quick'], { name: 'a' }, { watch: true, until: '--quick' }],
  [['-5'], { name: '-5' }, {}],
  [['-q', '--', '--verbose', 'two'], { name: '--verbose', kind: 'two' }, { quick: true }],
])('%j', async (words, args, flags) => {
  expect(await parseArguments(words, COMMAND)).toMatchObject({ args, flags: { ...DEFAULTS, ...flags } });
});

test.each([
  [[], 'NAME is missing', 'aip things make NAME [KIND]'],
  [['a', 'two', 'b', 'c'], 'b c are 2 arguments too many', 'aip help things make'],
  [['a', 'tow'], 'tow is not known', 'Did you mean two? It must be one of one, two.'],
  [['a', '--ordr', 'up'], 'There is no flag --ordr', 'Did you mean --order?'],
  [['a', '-x'], 'There is no flag -x', 'aip help things make'],
  [['a', '--quick=yes'], 'There is no flag --quick', ''],
  [['a', '--toString'], 'There is no flag --toString', 'aip help things make'],
  [['a', '--order', 'sideways'], '--order sideways is not known', 'one of up, down'],
  [['a', '--order'], '--order needs a value', 'one of up, down'],
  [['a', '--order', '--quick'], '--order needs a value', 'one of up, down'],
  [['a', '--order', 'up', '--order', 'down'], '--order is given more than once', 'Leave all but one out'],
  [['a', '--limit', '0'], '--limit 0 is not valid', 'an integer from 1 to 10'],
  [['a', '--limit', '1.5'], '--limit 1.5 is not valid', 'an integer from 1 to 10'],
  [['a', '--limit', ''], '--limit  is not valid', 'an integer from 1 to 10'],
  [['a', '--since', '5'], '--since 5 is a duration without a unit', '5s'],
  [['a', '--since', '1h', '--limit', '2'], '--since and --limit exclude each other', 'Leave one of them out'],
  [['a', '--until', 'x'], '--until means nothing without --watch', 'Add --watch'],
])('%j is refused with what to do', async (words, message, advice) => {
  await expect(parseArguments(words, COMMAND)).rejects.toMatchObject({
    code: 'cli.usage',
    exit: 2,
    message: expect.stringContaining(message),
    advice: expect.stringContaining(advice),
  });
});

test('required flags that are missing are named together; any number of arguments where they are not counted', async () => {
  const flags = { tenant: Flags.string({ required: true }), scopes: Flags.string({ required: true }) };
  const command = { id: 'x', args: {}, flags, strict: false };
  await expect(parseArguments([], command)).rejects.toThrow('--tenant and --scopes are required');
  const given = ['--tenant', 'a', '--scopes', 'b', '--', '-c', 'one', '-c', 'one'];
  expect((await parseArguments(given, command)).argv).toEqual(['-c', 'one', '-c', 'one']);
});

test.each([
  [0, '0s'],
  [-5, '0s'],
  [1, '1s'],
  [29_001, '30s'],
  [90_000, '1m30s'],
])('%d ms that are left are written as %s', (ms, text) => {
  expect(timeLeft(ms)).toBe(text);
});
