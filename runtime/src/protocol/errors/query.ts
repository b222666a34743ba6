import { failure } from './aip-error.js';

/** A path identifier or query parameter is not acceptable; the message names it. */
export class QueryInvalid extends failure({
  code: 'query.invalid',
  category: 'permanent',
  message: 'a query parameter or path identifier is invalid',
}) {}

/** A cursor is malformed, or was issued for another route, identity or filter. */
export class CursorInvalid extends failure({
  code: 'query.cursor_invalid',
  category: 'permanent',
  message: 'the cursor was not issued for this query; start again without a cursor',
}) {}

/** Selectors that exclude one another, or none of those needed. */
export class QueryConflict extends failure({
  code: 'query.conflict',
  category: 'permanent',
  message: 'exactly one selector must be given',
}) {}

/** The cursor points before the retained part of the event log. */
export class CursorExpired extends failure({
  code: 'stream.cursor_expired',
  category: 'permanent',
  message: 'the events after this cursor are no longer retained; start again without a cursor',
}) {}

/** One event above 262144 bytes. */
export class EventTooLarge extends failure({
  code: 'stream.event_too_large',
  category: 'permanent',
  message: 'the event is larger than 262144 bytes',
}) {}

/** An event that cannot be written as JSON. */
export class EventEncodingFailed extends failure({
  code: 'stream.event_encoding_failed',
  category: 'permanent',
  message: 'the event cannot be written as JSON',
}) {}

/** A stream frame that cannot be written. */
export class StreamEncodeFailed extends failure({
  code: 'stream.encode_failed',
  category: 'transport',
  message: 'a stream frame could not be written',
}) {}

/** A follower that does not read fast enough was dropped; it resumes from its last event id. */
export class FollowerTooSlow extends failure({
  code: 'stream.follower_too_slow',
  category: 'temporary',
  retryable: true,
  message: 'the follower did not read fast enough; reconnect from the last event id',
}) {}

/** The caller, its tenant or the server follows as many streams as allowed; `details` names which. */
export class FollowersExceeded extends failure({
  code: 'stream.followers_exceeded',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 1000,
  status: 429,
  message: 'too many streams are followed; close one or try again later',
}) {}

/** No such resource, session, capability or action. */
export class ResourceNotFound extends failure({
  code: 'resource.not_found',
  category: 'permanent',
  message: 'no such resource',
}) {}

/** The resource has expired. */
export class ResourceGone extends failure({
  code: 'resource.gone',
  category: 'permanent',
  message: 'the resource has expired',
}) {}

/** None of the accepted media types is offered. */
export class ResourceNotAcceptable extends failure({
  code: 'resource.not_acceptable',
  category: 'permanent',
  status: 406,
  message: 'the resource has none of the accepted media types',
}) {}

/** The path is not a route. */
export class RouteNotFound extends failure({
  code: 'http.not_found',
  category: 'permanent',
  status: 404,
  message: 'no such route; every route is under /aip/v1',
}) {}

/** The route exists, not with this method; the answer carries Allow. */
export class MethodNotAllowed extends failure({
  code: 'http.method_not_allowed',
  category: 'permanent',
  status: 405,
  message: 'the route does not take this method; see the Allow header',
}) {}

/** The request line and headers are larger than a server reads. */
export class HeadersTooLarge extends failure({
  code: 'http.headers_too_large',
  category: 'permanent',
  status: 431,
  message: 'the request line and headers are larger than 16 KiB; shorten the query or the headers',
}) {}

/** What came is not HTTP/1.1. */
export class RequestMalformed extends failure({
  code: 'http.malformed_request',
  category: 'permanent',
  message: 'the request is not well-formed HTTP/1.1',
}) {}

/** The headers or the body did not come in time. */
export class RequestTimedOut extends failure({
  code: 'http.request_timeout',
  category: 'transport',
  status: 408,
  message: 'the request did not arrive in time',
}) {}

/** The Expect header asks for something that no server here does. */
export class ExpectationFailed extends failure({
  code: 'http.expectation_failed',
  category: 'permanent',
  status: 417,
  message: 'the Expect header takes 100-continue alone',
}) {}

/** The route takes WebSocket connections alone. */
export class UpgradeRequired extends failure({
  code: 'http.upgrade_required',
  category: 'permanent',
  status: 426,
  message: 'this route takes WebSocket connections alone; send a WebSocket upgrade (RFC 6455, version 13)',
}) {}

/** The request's media type is neither application/json nor application/aip+json. */
export class UnsupportedMediaType extends failure({
  code: 'http.unsupported_media_type',
  category: 'permanent',
  status: 415,
  message: 'send content-type application/json or application/aip+json',
}) {}

/** The bytes of unfinished request bodies are above the bound of the server, and this body was unfinished longest. */
export class BodiesOverloaded extends failure({
  code: 'http.overloaded',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 1000,
  message: 'too many request bodies are unfinished; send the request again',
}) {}

/** The request body did not arrive at the pace that a sender must keep; the connection is closed after the answer. */
export class BodyTimeout extends failure({
  code: 'http.body_timeout',
  category: 'temporary',
  retryable: true,
  status: 408,
  message: 'the request body arrives too slowly; send it without pauses',
}) {}

/** The request body is above its bound; the connection is closed after the answer. */
export class BodyTooLarge extends failure({
  code: 'http.body_too_large',
  category: 'permanent',
  status: 413,
  message: 'the request body is larger than this route takes',
}) {}
