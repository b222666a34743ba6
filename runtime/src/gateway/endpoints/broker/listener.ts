import { randomUUID } from 'node:crypto';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { decodeEnvelope, type Envelope } from '../../../protocol/envelope.js';
import { AipError, BodiesOverloaded, BrokerDecodeFailed } from '../../../protocol/errors.js';
import { within } from '../../../time/deadline.js';
import { errorEnvelope } from '../../../transport/http/error-response.js';
import { NO_TURN, openTurns } from '../../../transport/http/turns.js';
import { openBrokerConnection } from '../../../transport/nats/connection.js';
import { decodeFailure, frameOf, messageOf, traceOf } from '../../../transport/nats/frame.js';
import { isStreamSubject, listenerSubject } from '../../../transport/nats/subjects.js';
import { principalKey } from '../../claims/caller-shares.js';
import { countsByKey } from '../../claims/counts-by-key.js';
import { answerEnvelope, type EnvelopeAnswerDeps } from '../../edge/answer-envelope.js';
import type { Authenticator } from '../../edge/authenticate.js';
import type { Identity } from '../../edge/identity.js';
import type { BrokerConfig } from './settings.js';

/** Name of the part that fails, written into errors. */
export const BROKER_COMPONENT = 'aip.server.nats';

/** The listener on the message broker. */
export interface BrokerListener {
  /** Whether it is connected and subscribed now. */
  up(): boolean;
  /** Takes no further message; what is being answered is. */
  drain(): void;
  /** Waits for open answers for at most `graceMs`, then closes the connection. */
  close(graceMs: number): Promise<void>;
}

/** What the listener needs. */
export interface BrokerListenerDeps {
  readonly config: BrokerConfig;
  readonly tlsCa: () => string | undefined;
  readonly answers: EnvelopeAnswerDeps;
  readonly authenticator: Pick<Authenticator, 'signed'>;
  readonly name: string;
}

/**
 * Listens for requests of every message type (docs/protocol/client-api.md#message-broker): each message holds one
 * signed envelope, is answered as over HTTP, and replied to only where it has a reply subject. A message that nobody
 * can read is answered with a transport error, or dropped. One signer never has all places. Losing the broker loses the listener only until it is back.
 */
export function startBrokerListener(deps: BrokerListenerDeps): BrokerListener {
  const { config, answers } = deps;
  const { log, clock } = answers;
  const open = new Set<Promise<void>>();
  const bySigner = countsByKey();
  const turns = openTurns();
  let subscription: Subscription | undefined;
  let draining = false;

  const reply = (message: Msg, envelope: Envelope): void => {
    const { payload, headers } = frameOf(envelope);
    message.respond(payload, { headers });
  };
  const refuse = async (message: Msg, error: unknown): Promise<void> => {
    if (message.reply === undefined || message.reply === '') return;
    reply(message, (await errorEnvelope(error, { clock, component: BROKER_COMPONENT })).envelope);
  };

  const enter = (signer: Identity): (() => void) => {
    const key = principalKey(signer);
    const limit = config.maxInFlightPerSigner;
    if ((bySigner.counts.get(key) ?? 0) >= limit)
      throw new AipError('transport.nats.capacity', `${limit} messages of this signer are being answered; try again`);
    return bySigner.add(key);
  };

  const take = async (message: Msg, maxReply: number): Promise<void> => {
    let leave = (): void => undefined;
    let turn = NO_TURN;
    const { envelope, error } = await answerEnvelope(answers, {
      read: async () => {
        turn = await turns.enter(message.data.length, '').catch(asCapacity);
        return turn.parse(() => readable(message));
      },
      authenticate: async (decoded) => {
        const signer = await deps.authenticator.signed(decoded).finally(turn.end);
        leave = enter(signer);
        return signer;
      },
      component: BROKER_COMPONENT,
      context: { requestId: randomUUID(), trace: traceOf(message) },
    }).finally(() => {
      turn.end();
      leave();
    });
    if (message.reply === undefined || message.reply === '') {
      if (error instanceof BrokerDecodeFailed) log.info({ subject: message.subject }, 'broker message dropped');
      return;
    }
    if (Buffer.byteLength(JSON.stringify(envelope)) > maxReply - FRAME_MARGIN_BYTES)
      return refuse(message, new AipError('transport.nats.reply_too_large'));
    reply(message, envelope);
  };

  const listen = (connection: NatsConnection): void => {
    if (draining) return;
    const { queueGroup, service, maxInFlight } = config;
    subscription = connection.subscribe(listenerSubject(service), {
      ...(queueGroup !== undefined && { queue: queueGroup }),
      callback: (failure, message) => {
        if (failure || isStreamSubject(service, message.subject)) return;
        const full = open.size >= maxInFlight;
        const work = full
          ? refuse(message, new AipError('transport.nats.capacity'))
          : take(message, connection.info?.max_payload ?? 0);
        const done = work
          .catch((error) => log.warn({ err: error }, 'broker message failed'))
          .finally(() => open.delete(done));
        open.add(done);
      },
    });
  };
  const { servers, username, password } = config;
  const connection = openBrokerConnection({
    address: { servers, username, password, tlsCa: deps.tlsCa },
    name: deps.name,
    opened: listen,
    log,
  });

  return {
    up: () => connection.up() && subscription !== undefined && !subscription.isClosed(),
    drain: () => {
      draining = true;
      subscription?.unsubscribe();
    },
    close: async (graceMs) => {
      await within(graceMs, Promise.allSettled([...open]), () => undefined);
      await connection.close();
    },
  };
}

/** A message that may not wait until it is verified is refused as every other want of capacity here. */
function asCapacity(error: unknown): never {
  throw error instanceof BodiesOverloaded ? new AipError('transport.nats.capacity', error.message) : error;
}

/** Bytes that headers and the TransportMessage add to an envelope. */
const FRAME_MARGIN_BYTES = 4096;

/** The envelope of a message, not yet decoded, but known to decode: what does not is a failure of the transport. */
function readable(message: Msg): unknown {
  try {
    const { envelope } = messageOf(message);
    decodeEnvelope(envelope);
    return envelope;
  } catch (error) {
    throw error instanceof AipError ? decodeFailure(error) : error;
  }
}
