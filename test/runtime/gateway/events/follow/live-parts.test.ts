import { expect, test } from 'vitest';
import { liveParts } from '#runtime/gateway/events/follow/live-parts.js';
import type { Stream } from '#runtime/gateway/events/follow/stream.js';
import type { Selection } from '#runtime/gateway/events/selection.js';
import { row } from './row.ts';

const ACTION = { id: 'act_1', tenantId: 'tenant-a' };
const stream = {
  selection: {
    route: 'action_events',
    action: ACTION,
    kinds: ['c.d'],
    events: true,
    chunks: false,
  } as Partial<Selection>,
  at: { event: { xid: 1, seq: 0 }, chunk: null },
} as Stream;

test('a stream of an action keeps its place also where it shows nothing', () => {
  const parts = liveParts(stream);
  const own = (seq: number, kind: string) => row(seq, { actionId: ACTION.id, kind });
  const place = (seq: number) => ({ event: { xid: 1, seq }, chunk: null });
  expect(parts({ rows: [own(1, 'a.b'), own(2, 'a.b')], ended: false })).toEqual({
    items: [],
    next: place(2),
    terminal: false,
  });
  const found = own(3, 'c.d');
  expect(parts({ rows: [found, own(4, 'a.b')], ended: false })).toEqual({
    items: [found],
    next: place(4),
    terminal: false,
  });
});
