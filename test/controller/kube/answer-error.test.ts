import { expect, test } from 'vitest';
import { answerError, parseStatus } from '#controller/kube/client/answer-error.js';
import * as errors from '#controller/kube/client/errors.js';

const { KubeConflict, KubeError, KubeForbidden, KubeGone, KubeInvalid, KubeNotFound, KubeUnavailable } = errors;

test.each([
  [400, KubeInvalid],
  [401, KubeForbidden],
  [403, KubeForbidden],
  [404, KubeNotFound],
  [405, KubeError],
  [408, KubeUnavailable],
  [409, KubeConflict],
  [410, KubeGone],
  [413, KubeInvalid],
  [415, KubeError],
  [422, KubeInvalid],
  [429, KubeUnavailable],
  [500, KubeUnavailable],
  [503, KubeUnavailable],
  [504, KubeUnavailable],
])('an answer with status %i is %o', (code, type) => {
  const error = answerError(code, { kind: 'Status', reason: 'SomeReason', message: 'what is wrong' });
  expect(error.constructor).toBe(type);
  expect(error).toMatchObject({ status: code, reason: 'SomeReason', message: 'what is wrong', name: type.name });
});

test('the time to wait comes from the header, else from the Status object, else there is none', () => {
  const status = { kind: 'Status', details: { retryAfterSeconds: 3 } };
  expect(answerError(429, status, '7')).toMatchObject({ retryAfterMs: 7000 });
  expect(answerError(429, status)).toMatchObject({ retryAfterMs: 3000 });
  expect(answerError(503, undefined)).toMatchObject({ retryAfterMs: undefined });
  expect(answerError(503, undefined, 'Fri, 31 Dec 2027 23:59:59 GMT')).toMatchObject({ retryAfterMs: undefined });
});

test('an answer that is no Status object still has a status and a message', () => {
  expect(parseStatus('404 page not found')).toBeUndefined();
  expect(parseStatus('null')).toBeUndefined();
  expect(parseStatus('{"kind":"Pod"}')).toBeUndefined();
  expect(answerError(502, undefined)).toMatchObject({ status: 502, reason: 'Status502' });
});
