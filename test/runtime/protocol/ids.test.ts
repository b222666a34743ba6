import { describe, expect, it } from 'vitest';
import { type IdKind, isId, isPlainId, newId, PREFIX } from '#runtime/protocol/ids.js';

const kinds = Object.keys(PREFIX) as IdKind[];

describe('identifiers', () => {
  it('have the prefix of their kind and a UUID version 7 in 32 lower-case hex digits', () => {
    for (const kind of kinds) {
      const id = newId(kind);
      expect(id.slice(PREFIX[kind].length)).toMatch(/^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
      expect(isId(kind, id)).toBe(true);
    }
  });

  it('N-017 are new each time and sort by the time they were made at', () => {
    const ids = Array.from({ length: 10_000 }, (_, i) =>
      newId('message', () => 1_783_555_200_000 + Math.floor(i / 100)),
    );
    expect(new Set(ids).size).toBe(ids.length);
    const times = ids.map((id) => id.slice(4, 16));
    expect(times).toEqual([...times].sort());
    expect(Number.parseInt(times[0] as string, 16)).toBe(1_783_555_200_000);
  });

  it('are refused without prefix, empty after it, with control characters or above 256 bytes', () => {
    for (const text of ['', 'act_', 'msg_1', 'act', 'act_\n', 'act_\u007f', `act_${'x'.repeat(253)}`, ' act_1']) {
      expect(isId('action', text)).toBe(false);
    }
    expect(isId('action', `act_${'x'.repeat(252)}`)).toBe(true);
    expect(isId('event', `evt_demo_${'0'.repeat(64)}`)).toBe(true);
    expect(isPlainId('cap:demo:echo')).toBe(true);
    for (const text of ['', 'a\u0000', 'é'.repeat(129)]) expect(isPlainId(text)).toBe(false);
  });
});
