import { expect, test } from 'vitest';
import { sealOf } from '#runtime/gateway/edge/lists/seal.js';
import { sealedCursors } from '#runtime/gateway/events/cursor.js';
import { partFrames } from '#runtime/gateway/events/follow/frames.js';
import { sharedFrames } from '#runtime/gateway/events/follow/shared-frames.js';
import type { Stream, StreamPart } from '#runtime/gateway/events/follow/stream.js';
import type { StoredEvent } from '#runtime/gateway/events/log/row.js';
import type { Selection } from '#runtime/gateway/events/selection.js';
import { CALLERS } from '../fixture.ts';

const event = (seq: number): StoredEvent => ({
  position: { xid: 1, seq },
  eventId: `evt_${seq}`,
  kind: 'a.b',
  record: `{"id":"evt_${seq}"}`,
});
const SEAL = sealOf(Buffer.alloc(32, 7));
const partOf = (items: readonly StoredEvent[], seq: number): StreamPart => ({
  items,
  next: { event: { xid: 1, seq }, chunk: null },
  terminal: false,
});
function streamOf(caller: keyof typeof CALLERS, action?: Selection['action']): Stream {
  const access = { tenant: 'tenant-a', principals: 'any' };
  const selection = {
    route: action ? 'action_events' : 'events',
    action,
    access,
    chunks: false,
  } as unknown as Selection;
  const start = { event: { xid: 1, seq: 0 }, chunk: null };
  return { selection, cursors: sealedCursors(SEAL, selection, CALLERS[caller]), at: start };
}

const ACTION = { id: 'act_1', tenantId: 'tenant-a' };

test('streams of one action and binding share the frames of one part, and show no other’s', () => {
  const framesOf = sharedFrames();
  const [first, second] = [event(1), event(2)];
  const part = partOf([first, second], 2);
  const written = framesOf(part, streamOf('owner', ACTION));
  expect(written.toString()).toBe(partFrames(part, streamOf('owner', ACTION)));
  expect(framesOf(partOf([first, second], 2), streamOf('owner', ACTION))).toBe(written);
  // The same caller with fewer scopes, another place, another caller.
  for (const [other, stream] of [
    [partOf([event(0), second], 2), streamOf('owner', ACTION)],
    [partOf([second], 2), streamOf('owner', ACTION)],
    [partOf([first, second], 3), streamOf('owner', ACTION)],
    [part, streamOf('second', ACTION)],
    [{ ...part, terminal: true }, streamOf('owner', ACTION)],
  ] as const)
    expect(framesOf(other, stream).toString()).toBe(partFrames(other, stream));
});

test('streams of the whole log share the frames of the very rows that their channel hands over', () => {
  const framesOf = sharedFrames();
  const rows = [event(1), event(2)];
  const written = framesOf(partOf(rows, 2), streamOf('owner'));
  expect(written.toString()).toBe(partFrames(partOf(rows, 2), streamOf('owner')));
  expect(framesOf(partOf(rows, 2), streamOf('owner'))).toBe(written);
  const others = partOf([...rows], 2);
  expect(framesOf(others, streamOf('second')).toString()).toBe(partFrames(others, streamOf('second')));
});

test('frames of many bindings are written each for itself', () => {
  const framesOf = sharedFrames();
  const part = partOf([event(1)], 1);
  for (let n = 0; n < 600; n += 1) {
    const stream = streamOf('owner', ACTION);
    const own = { ...stream, cursors: { ...stream.cursors, binding: `binding ${n}`, write: () => `cursor-${n}` } };
    expect(framesOf(part, own).toString()).toContain(`cursor-${n}"`);
  }
});
