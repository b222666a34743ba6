import { failure } from './aip-error.js';

/** No such session, or none that the caller may see. */
export class SessionNotFound extends failure({
  code: 'session.not_found',
  category: 'permanent',
  message: 'no such session',
}) {}

/** The session has ended. */
export class SessionClosed extends failure({
  code: 'session.closed',
  category: 'permanent',
  message: 'the session is closed',
}) {}

/** The resume token is missing, wrong, used, expired or revoked, or not the caller’s. */
export class SessionResumeRejected extends failure({
  code: 'session.resume_rejected',
  category: 'auth',
  message: 'the session cannot be resumed with this token',
}) {}

/** The callback of a submitted action cannot be delivered to; the message says why. */
export class CallbackRefused extends failure({
  code: 'callback.target_refused',
  category: 'policy',
  message: 'the callback target is not allowed here',
}) {}

/** No such callback delivery, or none that the caller may see. */
export class DeliveryNotFound extends failure({
  code: 'callback.delivery_not_found',
  category: 'permanent',
  message: 'no such callback delivery',
}) {}

/** 64 deliveries run already. */
export class DeliveryCapacity extends failure({
  code: 'callback.delivery_capacity',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 100,
  message: 'too many callback deliveries run; try again',
}) {}

/** No such receipt chain, or none that the caller may see. */
export class ReceiptNotFound extends failure({
  code: 'receipt.not_found',
  category: 'permanent',
  message: 'no such receipt',
}) {}

/** The connection has 16 subscriptions. */
export class SubscriptionCapacity extends failure({
  code: 'ws.subscription_capacity',
  category: 'transport',
  message: 'a connection takes at most 16 subscriptions',
}) {}

/** A frame is neither an envelope nor a control object. */
export class WebSocketMessageInvalid extends failure({
  code: 'ws.invalid_message',
  category: 'transport',
  message: 'the frame is neither an envelope nor a subscribe object with a subscription_id',
}) {}

/** A frame is not JSON. */
export class WebSocketDecodeFailed extends failure({
  code: 'ws.decode_failed',
  category: 'transport',
  message: 'the frame is not JSON',
}) {}

/** A session id without its prefix. */
export class WebSocketSessionInvalid extends failure({
  code: 'ws.invalid_session_id',
  category: 'transport',
  message: 'session_id must begin with sess_',
}) {}

/** A frame could not be written. */
export class WebSocketEncodeFailed extends failure({
  code: 'ws.encode_failed',
  category: 'transport',
  message: 'a frame could not be written',
}) {}

/** The broker listener answers as many messages at once as it may. */
export class BrokerCapacity extends failure({
  code: 'transport.nats.capacity',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 100,
  message: 'too many broker messages are being answered; try again',
}) {}

/** The answer is larger than the broker takes. */
export class BrokerReplyTooLarge extends failure({
  code: 'transport.nats.reply_too_large',
  category: 'transport',
  message: 'the answer is larger than a message of the broker may be; ask for a smaller page or over HTTP',
}) {}

/** A broker message is neither a TransportMessage nor an envelope. */
export class BrokerDecodeFailed extends failure({
  code: 'transport.nats.decode',
  category: 'transport',
  message: 'the message is neither a TransportMessage nor an envelope',
}) {}
