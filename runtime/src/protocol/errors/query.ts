import { failure } from './aip-error.js';

/** A path identifier or query parameter is not acceptable; the message names it. */
export class QueryInvalid extends failure('query.invalid') {}

/** A cursor is malformed, or was issued for another route, identity or filter. */
export class CursorInvalid extends failure('query.cursor_invalid') {}

/** Selectors that exclude one another, or none of those needed. */
export class QueryConflict extends failure('query.conflict') {}

/** The cursor points before the retained part of the event log. */
export class CursorExpired extends failure('stream.cursor_expired') {}

/** One event above 262144 bytes. */
export class EventTooLarge extends failure('stream.event_too_large') {}

/** An event that cannot be written as JSON. */
export class EventEncodingFailed extends failure('stream.event_encoding_failed') {}

/** A follower that does not read fast enough was dropped; it resumes from its last event id. */
export class FollowerTooSlow extends failure('stream.follower_too_slow') {}

/** The caller, its tenant or the server follows as many streams as allowed; `details` names which. */
export class FollowersExceeded extends failure('stream.followers_exceeded') {}

/** No such resource, session, capability or action. */
export class ResourceNotFound extends failure('resource.not_found') {}

/** The resource has expired. */
export class ResourceGone extends failure('resource.gone') {}

/** None of the accepted media types is offered. */
export class ResourceNotAcceptable extends failure('resource.not_acceptable') {}

/** The path is not a route. */
export class RouteNotFound extends failure('http.not_found') {}

/** The route exists, not with this method; the answer carries Allow. */
export class MethodNotAllowed extends failure('http.method_not_allowed') {}

/** The request line and headers are larger than a server reads. */
export class HeadersTooLarge extends failure('http.headers_too_large') {}

/** What came is not HTTP/1.1. */
export class RequestMalformed extends failure('http.malformed_request') {}

/** The headers or the body did not come in time. */
export class RequestTimedOut extends failure('http.request_timeout') {}

/** The Expect header requests something that no server here does. */
export class ExpectationFailed extends failure('http.expectation_failed') {}

/** The route takes WebSocket connections alone. */
export class UpgradeRequired extends failure('http.upgrade_required') {}

/** The request's media type is neither application/json nor application/aip+json. */
export class UnsupportedMediaType extends failure('http.unsupported_media_type') {}

/** The bytes of unfinished request bodies are above the bound of the server, and this body was unfinished longest. */
export class BodiesOverloaded extends failure('http.overloaded') {}

/** The request body did not arrive at the pace that a sender must keep; the connection is closed after the answer. */
export class BodyTimeout extends failure('http.body_timeout') {}

/** The request body is above its bound; the connection is closed after the answer. */
export class BodyTooLarge extends failure('http.body_too_large') {}

/** The tenant stores as much of a kind of record as it may. */
export class StockExceeded extends failure('storage.tenant_limit') {}
