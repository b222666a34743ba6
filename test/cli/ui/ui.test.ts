import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { exampleOf } from '#cli/client/example.js';
import { parseDuration, shortDuration } from '#cli/duration.js';
import { chunkText, shortDid, withoutPassword } from '#cli/ui/format.js';
import { actionTable } from '#cli/ui/tables/actions.js';
import { type Column, table } from '#cli/ui/tables/table.js';
import { fitEnd, lengthOf } from '#cli/ui/tables/width.js';
import { similar } from '#controller/api/suggest.js';

interface Row {
  id: string;
  note: string;
  count: number;
}
const COLUMNS: Column<Row>[] = [
  { title: 'ID', value: (row) => row.id },
  { title: 'NOTE', value: (row) => row.note, shrink: 'end' },
  { title: 'COUNT', value: (row) => String(row.count), align: 'right' },
];
const ROWS: Row[] = [
  { id: 'one', note: 'a rather long note that needs room', count: 7 },
  { id: 'twenty', note: 'ä', count: 123456 },
];

describe('tables', () => {
  test('columns are aligned, numbers to the right', () => {
    expect(table(ROWS, COLUMNS).split('\n')).toEqual([
      'ID      NOTE                                 COUNT',
      'one     a rather long note that needs room       7',
      'twenty  ä                                   123456',
    ]);
  });

  test.each([30, 34, 40, 60])('keep within a terminal of %d columns', (width) => {
    for (const line of table(ROWS, COLUMNS, width).split('\n'))
      expect([...stripVTControlCharacters(line)].length).toBeLessThanOrEqual(width);
    expect(table(ROWS, COLUMNS, width)).toContain('123456');
  });
});

describe('the list of actions', () => {
  const now = Date.parse('2026-11-21T15:00:00Z');
  const action = (id: string, started_at: string, state: 'completed' | 'failed' = 'completed') => ({
    status: {
      action_id: id,
      capability_id: 'cap:inventory:reorder',
      state,
      started_at,
      updated_at: started_at,
      completed_at: new Date(Date.parse(started_at) + 4200).toISOString(),
    },
  });
  const page = {
    actions: [
      { ...action('act_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b', '2026-11-21T14:04:12.81Z', 'failed'), error: failure() },
      action('act_0199a1b2c3d47e5f8a9b0c1d2e3f4a5c', '2026-11-21T14:04:13Z'),
    ],
    total: 9,
    cursor: 'c.1',
  };
  function failure() {
    return { code: 'connector.broken', message: 'the provider answered 500', category: 'connector' as const };
  }

  test.each([60, 100, 200])('fits %d columns, with age, duration and what failed where there is room', (width) => {
    const text = stripVTControlCharacters(actionTable(page, { width, now }));
    for (const line of text.split('\n').slice(0, -1)) expect(line.length, line).toBeLessThanOrEqual(width);
    expect(text).toContain('55m');
    expect(text).toContain('failed');
    if (width >= 100) expect(text).toMatch(/4\.2s +connector\.broken/);
    expect(text).toContain('2 of 9; older ones: --cursor c.1');
  });

  test('ids are shortened only as far as they stay apart', () => {
    const ids = stripVTControlCharacters(actionTable(page, { width: 60, now })).match(/act_\w+/g) ?? [];
    expect(new Set(ids).size).toBe(2);
  });

  test('-o wide leaves nothing out', () => {
    const text = stripVTControlCharacters(actionTable(page, { wide: true, now }));
    expect(text).toContain('connector.broken: the provider answered 500');
    expect(text).toMatch(/14:04:12Z\n/);
  });
});

describe('narrow terminals', () => {
  interface Host {
    name: string;
    did: string;
  }
  const columns: Column<Host>[] = [
    { title: 'REPLICA', value: ({ name }) => name, shrink: 'middle' },
    { title: 'DID', value: ({ did }) => did, drop: 1 },
  ];
  const hosts = [0, 1].map((ordinal) => ({ name: `warehouse-inventory-3f2a1c-${ordinal}`, did: '…HUwajiDj' }));

  test('less important columns are left out before names are shortened', () => {
    expect(table(hosts, columns, 45)).toContain('HUwajiDj');
    expect(table(hosts, columns, 30)).not.toContain('DID');
    expect(table(hosts, columns, 30)).toContain('warehouse-inventory-3f2a1c-0');
  });

  test('names that differ stay different however narrow it is', () => {
    const [, first, second] = table(hosts, columns, 14).split('\n');
    expect(first).not.toBe(second);
    expect(first).toMatch(/…/);
  });

  test('wide characters count as the terminal shows them', () => {
    const rows = ['漢字漢字漢字', 'ééé', '👩‍👩‍👧 family'].map((name) => ({ name, did: 'x' }));
    const lines = table(rows, columns, 12).split('\n');
    for (const line of lines) expect(lengthOf(line), line).toBeLessThanOrEqual(12);
    expect(fitEnd('漢字漢字', 5)).toBe('漢字…');
  });
});

describe('mistyped words', () => {
  test.each([
    ['lst', ['list', 'get', 'submit'], 'list'],
    ['cap:inventory:fnd', ['cap:inventory:find', 'cap:crm:create'], 'cap:inventory:find'],
    ['--stat', ['--state', '--session'], '--state'],
    ['folow', ['follow', 'fleet'], 'follow'],
  ])('%s is like %j', (word, known, best) => {
    expect(similar(word, known)[0]).toBe(best);
  });

  test('a word that is much less like it is not suggested beside the best one', () => {
    const known = ['cap:demo:count', 'cap:demo:echo', 'cap:demo:report'];
    expect(similar('cap:demo:cuont', known)).toEqual(['cap:demo:count']);
    expect(similar('cap:demo:c', ['cap:demo:count', 'cap:demo:cost'])).toHaveLength(2);
  });

  test('what is like nothing has no suggestion', () => {
    expect(similar('zzzzzz', ['list', 'get'])).toEqual([]);
  });
});

describe('durations', () => {
  test.each([
    ['500ms', 500],
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['7d', 604_800_000],
    ['1.5s', 1500],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });
  test.each(['5', '', 'soon', '5 minutes', '1h-3m'])('%j is refused with how to write it', (text) => {
    expect(() => parseDuration(text)).toThrow();
  });
  test.each([
    [850, '850ms'],
    [4200, '4.2s'],
    [200_000, '3m20s'],
    [7_500_000, '2h5m'],
    [280_800_000, '3d6h'],
  ])('%d ms is written %s', (ms, text) => {
    expect(shortDuration(ms)).toBe(text);
  });
});

test('an example is made from a schema', () => {
  const schema = {
    type: 'object',
    required: ['order', 'amount', 'kind', 'lines'],
    properties: {
      order: { type: 'string', minLength: 8 },
      amount: { type: 'integer', minimum: 5 },
      kind: { enum: ['refund', 'credit'] },
      lines: { type: 'array', items: { $ref: '#/$defs/line' } },
      note: { type: 'string' },
    },
    $defs: { line: { type: 'object', required: ['sku'], properties: { sku: { type: 'string', examples: ['A1'] } } } },
  };
  expect(exampleOf(schema)).toEqual({ order: 'orderxxx', amount: 5, kind: 'refund', lines: [{ sku: 'A1' }] });
});

test('a chunk is one line whatever it holds', () => {
  const chunk = { action_id: 'act_1', sequence: 1, kind: 'data' as const };
  expect(chunkText({ ...chunk, data: { a: [1, 2] } })).toBe('{"a":[1,2]}');
  expect(chunkText({ ...chunk, part: { type: 'text', text: 'two\nlines' } })).toBe('two lines');
  expect(chunkText({ ...chunk, data: 'x'.repeat(1000) }).includes('\n')).toBe(false);
});

test('passwords and whole keys are not shown', () => {
  expect(withoutPassword('postgres://u:secret@127.0.0.1:5/d')).toBe('postgres://u:***@127.0.0.1:5/d');
  expect(shortDid('did:key:z6MkmghdggH9iwAwmMypZmN9EsfPGwsbvmum2HkFWXVzrAeE')).toBe('…WXVzrAeE');
});

test.each([
  [{ type: 'integer', minimum: 0 }, 3],
  [{ type: 'integer', minimum: 0, maximum: 2 }, 2],
  [{ type: 'integer', minimum: 10 }, 10],
  [{ type: 'integer', exclusiveMinimum: 7, multipleOf: 5 }, 10],
  [{ type: 'integer', exclusiveMaximum: 2 }, 1],
  [{ type: 'number', exclusiveMinimum: 0, maximum: 0.5 }, 0.25],
  [{ type: 'integer', minimum: 0, default: 8 }, 8],
  [{ type: 'integer', minimum: 0, examples: [6], default: 8 }, 6],
])('the example of a number is small, positive and within its bounds: %j', (schema, expected) => {
  expect(exampleOf(schema)).toBe(expected);
});
