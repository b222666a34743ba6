import { expect, test } from 'vitest';
import {
  cursorText,
  flag,
  identifier,
  list,
  optionalFlag,
  pathId,
  readQuery,
  rows,
  typedId,
  waitMs,
  word,
} from '#runtime/gateway/edge/query-parameters.js';
import { QueryInvalid } from '#runtime/protocol/errors.js';

const SPEC = {
  tenant_id: identifier,
  session_id: typedId('session'),
  state: word(['queued', 'running']),
  kinds: list(identifier),
  follow: flag,
  risk: optionalFlag,
  limit: rows,
  wait_ms: waitMs,
  cursor: cursorText,
};

function refusalOf(query: string): QueryInvalid {
  try {
    readQuery(`/x?${query}`, SPEC);
  } catch (error) {
    expect(error).toBeInstanceOf(QueryInvalid);
    return error as QueryInvalid;
  }
  throw new Error(`${query} was accepted`);
}

test('D-06 an unknown or repeated parameter is refused and named', () => {
  for (const query of ['nonsense=1', 'tenant_id=a&tenant_id=a', 'follow=true&follow=false', 'constructor=1']) {
    const refusal = refusalOf(query);
    expect(refusal).toMatchObject({ code: 'query.invalid', status: 400, category: 'permanent', retryable: false });
    expect(refusal.details).toEqual({ parameter: query.split('=')[0] });
  }
});

test('a refusal says what is expected: the parameters of the route, the prefix of an id, one value', () => {
  const message = (query: string) => refusalOf(query).message;
  expect(message('nonsense=1')).toBe(
    `nonsense is not a parameter of this route, which takes ${Object.keys(SPEC).join(', ')}`,
  );
  expect(message('follow=true&follow=false')).toBe('follow was given twice; give it once');
  expect(message('session_id=act_1')).toBe(
    'session_id is not a valid session id (expected sess_ and at most 256 bytes in all)',
  );
  expect(() => readQuery('/x?a=1', {})).toThrow('a is not a parameter of this route, which takes none');
});

test('N-413 a row count is clamped to 1 through 1000 and 0 and 1001 are not errors', () => {
  const limitOf = (text: string) => readQuery(`/x?limit=${text}`, SPEC).limit;
  expect(['-5', '0', '1', '17', '1000', '1001'].map(limitOf)).toEqual([1, 1, 1, 17, 1000, 1000]);
});

test('N-392 a row count or wait that is not a whole number is refused', () => {
  for (const text of ['', 'many', '1.5', '1e3', '0x10', '99999999999999999999']) {
    expect(refusalOf(`limit=${text}`).details).toEqual({ parameter: 'limit' });
    expect(refusalOf(`wait_ms=${text}`).details).toEqual({ parameter: 'wait_ms' });
  }
});

test('N-422 D-07 a wait lies between 0 and 30000', () => {
  expect([0, 30000].map((ms) => readQuery(`/x?wait_ms=${ms}`, SPEC).wait_ms)).toEqual([0, 30000]);
  for (const ms of [-1, 30001]) expect(refusalOf(`wait_ms=${ms}`).status).toBe(400);
});

test('N-391 a boolean is true or false and nothing else', () => {
  expect(readQuery('/x?follow=true', SPEC).follow).toBe(true);
  for (const text of ['1', 'TRUE', 'yes', '']) expect(refusalOf(`follow=${text}`).status).toBe(400);
  expect(readQuery('/x?risk=', SPEC)).toEqual({});
});

test('N-389 N-390 typed identifiers and enumerated words are held to their form', () => {
  expect(readQuery('/x?session_id=sess_1&state=queued', SPEC)).toEqual({ session_id: 'sess_1', state: 'queued' });
  for (const query of ['session_id=act_1', 'session_id=sess_', 'state=unknown', 'state=Queued'])
    expect(refusalOf(query).code).toBe('query.invalid');
});

test('D-10 identifiers have 1 to 256 bytes after decoding and no control characters', () => {
  expect(readQuery(`/x?tenant_id=${'a'.repeat(256)}`, SPEC).tenant_id).toHaveLength(256);
  for (const text of ['', 'a'.repeat(257), '%00', 'a%0Ab', '%7F', 'ä'.repeat(129)])
    expect(refusalOf(`tenant_id=${text}`).details).toEqual({ parameter: 'tenant_id' });
  expect(() => pathId('sess_1', 'action_id', 'action')).toThrow(QueryInvalid);
  expect(pathId('act_1', 'action_id', 'action')).toBe('act_1');
});

test('comma lists are trimmed and an empty one counts as absent', () => {
  expect(readQuery('/x?kinds=a,%20b,,c', SPEC)).toEqual({ kinds: ['a', 'b', 'c'] });
  expect(readQuery('/x?kinds=', SPEC)).toEqual({});
  expect(readQuery('/x', SPEC)).toEqual({});
});
