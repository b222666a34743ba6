import { describe, expect, it } from 'vitest';
import { CODES } from '#runtime/protocol/errors/codes.js';
import {
  AipError,
  type ErrorCode,
  outcomeUnknown,
  protocolErrorOf,
  RemoteError,
  StorageUnavailable,
  statusOf,
} from '#runtime/protocol/errors.js';
import type { ProtocolError } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';

describe('status of a category', () => {
  it.each([
    ['N-395', 'auth', 401],
    ['N-396', 'policy', 403],
    ['N-397', 'temporary', 503],
    ['N-398', 'transport', 503],
    ['N-399', 'connector', 502],
    ['N-400', 'economic', 402],
    ['N-401', 'permanent', 400],
  ])('%s %s is %i', (_, category, status) => {
    expect(statusOf(category)).toBe(status);
    expect(new RemoteError({ code: 'x', message: 'y', category: category as ProtocolError['category'] }).status).toBe(
      status,
    );
  });
});

describe('the errors of the table', () => {
  it('N-035 N-036 N-037 N-038 each give a valid ProtocolError with code, message, category and retryable', () => {
    const codes = Object.keys(CODES) as ErrorCode[];
    expect(codes.length).toBeGreaterThan(150);
    for (const code of codes) {
      const wire = JSON.parse(JSON.stringify(new AipError(code).toProtocolError('part')));
      expect(check('ProtocolError', wire), code).toEqual([]);
      expect(wire.code).toBe(code);
      expect(wire.code).toMatch(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/);
      expect(wire.message.length).toBeGreaterThan(10);
      expect(typeof wire.retryable).toBe('boolean');
      expect(wire.source).toEqual({ component: 'part' });
    }
  });

  it('are equal on the wire whether made by their code or by their class', () => {
    const options = { details: { part: 'disk' }, retryAfterMs: 5 };
    const made = new StorageUnavailable('the disk is full', options);
    expect(made.name).toBe('StorageUnavailable');
    expect(made.toProtocolError()).toEqual(
      new AipError('storage.unavailable', 'the disk is full', options).toProtocolError(),
    );
  });

  it.each<[ErrorCode, string, number, boolean, number | undefined]>([
    ['schema.envelope.invalid', 'permanent', 400, false, undefined],
    ['envelope.decode.invalid', 'permanent', 400, false, undefined],
    ['auth.signature.invalid', 'auth', 401, false, undefined],
    ['replay.message_id', 'auth', 401, false, undefined],
    ['auth.native_http_unauthorized', 'auth', 401, false, undefined],
    ['action.result_not_ready', 'temporary', 503, true, 500],
    ['storage.unavailable', 'temporary', 503, true, 1000],
    ['runtime.handler_failed', 'temporary', 503, true, undefined],
    ['connector_host.route_mismatch', 'auth', 403, false, undefined],
    ['connector_host.not_ready', 'temporary', 503, true, 10_000],
    ['connector_host.capacity', 'temporary', 429, true, 100],
    ['connector_host.replay', 'policy', 409, false, undefined],
    ['connector_host.execution', 'connector', 502, false, undefined],
    ['connector_host.response_signing', 'permanent', 500, false, undefined],
    ['connector_host.credential_revision_denied', 'auth', 403, false, undefined],
    ['connector_control.rejected', 'policy', 403, false, undefined],
    ['connector_control.unavailable', 'temporary', 503, true, 1000],
    ['connector_control.response_signing', 'permanent', 500, false, undefined],
    ['connector_event.not_configured', 'permanent', 404, false, undefined],
    ['connector_event.invalid', 'permanent', 400, false, undefined],
    ['connector_event.idempotency_conflict', 'permanent', 400, false, undefined],
    ['connector_event.not_authorized', 'auth', 401, false, undefined],
    ['connector_event.capacity', 'temporary', 503, true, 100],
    ['connector_event.unavailable', 'temporary', 503, true, 1000],
    ['connector.scheduler_overloaded', 'temporary', 503, true, 100],
    ['connector.admission_capacity', 'temporary', 503, true, 100],
    ['connector.binding_unavailable', 'policy', 403, false, undefined],
    ['connector.replica_unavailable', 'temporary', 503, true, 1000],
    ['connector.outcome_unknown', 'connector', 502, false, undefined],
    ['connector_catalog.disabled', 'permanent', 404, false, undefined],
    ['connector_catalog.tenant_required', 'policy', 403, false, undefined],
    ['connector_catalog.invalid_query', 'permanent', 400, false, undefined],
    ['connector_catalog.stale_cursor', 'permanent', 409, false, undefined],
    ['connector_catalog.unavailable', 'temporary', 503, true, 1000],
    ['http.not_found', 'permanent', 404, false, undefined],
    ['http.method_not_allowed', 'permanent', 405, false, undefined],
    ['http.unsupported_media_type', 'permanent', 415, false, undefined],
    ['http.body_too_large', 'permanent', 413, false, undefined],
    ['query.cursor_invalid', 'permanent', 400, false, undefined],
  ])('N-039 %s: %s, %i, retryable %s after %s', (code, category, status, retryable, retryAfterMs) => {
    const error = new AipError(code);
    expect(error).toMatchObject({ code, category, status, retryable });
    expect(error.toProtocolError().retry_after_ms).toBe(retryAfterMs);
  });

  it('take a message, details, a status, a cause and other retry hints', () => {
    const cause = new Error('secret');
    const error = new AipError('connector_host.route_mismatch', 'wrong sender', {
      status: 401,
      details: { check: 3 },
      cause,
    });
    expect(error).toMatchObject({ message: 'wrong sender', status: 401, cause });
    expect(JSON.stringify(error.toProtocolError())).not.toContain('secret');
    expect(error.toProtocolError()).toEqual({
      code: 'connector_host.route_mismatch',
      message: 'wrong sender',
      category: 'auth',
      retryable: false,
      details: { check: 3 },
    });
    expect(
      new AipError('connector_host.not_ready', undefined, { retryAfterMs: 5 }).toProtocolError().retry_after_ms,
    ).toBe(5);
    expect(new AipError('sla.timeout_exceeded', undefined, { retryable: true }).retryable).toBe(true);
  });

  it('mark an unknown outcome as uncertain beside other details', () => {
    expect(outcomeUnknown().details).toEqual({ uncertain_outcome: true });
    expect(outcomeUnknown('?', { details: { replica_id: 'r' } }).details).toEqual({
      replica_id: 'r',
      uncertain_outcome: true,
    });
  });
});

describe('other errors on the wire', () => {
  it('are runtime.handler_failed and keep their text to themselves', () => {
    const wire = protocolErrorOf(new TypeError('password is hunter2'), 'aip-gateway');
    expect(wire).toMatchObject({
      code: 'runtime.handler_failed',
      category: 'temporary',
      source: { component: 'aip-gateway' },
    });
    expect(JSON.stringify(wire)).not.toContain('hunter2');
    expect(protocolErrorOf('thrown text').code).toBe('runtime.handler_failed');
    expect(protocolErrorOf(new AipError('query.invalid', 'limit: 7')).message).toBe('limit: 7');
  });

  it('a received error is passed on as it came, and has the status it came with', () => {
    const received: ProtocolError = {
      code: 'connector_host.capacity',
      message: 'no free slot',
      category: 'temporary',
      retryable: true,
      retry_after_ms: 100,
      source: { component: 'demo-host' },
    };
    const error = new RemoteError(received, 429);
    expect(error).toMatchObject({ status: 429, retryable: true, retryAfterMs: 100, code: 'connector_host.capacity' });
    expect(error.toProtocolError('aip-gateway')).toEqual(received);
    const bare = new RemoteError({ code: 'x.y', message: 'z', category: 'connector' });
    expect(bare.toProtocolError('aip-gateway')).toMatchObject({
      retryable: false,
      source: { component: 'aip-gateway' },
    });
  });
});
