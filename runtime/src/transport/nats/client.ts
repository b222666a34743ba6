import { type NatsConnection, RequestError, TimeoutError } from '@nats-io/transport-node';
import { type Clock, systemClock } from '../../protocol/clock.js';
import { decodeEnvelope, type Envelope, signEnvelope } from '../../protocol/envelope.js';
import { AipError, RemoteError } from '../../protocol/errors.js';
import { newId } from '../../protocol/ids.js';
import { BROKER_TIMEOUT_MS } from '../../protocol/limits.js';
import type { ProtocolError } from '../../protocol/types.js';
import { within } from '../../time/deadline.js';
import type { SignerSource } from '../http/error-response.js';
import { PeerTransportFailed } from '../peer/errors.js';
import { type ExpectedPeer, verifyAnswer } from '../peer/verify.js';
import type { BrokerConnection } from './connection.js';
import { frameOf, messageOf, withTrace } from './frame.js';

/** How one request is sent. */
export interface BrokerRequest {
  /** See requestSubject. */
  readonly subject: string;
  readonly peer: ExpectedPeer;
  /** Bound of the whole exchange, in milliseconds; default 30 seconds. */
  readonly timeoutMs?: number | undefined;
}

/** Sends signed envelopes over the broker and takes only answers that the peer signed for the very request. */
export interface BrokerClient {
  /**
   * Signs, sends and waits for the verified answer; nothing is sent twice. Throws PeerTransportFailed (no answer in
   * time, nobody listens, an answer that is not an envelope), NotAuthorized for an answer that the peer did not sign, and RemoteError for a verified error.
   */
  request(envelope: Envelope, options: BrokerRequest): Promise<Envelope>;
}

/** Opens the client over a connection that its owner closes. */
export function openBrokerClient(options: {
  connection: Pick<BrokerConnection, 'connected'>;
  signer: SignerSource;
  timeoutMs?: number | undefined;
  clock?: Clock | undefined;
}): BrokerClient {
  const clock = options.clock ?? systemClock;
  return {
    request: async (envelope, { subject, peer, timeoutMs = options.timeoutMs ?? BROKER_TIMEOUT_MS }) => {
      const { principal, key } = options.signer();
      const addressed: Envelope = {
        ...envelope,
        correlation_id: envelope.correlation_id ?? newId('correlation'),
        to: { id: peer.principal.id, kind: peer.principal.kind },
        security: { ...(envelope.security as object | undefined), trust_domain: principal.trust_domain },
      };
      const request = await signEnvelope(addressed, principal, key);
      const failed = (what: string, reached: boolean, cause: unknown): PeerTransportFailed =>
        new PeerTransportFailed(
          `the peer ${peer.principal.id} ${what}`,
          { reached, attempts: 1, status: undefined },
          { cause },
        );
      const message = await exchange(options.connection, subject, request, timeoutMs, failed);
      let reply: Envelope;
      try {
        reply = decodeEnvelope(messageOf(message).envelope);
      } catch (error) {
        if (error instanceof AipError) throw failed('sent no AIP envelope', true, error);
        throw error;
      }
      await verifyAnswer(reply, request, peer, clock());
      const { error } = (reply.body as { error?: { error: ProtocolError } }).error ?? {};
      if (error) throw new RemoteError(error);
      return reply;
    },
  };
}

async function exchange(
  connection: Pick<BrokerConnection, 'connected'>,
  subject: string,
  request: Envelope,
  timeoutMs: number,
  failed: (what: string, reached: boolean, cause: unknown) => PeerTransportFailed,
) {
  const late = (): never => {
    throw failed(`did not answer within ${timeoutMs} ms`, false, undefined);
  };
  try {
    const started = performance.now();
    const broker: NatsConnection = await within(timeoutMs, connection.connected(), late);
    const { payload, headers } = frameOf(request);
    const left = Math.max(1, Math.ceil(timeoutMs - (performance.now() - started)));
    return await broker.request(subject, payload, { headers: withTrace(headers), timeout: left });
  } catch (error) {
    if (error instanceof PeerTransportFailed) throw error;
    if (error instanceof RequestError && error.isNoResponders()) throw failed('does not listen', false, error);
    if (error instanceof TimeoutError) throw failed(`did not answer within ${timeoutMs} ms`, true, error);
    throw failed('could not be asked', true, error);
  }
}
