import { describe, expect, it } from 'vitest';
import { canonicalJson } from '#runtime/protocol/canonical.js';
import { sha256Hex } from '#runtime/protocol/digest.js';
import { parseJson } from '#runtime/protocol/json.js';
import {
  decodeLifecycleRequest,
  decodeLifecycleResponse,
  lifecycleDigest,
  newLifecycleRequest,
  newLifecycleResponse,
  signValue,
  verifyValue,
  windowProblem,
} from '#runtime/protocol/lifecycle.js';
import { formatTime } from '#runtime/protocol/time.js';
import { withCode } from '../../support/with-code.js';
import { clock, copy, host, keyOf, NOW, type SignedVector, signed } from './support.ts';

interface Wrapper {
  request?: Record<string, unknown> & { signer_did: string };
  response?: Record<string, unknown> & { signer_did: string };
  signature: string;
}
const parsed = (text: string) => parseJson(text) as Wrapper;
const signedValue = (wrapper: Wrapper) =>
  (wrapper.request ?? wrapper.response) as Record<string, unknown> & { signer_did: string };
const named = (name: string) => signed.lifecycle.find((vector) => vector.name.startsWith(name)) as SignedVector;

describe.each(signed.lifecycle)('lifecycle value: $name', ({ bytes, sha256, text, digest }) => {
  it('has the signed bytes of the vector, verifies, and gets the same signature again', async () => {
    const wrapper = parsed(text);
    const value = signedValue(wrapper);
    const canonical = canonicalJson(value);
    expect(Buffer.byteLength(canonical)).toBe(bytes);
    expect(sha256Hex(canonical)).toBe(sha256);
    expect(await verifyValue(value.signer_did, value, wrapper.signature)).toBe(true);
    expect(await signValue(value, keyOf(value.signer_did))).toBe(wrapper.signature);
    expect(await verifyValue(value.signer_did, { ...value, request_id: 'msg_other' }, wrapper.signature)).toBe(false);
  });

  it('decodes to what was signed', async () => {
    const wrapper = parsed(text);
    const { signer_did } = signedValue(wrapper);
    if (wrapper.request !== undefined) {
      const { request, signature } = decodeLifecycleRequest(wrapper);
      expect(await verifyValue(signer_did, request, signature)).toBe(true);
      if (digest !== undefined) {
        const { operation, payload } = request.command;
        expect(lifecycleDigest({ request_id: request.request_id, operation, payload })).toBe(digest);
      }
    } else {
      const { response, signature } = decodeLifecycleResponse(wrapper);
      expect(await verifyValue(signer_did, response, signature)).toBe(true);
    }
  });
});

describe('lifecycle requests', () => {
  const heartbeat = () => parsed(named('Heartbeat').text);
  const change = (edit: (wrapper: Wrapper, payload: Record<string, unknown>) => void) => {
    const wrapper = copy(heartbeat());
    const request = wrapper.request as unknown as { command: { payload: Record<string, unknown> } };
    edit(wrapper, request.command.payload);
    return wrapper;
  };

  it('F-063 carry their times as RFC 3339 strings, 30 seconds apart', () => {
    const command = { operation: 'drain', payload: { replica_id: 'crepl_1', previous_sequence: 3 } } as const;
    const request = newLifecycleRequest(command, { did: host.did, clock });
    expect(request).toMatchObject({
      issued_at: '2026-07-09T00:00:00.25Z',
      expires_at: '2026-07-09T00:00:30.25Z',
      signer_did: host.did,
      command,
    });
    expect(request.request_id).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(windowProblem(request, NOW)).toBeUndefined();
  });

  it.each([
    ['an unknown member of the wrapper', change((wrapper) => Object.assign(wrapper, { extra: 1 }))],
    ['an unknown member of the payload', change((_, payload) => Object.assign(payload, { extra: 1 }))],
    ['a missing member', change((_, payload) => delete payload.in_flight)],
    ['a text for a number', change((_, payload) => Object.assign(payload, { previous_sequence: '4' }))],
    ['a negative number', change((_, payload) => Object.assign(payload, { in_flight: -1 }))],
    ['a number of 33 bits', change((_, payload) => Object.assign(payload, { in_flight: 2 ** 32 }))],
    [
      'another operation',
      change((wrapper) =>
        Object.assign((wrapper.request as { command?: object }).command as object, { operation: 'restart' }),
      ),
    ],
    ['no signature', change((wrapper) => delete (wrapper as Partial<Wrapper>).signature)],
    ['a text', 'register'],
    ['null', null],
  ])('with %s are refused', (_, value) => {
    expect(() => decodeLifecycleRequest(value)).toThrow(withCode('connector_control.invalid_request'));
  });

  it('have a digest that leaves times and signer out and covers id, operation and payload', () => {
    const base = { request_id: 'msg_1', operation: 'drain', payload: { replica_id: 'crepl_1', previous_sequence: 1 } };
    const digest = lifecycleDigest({ ...base, issued_at: 'x' } as typeof base);
    expect(digest).toBe(lifecycleDigest(base));
    expect(lifecycleDigest({ ...base, request_id: 'msg_2' })).not.toBe(digest);
    expect(lifecycleDigest({ ...base, operation: 'offline' })).not.toBe(digest);
    expect(lifecycleDigest({ ...base, payload: { ...base.payload, previous_sequence: 2 } })).not.toBe(digest);
  });

  it.each([
    ['issued 5 seconds ahead', 5000, 35_000, undefined],
    ['issued 5001 ms ahead', 5001, 35_000, /future/],
    ['expiring now', -30_000, 0, /has passed/],
    ['expiring in a millisecond', -29_999, 1, undefined],
    ['living 30 seconds', 0, 30_000, undefined],
    ['living 30001 ms', 0, 30_001, /longer than 30 seconds/],
    ['ending as it begins', 1000, 1000, /after issued_at/],
    ['ending before it begins', 2000, 1000, /after issued_at/],
  ])('window %s', (_, issued, expires, problem) => {
    const found = windowProblem({ issued_at: formatTime(NOW + issued), expires_at: formatTime(NOW + expires) }, NOW);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(problem);
  });

  it('with times that are not RFC 3339 have a window problem', () => {
    expect(windowProblem({ issued_at: 'now', expires_at: formatTime(NOW) }, NOW)).toMatch(/RFC 3339/);
  });
});

describe('lifecycle responses', () => {
  it('F-083 F-085 write the lease end as nine integers and read it as an instant', () => {
    const outcome = { status: 'lease', sequence: 12, expiresAt: NOW + 30_060 } as const;
    const response = newLifecycleResponse('msg_1', outcome, { did: host.did, clock });
    expect(response).toMatchObject({
      request_id: 'msg_1',
      status: 'lease',
      lease: { sequence: 12, expires_at: [2026, 190, 0, 0, 30, 310000000, 0, 0, 0] },
    });
    expect(decodeLifecycleResponse({ response, signature: 's' }).outcome).toEqual(outcome);
  });

  it('are read in the form with an outcome of its own too', () => {
    expect(decodeLifecycleResponse(parsed(named('The same lease').text)).outcome).toEqual(
      decodeLifecycleResponse(parsed(named('Response lease').text)).outcome,
    );
    expect(decodeLifecycleResponse(parsed(named('The same rejection').text)).outcome).toMatchObject({
      status: 'rejected',
      code: 'connector_control.rejected',
    });
  });

  it.each([
    ['no lease', { status: 'lease' }],
    ['an RFC 3339 lease end', { status: 'lease', lease: { sequence: 1, expires_at: '2026-07-09T00:00:30Z' } }],
    ['day 400', { status: 'lease', lease: { sequence: 1, expires_at: [2026, 400, 0, 0, 0, 0, 0, 0, 0] } }],
    ['another status', { status: 'ready' }],
    ['no status', {}],
  ])('F-085 with %s are refused', (_, outcome) => {
    const times = { request_id: 'msg_1', issued_at: 'i', expires_at: 'e', signer_did: 'd' };
    expect(() => decodeLifecycleResponse({ response: { ...times, ...outcome }, signature: 's' })).toThrow(
      withCode('connector_control.invalid_request'),
    );
  });

  it.each([null, 'text', {}, { response: null, signature: 's' }, { response: {}, signature: 1 }])(
    'that are %j are refused',
    (value) => {
      expect(() => decodeLifecycleResponse(value)).toThrow(withCode('connector_control.invalid_request'));
    },
  );
});
