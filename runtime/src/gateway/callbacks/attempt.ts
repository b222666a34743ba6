import type { Clock } from '../../protocol/clock.js';
import { cutText } from '../../protocol/content/cut-text.js';
import { newEnvelope, signEnvelope } from '../../protocol/envelope.js';
import { CALLBACK_RESPONSE_BYTES, CALLBACK_TIMEOUT_MS, PEER_CONNECT_MS, PEER_POOLS } from '../../protocol/limits.js';
import type { Principal } from '../../protocol/types.js';
import { encodeFrame } from '../../protocol/wire/native-http.js';
import type { SignerSource } from '../../transport/http/error-response.js';
import type { DestinationPolicy } from '../../transport/peer/destination.js';
import { DestinationRefused } from '../../transport/peer/errors.js';
import { exchange } from '../../transport/peer/exchange.js';
import { type ExtraRoots, openPoolCache } from '../../transport/peer/pools.js';
import { type SpanStart, traced, traceHeader } from '../../transport/telemetry/telemetry.js';
import { traceparentOf } from '../../transport/telemetry/trace-context.js';
import type { ClaimedDelivery } from './claim.js';
import type { StoredDelivery } from './record.js';

/** Of an error text that is kept. */
const MAX_ERROR_BYTES = 1024;
/** Refusals of a target that may be otherwise soon. */
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** How an attempt ended; a permanent failure is not followed by another attempt. */
export type AttemptEnd =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly error: string; readonly permanent: boolean };

/** Sends messages to callbacks. */
export interface CallbackSender {
  /** Makes one attempt; never throws. */
  attempt(delivery: ClaimedDelivery): Promise<AttemptEnd>;
  close(): Promise<void>;
}

/** What the sender is made of. Times in milliseconds, sizes in bytes. */
export interface CallbackSenderOptions {
  readonly policy: DestinationPolicy;
  readonly signer: SignerSource;
  readonly timeoutMs?: number | undefined;
  readonly maxResponseBytes?: number | undefined;
  readonly tlsCa?: ExtraRoots | undefined;
  readonly clock: Clock;
}

/**
 * Opens the sender: it signs the message for each attempt, so that it is fresh, under the message id of the delivery, and posts it to the
 * pinned address of the target. The answer's body is read up to its bound and ignored.
 */
export function openCallbackSender(options: CallbackSenderOptions): CallbackSender {
  const { policy, signer, clock } = options;
  const timeoutMs = options.timeoutMs ?? CALLBACK_TIMEOUT_MS;
  const pools = openPoolCache({
    capacity: PEER_POOLS,
    connectTimeoutMs: Math.min(timeoutMs, PEER_CONNECT_MS),
    tlsCa: options.tlsCa,
  });

  const post = async (delivery: ClaimedDelivery): Promise<number> => {
    const destination = await policy.admit(delivery.policy.target.target);
    const { principal, key } = signer();
    const envelope = await signEnvelope(envelopeOf(delivery, clock), principal, key);
    const { status } = await exchange(pools.poolFor(destination), {
      origin: destination.origin,
      path: destination.path,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(principal.trust_domain && { 'aip-trust-domain': principal.trust_domain }),
        ...(delivery.trace && { traceparent: traceparentOf(delivery.trace) }),
        ...traceHeader(),
        'idempotency-key': delivery.policy.idempotency_key,
      },
      body: encodeFrame(envelope).bytes,
      timeoutMs,
      maxBytes: options.maxResponseBytes ?? CALLBACK_RESPONSE_BYTES,
    });
    return status;
  };

  return {
    attempt: async (delivery) => {
      try {
        const { target } = delivery.policy.target;
        return await traced('aip.callback.deliver', spanOf(delivery, target), async (span) => {
          const status = await post(delivery);
          span.set({ 'http.response.status_code': status });
          return endOf(status);
        });
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        return failed(text, error instanceof DestinationRefused);
      }
    },
    close: pools.close,
  };
}

/** The span of one attempt: it continues the trace of the action that the message is about. */
function spanOf({ trace, delivery_id, action_id, message_type }: ClaimedDelivery, target: string): SpanStart {
  return {
    kind: 'client',
    parent: trace,
    attributes: {
      'aip.delivery_id': delivery_id,
      'aip.action_id': action_id ?? undefined,
      'aip.message_type': message_type,
      'http.request.method': 'POST',
      'server.address': URL.canParse(target) ? new URL(target).hostname : undefined,
    },
  };
}

function envelopeOf(delivery: StoredDelivery, clock: Clock) {
  const { message_id, session_id, correlation_id, principal_id, principal_kind, policy } = delivery;
  const fields = {
    message_id,
    ...(session_id !== null && { session_id }),
    ...(correlation_id !== null && { correlation_id }),
    to: { id: principal_id, kind: principal_kind as Principal['kind'] },
    idempotency_key: policy.idempotency_key,
  };
  return newEnvelope(delivery.body, fields, { clock });
}

function endOf(status: number): AttemptEnd {
  if (status >= 200 && status <= 299) return { kind: 'delivered' };
  const permanent = status >= 400 && status <= 499 && !TEMPORARY_STATUSES.has(status);
  return failed(`the target answered with status ${status}`, permanent);
}

function failed(text: string, permanent: boolean): AttemptEnd {
  // A target chooses parts of some texts; control characters are none that the storage takes.
  return { kind: 'failed', error: cutText(text.replace(/\p{Cc}+/gu, ' '), MAX_ERROR_BYTES), permanent };
}
