import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openJsonCheck } from '#runtime/protocol/decode/json-check.js';
import { JsonInvalid } from '#runtime/protocol/errors.js';

/** Whether the bytes pass, given in pieces of so many bytes. */
function passes(bytes: Uint8Array, piece = 1): boolean {
  const check = openJsonCheck();
  try {
    for (let at = 0; at < bytes.length; at += piece) check.push(bytes.subarray(at, at + piece));
    check.end();
    return true;
  } catch (error) {
    if (!(error instanceof JsonInvalid)) throw error;
    return false;
  }
}
const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test.each([
  ...[
    '{}',
    '[]',
    ' [ ] ',
    '{"a":[1,-0.5e+7,true,false,null,{"b":"c"}]}',
    '"\\u00e9\\n"',
    '0',
    '-0',
    '1e9',
    '{"a":1,"a":2}',
    '"\\ud800"',
  ],
  ...[
    '',
    ' ',
    '{',
    '}',
    '[1,]',
    '{"a":1,}',
    '{"a"}',
    '{a:1}',
    '[1 2]',
    '01',
    '1.',
    '.5',
    '+1',
    '-',
    '1e',
    'tru',
    'truex',
    'nulll',
    'NaN',
  ],
  ...[
    '"\\x"',
    '"\\u12g4"',
    '"\n"',
    '"a',
    '{}{}',
    '[}',
    '{]',
    '[1]]',
    '{"a":1]',
    "'a'",
    '\u00a01',
    '"\u007f"',
    '// 1',
    ',',
    ':',
    '[,1]',
    '{,}',
  ],
])('%j passes exactly when JSON.parse takes it, however it is cut', (text) => {
  for (const piece of [1, 2, 3, 1000]) expect(passes(Buffer.from(text), piece)).toBe(parses(text));
});

test('what passes is what JSON.parse takes: any text of JSON characters', () => {
  const character = fc.constantFrom(...'{}[]:,"\\/ \n\t0123456789-+.eEtrufalsn');
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 12 }), fc.integer({ min: 1, max: 5 }), (text, piece) => {
      expect(passes(Buffer.from(text), piece)).toBe(parses(text));
    }),
    { numRuns: 3000 },
  );
});

test('every JSON value passes, with and without blanks', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 7 }), (value, piece) => {
      expect(passes(Buffer.from(JSON.stringify(value)), piece)).toBe(true);
      expect(passes(Buffer.from(JSON.stringify(value, null, 2)), piece)).toBe(true);
    }),
  );
});

test('bytes that are not UTF-8, a byte order mark and nesting above 127 levels are refused', () => {
  expect(passes(Buffer.from([0x22, 0xff, 0x22]))).toBe(false);
  expect(passes(Buffer.from([0x22, 0xc3]))).toBe(false);
  expect(passes(Buffer.from('\ufeff{}'))).toBe(false);
  expect(passes(Buffer.from('['.repeat(127) + ']'.repeat(127)))).toBe(true);
  expect(passes(Buffer.from('['.repeat(128) + ']'.repeat(128)))).toBe(false);
});
