import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText } from '#runtime/protocol/content/cut-text.js';

test('a text is cut to at most so many bytes, as late as possible and never inside a character', () => {
  expect(cutText('plain', 5)).toBe('plain');
  expect(cutText('plain', 4)).toBe('plai');
  expect(['a😀', 'aé'].map((text) => [4, 3, 2].map((bytes) => cutText(text, bytes)))).toEqual([
    ['a', 'a', 'a'],
    ['aé', 'aé', 'a'],
  ]);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, bytes) => {
      const cut = cutText(text, bytes);
      expect(text.startsWith(cut)).toBe(true);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(bytes);
      const [next] = text.slice(cut.length);
      if (next !== undefined) expect(Buffer.byteLength(cut + next)).toBeGreaterThan(bytes);
    }),
  );
});
