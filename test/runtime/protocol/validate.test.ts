import { expect, test } from 'vitest';
import { issueOf } from '#runtime/protocol/validate.js';

test('an issue names every value that is allowed, null too', () => {
  const error = { instancePath: '/risk', keyword: 'enum', params: { allowedValues: ['low', 'high', null] } };
  expect(issueOf(error)).toEqual({ path: '/risk', message: 'must be one of low, high, null' });
});
