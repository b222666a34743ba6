import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '#runtime/protocol/canonical.js';
import { JsonInvalid } from '#runtime/protocol/errors.js';
import { isRawJson, parseJson, parseJsonBytes, plainJson } from '#runtime/protocol/json.js';

/** What is written back for a text: the token class and digits of every number must survive. */
const rewritten = (text: string) => JSON.stringify(parseJson(text));

describe('reading JSON', () => {
  it.each(['1.0', '-0', '1e3', '1E+2', '0.10', '9007199254740993', '18446744073709551615', '-9223372036854775808'])(
    'keeps the number token %s as it was written',
    (token) => {
      expect(rewritten(`{"n":[${token}]}`)).toBe(`{"n":[${token}]}`);
      expect(plainJson(parseJson(token))).toBe(Number(token));
    },
  );

  it.each(['0', '-5', '0.5', '1e+21', '9007199254740991', '123456789.125'])('gives %s as a plain number', (token) => {
    expect(parseJson(` ${token} `)).toBe(Number(token));
  });

  it.each([
    ['a name given twice', '{"a":1,"a":1}', /"a" is given twice/],
    ['a name given twice with different spelling', '{"a":1,"\\u0061":2}', /"a" is given twice/],
    ['a name given twice deep inside', '[{"x":[{"b":0,"c":1,"b":2}]}]', /"b" is given twice/],
    ['a number beyond a double', '1e400', /range/],
    ['a negative number beyond a double', '[-1e400]', /range/],
    ['an integer beyond a double', '9'.repeat(400), /range/],
    ['an escaped lone surrogate', '"\\ud800"', /lone surrogate/],
    ['an escaped lone surrogate in a name', '{"\\uDC00":1}', /lone surrogate/],
    ['a raw lone surrogate', '"\ud800"', /lone surrogate/],
    ['surrogates in the wrong order', '"\\udc00\\ud800"', /lone surrogate/],
    ['text after the value', '{} {}', /after the value/],
    ['nothing', '', /too early/],
    ['only white space', ' \n\t', /too early/],
    ['an open object', '{"a":1', /closing brace/],
    ['an open array', '[1', /closing bracket/],
    ['an open string', '"abc', /not closed/],
    ['a trailing comma', '[1,]', /value/],
    ['a trailing comma in an object', '{"a":1,}', /name/],
    ['a missing colon', '{"a" 1}', /colon/],
    ['a leading zero', '01', /after the value/],
    ['a plus sign', '+1', /value/],
    ['a bare fraction', '.5', /value/],
    ['NaN', 'NaN', /value/],
    ['a comment', '// x\n1', /value/],
    ['a raw control character', '"a\nb"', /control character/],
    ['a bad escape', '"\\x41"', /escape/],
    ['a byte order mark', '\ufeff{}', /value/],
    ['single quotes', "'a'", /value/],
  ])('refuses %s', (_, text, reason) => {
    expect(() => parseJson(text)).toThrow(JsonInvalid);
    expect(() => parseJson(text)).toThrow(reason);
  });

  it('takes 127 levels of nesting and refuses 128 and 10000, without running out of stack', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(rewritten(nested(127))).toBe(nested(127));
    for (const depth of [128, 10_000, 1_000_000]) {
      expect(() => parseJson(nested(depth))).toThrow(JsonInvalid);
      expect(() => parseJson(` ${nested(depth)}`)).toThrow(/nested deeper than 127/);
      expect(() => parseJson(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)).toThrow(/nested deeper than 127/);
    }
  });

  it('refuses bytes that are not UTF-8 and keeps characters that are', () => {
    expect(() => parseJsonBytes(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(/not UTF-8/);
    expect(() => parseJsonBytes(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22))).toThrow(/not UTF-8/);
    expect(parseJsonBytes(new TextEncoder().encode('"é\u{1f600}"'))).toBe('é\u{1f600}');
  });

  it('keeps a member named __proto__ as a member', () => {
    for (const text of ['{"__proto__":{"a":1}}', '{ "__proto__" : { "a" : 1 } }']) {
      const value = parseJson(text) as object;
      expect(Object.keys(value)).toEqual(['__proto__']);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
  });

  it('gives the same reference from plainJson when there is nothing to change, and never changes its argument', () => {
    const value = parseJson('{"a":[1,{"b":"c"}],"d":null}');
    expect(plainJson(value)).toBe(value);
    const raw = parseJson('{"a":[1.0,{"b":2e0}],"c":{"d":1}}') as { a: unknown[]; c: object };
    const plain = plainJson(raw) as { a: unknown[]; c: object };
    expect(plain).toEqual({ a: [1, { b: 2 }], c: { d: 1 } });
    expect(isRawJson(raw.a[0])).toBe(true);
    expect(plain.c).toBe(raw.c);
  });

  it('agrees with JSON.parse about every text that JSON.stringify writes, in any spacing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), fc.constantFrom(0, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(plainJson(parseJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('never throws anything but JsonInvalid, whatever the text', () => {
    const piece = fc.constantFrom(...'{}[],:"\\ \n-+.eE0123456789truefalsnul\ud800\u{1f600}ud8');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        try {
          parseJson(text);
          expect(valid).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonInvalid);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('reads its own output to the same canonical text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const canonical = canonicalJson(value);
        expect(canonicalJson(parseJson(canonical))).toBe(canonical);
      }),
    );
  });
});
