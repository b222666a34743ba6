import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalBytes, canonicalJson } from '#runtime/protocol/canonical.js';
import { digestOf, isDigest, sha256Hex } from '#runtime/protocol/digest.js';
import { parseJson } from '#runtime/protocol/json.js';
import { withCode } from '../../support/with-code.js';

const canonical = (text: string) => canonicalJson(parseJson(text));

describe('canonical JSON', () => {
  it('sorts members by code point, not by UTF-16 unit', () => {
    expect(canonical('{"\u{1f600}":1,"\uff61":2,"é":3,"a":4,"B":5,"":6}')).toBe(
      '{"":6,"B":5,"a":4,"é":3,"\uff61":2,"\u{1f600}":1}',
    );
  });

  it('sorts integer-like names as text and keeps arrays, nulls and empty values', () => {
    expect(canonical('{"10":[],"9":{},"1":null,"b":[3,1,2],"a":""}')).toBe(
      '{"1":null,"10":[],"9":{},"a":"","b":[3,1,2]}',
    );
  });

  it('escapes as little as possible and in lower case', () => {
    expect(canonicalJson('"\\/\b\f\n\r\t\u0000\u001f\u007f\u2028é')).toBe(
      '"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u007f\u2028é"',
    );
    expect(canonical('"\\u00e9\\u002F"')).toBe('"é/"');
  });

  it.each([
    ['1', '1'],
    ['-7', '-7'],
    ['1.0', '1.0'],
    ['-0', '-0.0'],
    ['-0.0', '-0.0'],
    ['0.0', '0.0'],
    ['1e3', '1000.0'],
    ['1.50', '1.5'],
    ['9007199254740993', '9007199254740993'],
    ['18446744073709551615', '18446744073709551615'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['18446744073709551616', '1.8446744073709552e+19'],
    ['18446744073709552000', '1.8446744073709552e+19'],
    ['-9223372036854775809', '-9.223372036854776e+18'],
    ['1e15', '1000000000000000.0'],
    ['1e16', '1e+16'],
    ['1.5e300', '1.5e+300'],
    ['0.00001', '0.00001'],
    ['1e-5', '0.00001'],
    ['0.000001', '1e-6'],
    ['1e-6', '1e-6'],
    ['123.456e-9', '1.23456e-7'],
    ['1e21', '1e+21'],
    ['1e-400', '0.0'],
    ['5e-324', '5e-324'],
  ])('writes the number %s as %s', (token, text) => {
    expect(canonical(token)).toBe(text);
  });

  it('writes a number made here as a reader of its wire text writes it', () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.constantFrom(-0, 2 ** 53, 2 ** 60, 2 ** 64, 1e16, 1e21, 1e-7, 123456789012345680000),
    );
    fc.assert(
      fc.property(number, (value) => {
        expect(canonicalJson(value)).toBe(canonical(JSON.stringify(value)));
      }),
      { numRuns: 1000 },
    );
  });

  it('leaves members that are undefined out and writes bigints exactly', () => {
    expect(canonicalJson({ b: undefined, a: { c: undefined }, d: 2n ** 63n })).toBe('{"a":{},"d":9223372036854775808}');
  });

  it('refuses what JSON cannot carry', () => {
    for (const value of [NaN, Infinity, '\ud800', { '\udc00': 1 }, [undefined], () => 1, Symbol('s'), undefined]) {
      expect(() => canonicalJson(value)).toThrow(withCode('envelope.decode.invalid'));
    }
    let deep: unknown = 1;
    for (let i = 0; i < 10_000; i++) deep = [deep];
    expect(() => canonicalJson(deep)).toThrow(/nested deeper than 127/);
  });

  it('is idempotent, and the order of members does not matter', () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, member]) => [key, shuffled(member)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(parseJson(text))).toBe(text);
        expect(canonicalJson(shuffled(value))).toBe(text);
        expect(Buffer.from(canonicalBytes(value)).toString('utf8')).toBe(text);
      }),
    );
  });
});

describe('digests', () => {
  it('are SHA-256 of the canonical bytes with their prefix', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(digestOf({ b: 1, a: 'é' })).toBe(`sha256:${sha256Hex('{"a":"é","b":1}')}`);
    expect(isDigest(digestOf(null))).toBe(true);
    for (const text of ['sha256:AB', `sha256:${'A'.repeat(64)}`, 'a'.repeat(64), 7]) expect(isDigest(text)).toBe(false);
  });
});
