import { expect, test } from 'vitest';
import { sealOf } from '#runtime/gateway/edge/lists/seal.js';
import { sealedCursors } from '#runtime/gateway/events/cursor.js';
import { partFrames } from '#runtime/gateway/events/follow/frames.js';
import { sharedFrames } from '#runtime/gateway/events/follow/shared-frames.js';
import type { Stream, StreamPart } from '#runtime/gateway/events/follow/stream.js';
import type { StoredEvent } from '#runtime/gateway/events/log/row.js';
import type { Selection } from '#runtime/gateway/events/selection.js';
import { CALLERS } from './fixture.ts';

const event = (seq: number): StoredEvent => ({
  position: { xid: 1, seq },
  eventId: `evt_${seq}`,
  kind: 'a.b',
  record: `{"id":"evt_${seq}"}`,
});
const SEAL = sealOf(Buffer.alloc(32, 7));
const partOf = (items: readonly StoredEvent[], seq: number): StreamPart => ({
  items,
  from: { event: { xid: 1, seq: 0 }, chunk: null },
  next: { event: { xid: 1, seq }, chunk: null },
  terminal: false,
});
function streamOf(caller: keyof typeof CALLERS): Stream {
  const selection = {
    route: 'events',
    access: { tenant: 'tenant-a', principals: 'any' },
    chunks: false,
  } as unknown as Selection;
  const start = { event: { xid: 1, seq: 0 }, chunk: null };
  return { selection, cursors: sealedCursors(SEAL, selection, CALLERS[caller]), at: start };
}

test('streams of one binding share the frames of one part, and show no other’s', () => {
  const frames = sharedFrames();
  const [first, second] = [event(1), event(2)];
  const part = partOf([first, second], 2);
  const written = frames(part, streamOf('owner'));
  expect(written.toString()).toBe(partFrames(part, streamOf('owner')));
  expect(frames(partOf([first, second], 2), streamOf('owner'))).toBe(written);
  // The same caller with fewer scopes, another place, another caller.
  for (const [other, stream] of [
    [partOf([event(0), second], 2), streamOf('owner')],
    [partOf([second], 2), streamOf('owner')],
    [partOf([first, second], 3), streamOf('owner')],
    [part, streamOf('second')],
    [{ ...part, terminal: true }, streamOf('owner')],
  ] as const)
    expect(frames(other, stream).toString()).toBe(partFrames(other, stream));
});

test('frames of many bindings are written each for itself', () => {
  const frames = sharedFrames();
  const part = partOf([event(1)], 1);
  for (let n = 0; n < 600; n += 1) {
    const stream = streamOf('owner');
    const own = { ...stream, cursors: { ...stream.cursors, binding: `binding ${n}`, write: () => `cursor-${n}` } };
    expect(frames(part, own).toString()).toContain(`cursor-${n}"`);
  }
});
