import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { decodeEnvelope, type Envelope, replyEnvelope, signEnvelope } from '../../protocol/envelope.js';
import {
  AipError,
  EventEncodingFailed,
  EventTooLarge,
  IngressUnavailable,
  StorageUnavailable,
} from '../../protocol/errors.js';
import { isPlainId } from '../../protocol/ids.js';
import { parseJson } from '../../protocol/json.js';
import type { Event, EventStream, StreamChunk } from '../../protocol/types.js';
import type { IngressSender } from '../../registry/ingress/sender.js';
import type { Registry } from '../../registry/registry.js';
import type { RouteAssignment, RoutedAction } from '../../registry/routes/assignment.js';
import { errorEnvelope, type Signer, type SignerSource } from '../../transport/http/error-response.js';
import { NO_TURN, type Turn } from '../../transport/http/turns.js';
import type { Logger } from '../../transport/process/logger.js';
import { checkRecipient, signedSender } from './checks.js';
import { acceptChunk } from './chunks/accept.js';
import { type ChunkSink, openChunkSink } from './chunks/sink.js';
import { acceptEvents } from './events/accept.js';
import type { IngressLimits } from './limits.js';

const COMPONENT = 'aip-gateway.connector-ingress';

/** The connector ingress of one gateway process. */
export interface Ingress {
  readonly limits: IngressLimits;
  /** Operations that may run at once, and how many places are free. */
  readonly capacity: number;
  available(): number;
  /**
   * Handles the text of one request: the status and the envelope to answer with, signed once the request was decoded. The turn ends when
   * its signature was verified, and may not end when it is refused before. Never throws.
   */
  handle(text: string, turn?: Turn): Promise<{ status: number; envelope: Envelope }>;
}

/** What the ingress is made of. `signer` gives the central principal (with its trust domain) and its key. */
export interface IngressDeps {
  pool: Pool;
  registry: Pick<Registry, 'ingress' | 'routes'>;
  signer: SignerSource;
  /** The DIDs under which hosts may address the central server besides that of its key. */
  ownDids: () => readonly string[];
  limits: IngressLimits;
  clock: Clock;
  log: Logger;
}

/** Opens the ingress (docs/protocol/ingress.md): provider events and stream chunks of connector hosts, on any gateway process. */
export function openIngress(deps: IngressDeps): Ingress {
  const { limits, clock, signer, log } = deps;
  const sink: ChunkSink = openChunkSink({ pool: deps.pool, clock });
  const sender = async (replicaId: string): Promise<IngressSender | undefined> =>
    isPlainId(replicaId) ? deps.registry.ingress.sender(replicaId) : undefined;
  const assignment = async (action: RoutedAction): Promise<RouteAssignment | undefined> =>
    isPlainId(action.actionId) && isPlainId(action.tenantId) ? deps.registry.routes.find(action) : undefined;
  const events = { pool: deps.pool, limits, sender };
  const chunks = { limits, sink, sender, assignment };
  let running = 0;

  const accept = async (envelope: Envelope, { principal, key }: Signer, turn: Turn): Promise<Event[]> => {
    const now = clock();
    checkRecipient(envelope, principal, [key.did, ...deps.ownDids()]);
    const signed = await signedSender(envelope).finally(turn.end);
    const body = envelope.body as { event_stream?: EventStream; stream_chunk?: StreamChunk };
    if (body.event_stream) return acceptEvents(events, envelope, body.event_stream, signed, now);
    if (body.stream_chunk) return acceptChunk(chunks, envelope, body.stream_chunk, signed, now);
    throw new AipError('connector_event.invalid', 'the ingress takes event streams and stream chunks only');
  };

  const accepted = async (request: Envelope, by: Signer, turn: Turn): Promise<Envelope> => {
    if (running >= limits.maxInFlight) throw new AipError('connector_event.capacity');
    running += 1;
    try {
      const stored = await accept(request, by, turn);
      const reply = replyEnvelope(request, { event_stream: { events: stored } }, { clock, from: by.principal });
      return await signEnvelope(reply, by.principal, by.key);
    } finally {
      running -= 1;
    }
  };

  return {
    limits,
    capacity: limits.maxInFlight,
    available: () => limits.maxInFlight - running,
    handle: async (text, turn = NO_TURN) => {
      let request: Envelope | undefined;
      const by = signer();
      try {
        request = turn.parse(() => decodeEnvelope(parseJson(text)));
        return { status: 200, envelope: await accepted(request, by, turn) };
      } catch (error) {
        const failure = asIngressError(error);
        if (failure instanceof IngressUnavailable) log.warn({ err: error }, 'the connector ingress is unavailable');
        else
          log.debug(
            { code: failure.code, reason: failure.message, message_id: request?.message_id },
            'ingress request refused',
          );
        return errorEnvelope(failure, { clock, component: COMPONENT, request, signer: by });
      }
    },
  };
}

/** Events that the log does not take are invalid; storage faults and anything unforeseen become connector_event.unavailable. */
function asIngressError(error: unknown): AipError {
  if (error instanceof EventTooLarge || error instanceof EventEncodingFailed)
    return new AipError('connector_event.invalid', error.message);
  if (error instanceof AipError && !(error instanceof StorageUnavailable)) return error;
  return new IngressUnavailable(undefined, { cause: error });
}
