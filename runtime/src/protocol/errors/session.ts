import { failure } from './aip-error.js';

/** No such session, or none that the caller may see. */
export class SessionNotFound extends failure('session.not_found') {}

/** The session has ended. */
export class SessionClosed extends failure('session.closed') {}

/** The resume token is missing, wrong, used, expired or revoked, or not the caller’s. */
export class SessionResumeRejected extends failure('session.resume_rejected') {}

/** The callback of a submitted action cannot be delivered to; the message says why. */
export class CallbackRefused extends failure('callback.target_refused') {}

/** No such callback delivery, or none that the caller may see. */
export class DeliveryNotFound extends failure('callback.delivery_not_found') {}

/** No such receipt chain, or none that the caller may see. */
export class ReceiptNotFound extends failure('receipt.not_found') {}

/** The connection has 16 subscriptions. */
export class SubscriptionCapacity extends failure('ws.subscription_capacity') {}

/** The caller, its tenant or the server has as many WebSocket connections open as allowed; `details` names which. */
export class ConnectionsExceeded extends failure('ws.connections_exceeded') {}

/** A frame is neither an envelope nor a control object. */
export class WebSocketMessageInvalid extends failure('ws.invalid_message') {}

/** A frame is not JSON. */
export class WebSocketDecodeFailed extends failure('ws.decode_failed') {}

/** A session id without its prefix. */
export class WebSocketSessionInvalid extends failure('ws.invalid_session_id') {}

/** The broker listener answers as many messages at once as it may. */
export class BrokerCapacity extends failure('transport.nats.capacity') {}

/** The answer is larger than the broker takes. */
export class BrokerReplyTooLarge extends failure('transport.nats.reply_too_large') {}

/** A broker message is neither a TransportMessage nor an envelope. */
export class BrokerDecodeFailed extends failure('transport.nats.decode') {}
