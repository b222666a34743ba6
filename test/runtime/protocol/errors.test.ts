import { describe, expect, it } from 'vitest';
import * as errors from '#runtime/protocol/errors.js';
import type { ProtocolError } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';

const { AipError, protocolErrorOf, RemoteError, statusOf } = errors;
const byName = new Map(Object.entries(errors) as unknown as [string, errors.ErrorClass][]);

const classes = Object.values(errors).filter(
  (value): value is errors.ErrorClass =>
    typeof value === 'function' && value.prototype instanceof AipError && value !== (RemoteError as unknown),
);

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

describe('error classes', () => {
  it('N-035 N-036 N-037 N-038 each give a valid ProtocolError with code, message, category and retryable', () => {
    expect(classes.length).toBeGreaterThan(150);
    for (const Class of classes) {
      const error = new Class();
      const wire = JSON.parse(JSON.stringify(error.toProtocolError('part')));
      expect(check('ProtocolError', wire), error.name).toEqual([]);
      expect(wire.code).toMatch(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/);
      expect(wire.message.length).toBeGreaterThan(10);
      expect(typeof wire.retryable).toBe('boolean');
      expect(wire.source).toEqual({ component: 'part' });
      expect(error.name).toBe(Class.name);
    }
  });

  it('are one a code, except where one code names several faults of the same request', () => {
    const byCode = Map.groupBy(classes, (Class) => new Class().code);
    const shared = [...byCode].filter(([, list]) => list.length > 1).map(([code]) => code);
    expect(shared.sort()).toEqual(['auth.signature.invalid', 'envelope.decode.invalid', 'schema.envelope.invalid']);
  });

  it.each<[string, string, string, number, boolean, number | undefined]>([
    ['EnvelopeSchemaInvalid', 'schema.envelope.invalid', 'permanent', 400, false, undefined],
    ['EnvelopeDecodeInvalid', 'envelope.decode.invalid', 'permanent', 400, false, undefined],
    ['SignatureInvalid', 'auth.signature.invalid', 'auth', 401, false, undefined],
    ['ReplayedMessage', 'replay.message_id', 'auth', 401, false, undefined],
    ['Unauthorized', 'auth.native_http_unauthorized', 'auth', 401, false, undefined],
    ['ResultNotReady', 'action.result_not_ready', 'temporary', 503, true, 500],
    ['StorageUnavailable', 'storage.unavailable', 'temporary', 503, true, 1000],
    ['HandlerFailed', 'runtime.handler_failed', 'temporary', 503, true, undefined],
    ['RouteMismatch', 'connector_host.route_mismatch', 'auth', 403, false, undefined],
    ['HostNotReady', 'connector_host.not_ready', 'temporary', 503, true, 10_000],
    ['HostCapacity', 'connector_host.capacity', 'temporary', 429, true, 100],
    ['HostReplay', 'connector_host.replay', 'policy', 409, false, undefined],
    ['HostExecution', 'connector_host.execution', 'connector', 502, false, undefined],
    ['HostResponseSigning', 'connector_host.response_signing', 'permanent', 500, false, undefined],
    ['CredentialRevisionDenied', 'connector_host.credential_revision_denied', 'auth', 403, false, undefined],
    ['ControlRejected', 'connector_control.rejected', 'policy', 403, false, undefined],
    ['ControlUnavailable', 'connector_control.unavailable', 'temporary', 503, true, 1000],
    ['ControlResponseSigning', 'connector_control.response_signing', 'permanent', 500, false, undefined],
    ['IngressNotConfigured', 'connector_event.not_configured', 'permanent', 404, false, undefined],
    ['IngressInvalid', 'connector_event.invalid', 'permanent', 400, false, undefined],
    ['IngressConflict', 'connector_event.idempotency_conflict', 'permanent', 400, false, undefined],
    ['IngressNotAuthorized', 'connector_event.not_authorized', 'auth', 401, false, undefined],
    ['IngressCapacity', 'connector_event.capacity', 'temporary', 503, true, 100],
    ['IngressUnavailable', 'connector_event.unavailable', 'temporary', 503, true, 1000],
    ['SchedulerOverloaded', 'connector.scheduler_overloaded', 'temporary', 503, true, 100],
    ['AdmissionCapacity', 'connector.admission_capacity', 'temporary', 503, true, 100],
    ['BindingUnavailable', 'connector.binding_unavailable', 'policy', 403, false, undefined],
    ['ReplicaUnavailable', 'connector.replica_unavailable', 'temporary', 503, true, 1000],
    ['OutcomeUnknown', 'connector.outcome_unknown', 'connector', 502, false, undefined],
    ['CatalogDisabled', 'connector_catalog.disabled', 'permanent', 404, false, undefined],
    ['CatalogTenantRequired', 'connector_catalog.tenant_required', 'policy', 403, false, undefined],
    ['CatalogQueryInvalid', 'connector_catalog.invalid_query', 'permanent', 400, false, undefined],
    ['CatalogCursorStale', 'connector_catalog.stale_cursor', 'permanent', 409, false, undefined],
    ['CatalogUnavailable', 'connector_catalog.unavailable', 'temporary', 503, true, 1000],
    ['RouteNotFound', 'http.not_found', 'permanent', 404, false, undefined],
    ['MethodNotAllowed', 'http.method_not_allowed', 'permanent', 405, false, undefined],
    ['UnsupportedMediaType', 'http.unsupported_media_type', 'permanent', 415, false, undefined],
    ['BodyTooLarge', 'http.body_too_large', 'permanent', 413, false, undefined],
    ['CursorInvalid', 'query.cursor_invalid', 'permanent', 400, false, undefined],
  ])('N-039 %s: %s, %s, %i, retryable %s after %s', (name, code, category, status, retryable, retryAfterMs) => {
    const error = new (byName.get(name) as errors.ErrorClass)();
    expect(error).toMatchObject({ code, category, status, retryable });
    expect(error.toProtocolError().retry_after_ms).toBe(retryAfterMs);
  });

  it('take a message, details, a status, a cause and other retry hints', () => {
    const cause = new Error('secret');
    const error = new errors.RouteMismatch('wrong sender', { status: 401, details: { check: 3 }, cause });
    expect(error).toMatchObject({ message: 'wrong sender', status: 401, cause });
    expect(JSON.stringify(error.toProtocolError())).not.toContain('secret');
    expect(error.toProtocolError()).toEqual({
      code: 'connector_host.route_mismatch',
      message: 'wrong sender',
      category: 'auth',
      retryable: false,
      details: { check: 3 },
    });
    expect(new errors.HostNotReady(undefined, { retryAfterMs: 5 }).toProtocolError().retry_after_ms).toBe(5);
    expect(new errors.TimeoutExceeded(undefined, { retryable: true }).retryable).toBe(true);
  });

  it('mark an unknown outcome as uncertain beside other details', () => {
    expect(new errors.OutcomeUnknown().details).toEqual({ uncertain_outcome: true });
    expect(new errors.OutcomeUnknown('?', { details: { replica_id: 'r' } }).details).toEqual({
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
    expect(protocolErrorOf(new errors.QueryInvalid('limit: 7')).message).toBe('limit: 7');
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
