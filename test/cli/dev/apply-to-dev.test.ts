import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { appliedLines } from '#cli/dev/apply-to-dev.js';

test('each step of an apply names its instance', () => {
  const lines = appliedLines({
    settled: true,
    steps: [
      { instance: 'default/shop', reason: 'Surge', message: 'Starting shop-1a2b3c-0' },
      { instance: 'acme/shop', reason: 'Drained', message: 'Removing shop-1a2b3c-0: it has ended' },
    ],
    conditions: {},
  });
  expect(lines.map(stripVTControlCharacters)).toEqual([
    'Surge            shop: Starting shop-1a2b3c-0',
    'Drained          acme/shop: Removing shop-1a2b3c-0: it has ended',
  ]);
});
