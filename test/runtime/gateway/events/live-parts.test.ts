import { expect, test } from 'vitest';
import { liveParts } from '#runtime/gateway/events/follow/live-parts.js';
import type { Stream } from '#runtime/gateway/events/follow/stream.js';
import type { LogRow } from '#runtime/gateway/events/log/row.js';
import type { Selection } from '#runtime/gateway/events/selection.js';

const row = (seq: number, over: Partial<LogRow> = {}): LogRow => ({
  position: { xid: 1, seq },
  eventId: `evt_${seq}`,
  kind: 'a.b',
  record: '{}',
  actionId: null,
  tenantId: 'tenant-a',
  principalId: 'agent:owner',
  ended: false,
  ...over,
});
const START = { event: { xid: 1, seq: 0 }, chunk: null };
const streamOf = (over: Partial<Selection> = {}): Stream =>
  ({
    selection: {
      route: 'events',
      access: { tenant: 'tenant-a', principals: 'any' },
      events: true,
      chunks: false,
      ...over,
    },
    at: START,
  }) as unknown as Stream;

test('streams of the whole log that show the same share what they select of the same rows', () => {
  const rows = [
    row(1),
    row(2, { kind: 'c.d' }),
    row(3, { principalId: 'agent:other' }),
    row(4, { tenantId: 'tenant-b' }),
  ];
  const shown = (over?: Partial<Selection>): LogRow[] => {
    const { items } = liveParts(streamOf(over))({ rows, ended: false });
    return items as LogRow[];
  };
  expect(shown()).toEqual([rows[0], rows[1], rows[2]]);
  expect(shown()).toBe(shown());
  expect(shown({ kinds: ['c.d'] })).toEqual([rows[1]]);
  expect(shown({ kinds: ['c.d'] })).toBe(shown({ kinds: ['c.d'] }));
  expect(shown({ access: { tenant: 'tenant-a', principals: ['agent:other'] } })).toEqual([rows[2]]);
  expect(shown({ access: { tenant: 'tenant-b', principals: 'any' } })).toEqual([rows[3]]);
  expect(shown({ access: { tenant: 'any', principals: 'any' }, kinds: ['a.b'] })).toEqual([rows[0], rows[2], rows[3]]);
});

test('a stream keeps its place also where it shows nothing', () => {
  const parts = liveParts(streamOf({ kinds: ['c.d'] }));
  const place = (seq: number) => ({ event: { xid: 1, seq }, chunk: null });
  expect(parts({ rows: [row(1), row(2)], ended: false })).toEqual({
    items: [],
    from: place(0),
    next: place(2),
    terminal: false,
  });
  const found = row(3, { kind: 'c.d' });
  const part = { items: [found], from: place(2), next: place(4), terminal: false };
  expect(parts({ rows: [found, row(4)], ended: false })).toEqual(part);
});
