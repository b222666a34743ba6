import { stripVTControlCharacters } from 'node:util';
import { readSse, type SseEvent } from '@aip/cli/client/sse.js';
import { chunkText, shortDid, withoutPassword } from '@aip/cli/ui/format.js';
import { actionTable } from '@aip/cli/ui/tables/actions.js';
import { type Column, table } from '@aip/cli/ui/tables/table.js';
import { describe, expect, test } from 'vitest';

interface Row {
  id: string;
  note: string;
  count: number;
}
const COLUMNS: Column<Row>[] = [
  { title: 'ID', value: (row) => row.id },
  { title: 'NOTE', value: (row) => row.note, shrink: true },
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

test('actions are listed with their times to the second', () => {
  const action = (updated_at: string) => ({ action_id: 'act_1', state: 'completed' as const, updated_at });
  const page = { actions: [action('2026-11-21T14:04:12.81Z'), action('2026-11-21T14:04:13Z')], total_size: 2 };
  expect(stripVTControlCharacters(actionTable(page))).toMatch(/14:04:12Z\n.*14:04:13Z$/);
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

test('an event stream reads the same however the network cuts it', async () => {
  const text =
    ': keep-alive\n\nevent: aip.stream.chunk\ndata: {"é":1}\nid: chunk:1\n\r\nevent:x\r\ndata:a\r\ndata: b\r\n\r\n';
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const parts: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) parts.push(bytes.slice(at, at + size));
    const found: (SseEvent | undefined)[] = [];
    for await (const event of readSse(from(parts))) found.push(event);
    expect(found, `cut every ${size} bytes`).toEqual([
      undefined,
      { event: 'aip.stream.chunk', data: '{"é":1}', id: 'chunk:1' },
      { event: 'x', data: 'a\nb' },
    ]);
  }
});

async function* from(parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}
