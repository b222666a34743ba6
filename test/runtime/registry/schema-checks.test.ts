import { afterEach, describe, expect, test } from 'vitest';
import { CapabilitySchemaInvalid } from '#runtime/protocol/errors.js';
import type { Capability } from '#runtime/protocol/types.js';
import { checkCapabilitySchemas } from '#runtime/registry/contracts/admissible.js';
import { isCheapCheck } from '#runtime/registry/contracts/cheap-check.js';
import { openSchemaChecks, type SchemaChecks } from '#runtime/registry/contracts/schema-checks.js';
import { withCode } from '../../support/with-code.js';

const EVIL = { type: 'object', properties: { s: { type: 'string', pattern: '^(a+)+$' } } };
const STUCK = { s: `${'a'.repeat(60)}!` };
/** Every zero is 1,500 issues in one list, whose growth needs more memory at once than the bound of a thread can stop. */
const GREEDY = { type: 'array', items: { allOf: Array.from({ length: 1500 }, () => ({ type: 'string' })) } };
const ZEROS = Array.from({ length: 20_000 }, () => 0);
/** Needs a process and ends at once. */
const PATTERN = { type: 'object', properties: { s: { type: 'string', pattern: '^(?:[a-z])+$' } } };

/** An object schema with many properties. */
const wide = (properties: number): object => ({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: properties }, (_, n) => [`p${n}`, { type: 'string', minLength: 1, maxLength: 100 }]),
  ),
});

let checks: SchemaChecks | undefined;
afterEach(async () => {
  await checks?.close();
});

describe('checks of values against schemas of others', () => {
  test('small and simple schemas are checked at once, everything else in a process, with the same issues', async () => {
    expect(isCheapCheck({ type: 'object', properties: { n: { type: 'integer' } } }, {})).toBe(true);
    for (const schema of [PATTERN, wide(200), { $defs: { a: {} }, $ref: '#/$defs/a' }, { uniqueItems: true }])
      expect(isCheapCheck(schema, {})).toBe(false);
    expect(isCheapCheck({ type: 'object' }, Array.from({ length: 5000 }))).toBe(false);
    checks = openSchemaChecks();
    expect(await checks.check({ type: 'integer' }, 'x', 'acme')).toMatchObject([{ message: 'must be integer' }]);
    expect(await checks.check(PATTERN, { s: 'abc' }, 'acme')).toEqual([]);
    expect(await checks.check(PATTERN, { s: 'A' }, 'acme')).toMatchObject([{ path: '/s' }]);
    expect(await checks.check(wide(300), { p7: '' }, 'acme')).toMatchObject([{ path: '/p7' }]);
  });

  test('a plain expression is checked at once against texts that are not long', async () => {
    for (const pattern of [
      '^evt_.',
      '^[a-z0-9._-]+$',
      '^[A-Z]{3}$',
      '[0-9]{4}-[0-9]{2}',
      '^a{1,20}b$',
      '^\\d*$',
      '^[^\\u0000\\]]+$',
    ]) {
      expect(isCheapCheck({ pattern }, 'short'), pattern).toBe(true);
      expect(isCheapCheck({ pattern }, 'x'.repeat(20_000)), pattern).toBe(false);
      expect(isCheapCheck({ propertyNames: { pattern } }, { ['x'.repeat(20_000)]: 1 }), pattern).toBe(false);
    }
    for (const pattern of [
      'a+',
      '^a+b+',
      '^(a+)+$',
      '^a|b',
      '^(?=a)',
      '^(a)\\1',
      '^a+?',
      '^a{1,2}{3}',
      '^a{300}$',
      `^${'a'.repeat(300)}`,
      '[a',
      '^a\\$',
    ])
      expect(isCheapCheck({ pattern }, 'short'), pattern).toBe(false);
    expect(isCheapCheck({ anyOf: Array.from({ length: 60 }, () => ({ pattern: '^abcdef' })) }, 'short')).toBe(false);
    expect(isCheapCheck({ properties: { pattern: { type: 'string' } } }, {})).toBe(false);
    checks = openSchemaChecks();
    expect(await checks.check({ pattern: '^[A-Z]{3}$' }, 'EUR', 'acme')).toEqual([]);
    expect(await checks.check({ pattern: '^[A-Z]{3}$' }, 'EURO', 'acme')).toHaveLength(1);
  });

  test('an expression without an end is ended after its time, and the same check is refused at once afterwards', async () => {
    checks = openSchemaChecks({ checkMs: 100 });
    await expect(checks.check(EVIL, STUCK, 'acme')).rejects.toThrow(/takes longer than 100 ms/);
    await expect(checks.check(EVIL, { s: 'aaa' }, 'acme')).rejects.toThrow(/too much time or memory a moment ago/);
    expect(await checks.check(PATTERN, { s: 'abc' }, 'acme')).toEqual([]);
    expect(await checks.check(EVIL, { s: 'aaa' }, 'globex')).toEqual([]);
  });

  test('a check that needs much memory at once ends alone, and is refused at once afterwards', async () => {
    checks = openSchemaChecks({ checkMs: 60_000 });
    await expect(checks.check(GREEDY, ZEROS, 'acme')).rejects.toThrow(/within the memory of a check/);
    await expect(checks.check(GREEDY, [], 'acme')).rejects.toThrow(/too much time or memory a moment ago/);
    expect(await checks.check(PATTERN, { s: 'abc' }, 'acme')).toEqual([]);
    expect(await checks.check(GREEDY, [], 'globex')).toEqual([]);
  });

  test('a party whose checks never end holds up no other party', async () => {
    checks = openSchemaChecks({ checkMs: 60_000 });
    const stuck = [1, 2, 3].map((n) =>
      (checks as SchemaChecks).check({ ...EVIL, title: `${n}` }, STUCK, 'acme').catch((error: unknown) => error),
    );
    for (let n = 0; n < 20; n += 1) expect(await checks.check(PATTERN, { s: 'abc' }, 'globex')).toEqual([]);
    await checks.close();
    expect(await stuck[0]).toBeInstanceOf(CapabilitySchemaInvalid);
  });

  test('checks of one party that wait are bounded where the caller can be refused', async () => {
    checks = openSchemaChecks({ checkMs: 60_000, maxWaiting: 2 });
    const waiting = [0, 1, 2].map((n) =>
      (checks as SchemaChecks).check({ ...EVIL, title: `${n}` }, STUCK, 'acme').catch(() => undefined),
    );
    await expect(checks.check(PATTERN, { s: 'a' }, 'acme', { refuse: true })).rejects.toThrow(
      withCode('connector.scheduler_overloaded'),
    );
    expect(await checks.check(PATTERN, { s: 'a' }, 'globex', { refuse: true })).toEqual([]);
    await checks.close();
    void waiting;
  });

  test('a schema that cannot be used is refused as such, whichever way it is checked', async () => {
    checks = openSchemaChecks();
    for (const schema of [7, { type: 'nothing' }, { pattern: '(' }, { $ref: 'https://example.test/s' }])
      await expect(checks.check(schema, {}, 'acme')).rejects.toMatchObject({
        code: expect.stringMatching(/schema_invalid|remote_reference/),
      });
  });
});

describe('schemas of a version', () => {
  const capability = (input_schema: unknown, output_schema?: unknown) =>
    ({ id: 'cap:probe:x', input_schema, output_schema }) as Capability;

  test('2,000 properties are admitted and can be checked', async () => {
    await checkCapabilitySchemas([capability(wide(2000))]);
    checks = openSchemaChecks();
    expect(await checks.check(wide(2000), { p1999: 'x' }, 'acme')).toEqual([]);
    expect(await checks.check(wide(2000), { p1999: '' }, 'acme')).toMatchObject([{ path: '/p1999' }]);
  });

  test('more than 10,000 nodes, or what does not compile, is refused as capability.schema_invalid and named', async () => {
    const refused = async (input: unknown, output?: unknown) => {
      const error = await checkCapabilitySchemas([capability(input, output)]).catch((each: unknown) => each);
      expect(error).toMatchObject({ code: 'capability.schema_invalid' });
      return (error as Error).message;
    };
    expect(await refused(wide(3000))).toMatch(/input_schema of cap:probe:x has more than 10000 nodes/);
    expect(await refused({ type: 'object' }, { type: 'strange' })).toMatch(
      /output_schema of cap:probe:x cannot be used/,
    );
    expect(await refused({ pattern: '(' })).toMatch(/input_schema of cap:probe:x cannot be used/);
    await checkCapabilitySchemas([capability({ type: 'object' }), capability({ pattern: '^(a|b)+$' }, true)]);
  });
});
