import { describe, expect, it } from 'vitest';
import { compileJsonSchema } from '#runtime/protocol/content/schema-check.js';
import { CapabilitySchemaInvalid, RemoteReferenceForbidden } from '#runtime/protocol/errors.js';
import { parseJson } from '#runtime/protocol/json.js';

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { count: { type: 'integer', minimum: 1 }, name: { $ref: '#/$defs/name' } },
  required: ['count'],
  additionalProperties: false,
  $defs: { name: { type: 'string', minLength: 1, format: 'email' } },
};

describe('schemas of capabilities and connectors', () => {
  it('give no issues for what passes and name every member that does not', () => {
    const check = compileJsonSchema(schema);
    expect(check({ count: 2, name: 'no mail address' })).toEqual([]);
    expect(check({ count: 0, name: '', extra: 1 })).toEqual(
      expect.arrayContaining([
        { path: '', message: 'has the unknown member "extra"' },
        { path: '/count', message: 'must be >= 1' },
        { path: '/name', message: 'must NOT have fewer than 1 characters' },
      ]),
    );
    expect(check(null)).toEqual([{ path: '', message: 'must be object' }]);
  });

  it('see numbers that were kept as text', () => {
    const check = compileJsonSchema(schema);
    expect(check(parseJson('{"count":2.0}'))).toEqual([]);
    expect(check(parseJson('{"count":0.0}'))).not.toEqual([]);
    expect(compileJsonSchema(parseJson('{"maximum":1.0}'))(2)).not.toEqual([]);
  });

  it('give at most 16 issues, and one for a large value', () => {
    const check = compileJsonSchema({ type: 'array', items: { type: 'integer' } });
    expect(check(new Array(100).fill('x'))).toHaveLength(16);
    expect(check(new Array(100_000).fill('x'))).toHaveLength(1);
  });

  it('are compiled once for equal content, and are not disturbed by equal $id', () => {
    const check = compileJsonSchema(schema);
    expect(compileJsonSchema(structuredClone(schema))).toBe(check);
    const one = compileJsonSchema({ $id: 'https://x.example/a', type: 'string' });
    const two = compileJsonSchema({ $id: 'https://x.example/a', type: 'number' });
    expect([one('x'), two(1)]).toEqual([[], []]);
    expect([one(1).length, two('x').length]).toEqual([1, 1]);
  });

  it('of another draft are read as 2020-12, and true takes everything', () => {
    expect(compileJsonSchema({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'string' })('x')).toEqual([]);
    expect(compileJsonSchema(true)({ any: 1 })).toEqual([]);
  });

  it.each(['https://x.example/schema.json', 'other.json', 'file:///etc/passwd', ''])(
    'are refused when they refer to %s',
    (ref) => {
      expect(() => compileJsonSchema({ properties: { a: { $ref: ref } } })).toThrow(RemoteReferenceForbidden);
      expect(() => compileJsonSchema({ allOf: [{ $dynamicRef: ref }] })).toThrow(RemoteReferenceForbidden);
    },
  );

  const deep = (levels: number) => {
    let value: object = {};
    for (let i = 0; i < levels; i++) value = { not: value };
    return value;
  };
  it.each([
    ['a text', 'string'],
    ['a list', []],
    ['null', null],
    ['an unknown type', { type: 'strnig' }],
    ['a reference to nothing', { $ref: '#/$defs/none' }],
    ['a bad pattern', { pattern: '(' }],
    ['129 levels', deep(129)],
    ['10000 levels', deep(10_000)],
    ['too many nodes', { enum: new Array(100_001).fill(0).map((_, i) => i) }],
    ['too much text', { description: 'x'.repeat(8 * 1024 * 1024) }],
  ])('are refused when they are %s', (_, bad) => {
    expect(() => compileJsonSchema(bad)).toThrow(CapabilitySchemaInvalid);
  });
});
