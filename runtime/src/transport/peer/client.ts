import type { Clock } from '../../protocol/clock.js';
import { systemClock } from '../../protocol/clock.js';
import { ACCEPT_DOCUMENT } from '../../protocol/content/documents.js';
import { type Envelope, signEnvelope } from '../../protocol/envelope.js';
import { AipError, RemoteError } from '../../protocol/errors.js';
import { newId } from '../../protocol/ids.js';
import {
  PEER_CONNECT_MS,
  PEER_POOLS,
  PEER_RESPONSE_BYTES,
  PEER_RETRIES,
  PEER_RETRY_DELAY_MS,
  PEER_TIMEOUT_MS,
} from '../../protocol/limits.js';
import type { SigningKey } from '../../protocol/signing.js';
import type { Principal, ProtocolError } from '../../protocol/types.js';
import { decodeFrame, encodeFrame } from '../../protocol/wire/native-http.js';
import { doubling, retry } from '../../time/retry.js';
import { traceHeader } from '../telemetry/telemetry.js';
import type { DestinationPolicy } from './destination.js';
import { PeerTransportFailed } from './errors.js';
import { type DocumentSink, ExchangeFailed, exchange } from './exchange.js';
import { type ExtraRoots, openPoolCache, type PoolCacheCounts } from './pools.js';
import { type ExpectedPeer, verifyAnswer } from './verify.js';

export { DestinationRefused, PeerTransportFailed } from './errors.js';

const MAX_RETRY_DELAY_MS = 3200;

/** A peer and where it is. */
export interface Peer extends ExpectedPeer {
  url: string;
}

/** How one message is sent. */
export interface SendOptions {
  /** Default: the delegation id of a delegation request, the action id of an action, else the message id. */
  idempotencyKey?: string | undefined;
  /** Signs instead of the client's present key: for a body that names the key it is signed with. */
  key?: SigningKey | undefined;
  /** Ends the exchange; its reason is thrown. */
  signal?: AbortSignal | undefined;
  /** Takes the document that a host's result names, as it arrives after the envelope. */
  document?: DocumentSink | undefined;
  /** Bounds one attempt, in milliseconds, instead of the client's own time. */
  timeoutMs?: number | undefined;
  /** Called after each attempt that may have reached the peer and got no complete answer. */
  onUnanswered?: (() => void) | undefined;
}

/** Sends signed envelopes to peers and accepts only answers that they signed for the very request. */
export interface PeerClient {
  /**
   * Addresses `envelope` to the peer, signs it once, sends it, and returns the verified answer. Repeats the same bytes after a transport
   * failure, never after an answer; it asks DNS again only while no attempt reached the peer. Throws DestinationRefused,
   * PeerTransportFailed, NotAuthorized for an answer that the peer did not sign, and RemoteError (with the HTTP status) for a verified answer that holds an error.
   */
  send(envelope: Envelope, peer: Peer, options?: SendOptions): Promise<Envelope>;
  pools(): PoolCacheCounts;
  close(): Promise<void>;
}

/** What a peer client is made of; the defaults are those of docs/protocol/limits.md. */
export interface PeerClientOptions {
  /** The key that signs now. */
  key: () => SigningKey;
  principal: Principal;
  trustDomain: string;
  policy: DestinationPolicy;
  /** Bound of one attempt, in milliseconds. */
  timeoutMs?: number | undefined;
  maxResponseBytes?: number | undefined;
  /** Attempts after the first. */
  retries?: number | undefined;
  maxPools?: number | undefined;
  tlsCa?: ExtraRoots | undefined;
  clock?: Clock | undefined;
}

/** Opens the client of docs/protocol/signing.md#the-signed-http-exchange. */
export function openPeerClient(options: PeerClientOptions): PeerClient {
  const timeoutMs = options.timeoutMs ?? PEER_TIMEOUT_MS;
  const maxBytes = options.maxResponseBytes ?? PEER_RESPONSE_BYTES;
  const attempts = 1 + (options.retries ?? PEER_RETRIES);
  const clock = options.clock ?? systemClock;
  const delayMs = doubling(PEER_RETRY_DELAY_MS, MAX_RETRY_DELAY_MS);
  const principal: Principal = { ...options.principal, trust_domain: options.trustDomain };
  const pools = openPoolCache({
    capacity: options.maxPools ?? PEER_POOLS,
    connectTimeoutMs: Math.min(timeoutMs, PEER_CONNECT_MS),
    tlsCa: options.tlsCa,
  });

  return {
    send: async (envelope, peer, sending = {}) => {
      let destination = await options.policy.admit(peer.url);
      const key = sending.key ?? options.key();
      const request = await signEnvelope(addressed(envelope, peer, options.trustDomain), principal, key);
      const { origin, path } = destination;
      const message = {
        origin,
        path,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'aip-trust-domain': options.trustDomain,
          ...(sending.document && { [ACCEPT_DOCUMENT]: String(sending.document.maxBytes) }),
          ...traceHeader(),
          'idempotency-key': headerValue(sending.idempotencyKey ?? idempotencyKeyOf(request)),
        },
        body: encodeFrame(request).bytes,
        timeoutMs: sending.timeoutMs ?? timeoutMs,
        maxBytes,
        signal: sending.signal,
        document: sending.document,
      };
      let tried = 0;
      let reached = false;
      const answer = await retry(
        async () => {
          tried += 1;
          // What reached nobody may have gone to an address that the peer has left.
          if (tried > 1 && !reached) destination = await options.policy.admit(peer.url);
          try {
            return await exchange(pools.poolFor(destination), message);
          } catch (error) {
            if (error instanceof ExchangeFailed) reached ||= error.reached;
            if (error instanceof ExchangeFailed && error.reached) sending.onUnanswered?.();
            throw error;
          }
        },
        {
          attempts,
          delayMs,
          signal: sending.signal,
          retryable: (error) => error instanceof ExchangeFailed && error.status === undefined,
        },
      ).catch((error) => {
        if (!(error instanceof ExchangeFailed)) throw error;
        const failed = { reached, attempts: tried, status: error.status };
        throw new PeerTransportFailed(`the peer ${peer.principal.id} did not answer: ${error.message}`, failed, {
          cause: error,
        });
      });
      const { status } = answer;
      const failed = (what: string, cause?: unknown): PeerTransportFailed =>
        new PeerTransportFailed(
          `the peer ${peer.principal.id} ${what}`,
          { reached: true, attempts: tried, status },
          { cause },
        );

      const reply = decoded(answer.body, failed);
      await verifyAnswer(reply, request, peer, clock());
      const error = errorOf(reply);
      if (error?.code === REPLAYED && tried > 1) {
        throw failed('had received the message before its answer was lost', new RemoteError(error, status));
      }
      if (error) throw new RemoteError(error, status);
      if (status < 200 || status > 299) throw failed(`answered with status ${status} and no error`);
      return reply;
    },
    pools: pools.counts,
    close: pools.close,
  };
}

/** Code with which a host refuses a message id it has seen (docs/protocol/signing.md#who-checks-what). */
const REPLAYED = 'connector_host.replay';

/** The value of the Idempotency-Key header: delegation id of a delegation request, action id of an action, else the message id. */
export function idempotencyKeyOf(envelope: Envelope): string {
  const body = envelope.body as { action?: { id: string }; delegation_request?: { delegation_id: string } };
  return body.delegation_request?.delegation_id ?? body.action?.id ?? envelope.message_id;
}

/** Text as a header can carry it: what is not printable ASCII is percent-encoded. */
function headerValue(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text);
}

/** The envelope with the peer as its recipient, a correlation id, and the sender's trust domain under `security`. */
function addressed(envelope: Envelope, peer: Peer, trustDomain: string): Envelope {
  return {
    ...envelope,
    correlation_id: envelope.correlation_id ?? newId('correlation'),
    to: { id: peer.principal.id, kind: peer.principal.kind },
    security: { ...(envelope.security as object | undefined), trust_domain: trustDomain },
  } as Envelope;
}

function decoded(bytes: Buffer, failed: (what: string, cause: unknown) => Error): Envelope {
  try {
    return decodeFrame({ bytes });
  } catch (error) {
    if (error instanceof AipError) throw failed('sent no AIP envelope', error);
    throw error;
  }
}

function errorOf(envelope: Envelope): ProtocolError | undefined {
  return (envelope.body as { error?: { error: ProtocolError } }).error?.error;
}
