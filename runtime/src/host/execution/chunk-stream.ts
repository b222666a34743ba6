import type { ChunkContent } from '../../connectors/sdk/context.js';
import { ConnectorFailure } from '../../connectors/sdk/failure.js';
import type { Clock } from '../../protocol/clock.js';
import { type Envelope, newEnvelope, signEnvelope } from '../../protocol/envelope.js';
import { NamedError } from '../../protocol/errors/named-error.js';
import { AipError } from '../../protocol/errors.js';
import { MAX_CALLBACK_AGE_MS, MAX_CHUNK_BYTES } from '../../protocol/limits.js';
import type { Callback, Principal, StreamChunk } from '../../protocol/types.js';
import { callbackRouteOf } from '../../protocol/wire/routes.js';
import { doubling, jittered, retry } from '../../time/retry.js';
import type { Signer } from '../../transport/http/error-response.js';
import { ExchangeFailed } from '../../transport/peer/exchange.js';
import { AnswerUntrusted, type CentralServer, deliver } from '../central/deliver.js';
import type { EndpointClient } from '../central/endpoint-client.js';
import type { Work } from './work.js';

/** The way of one action's chunks to the central server. */
export interface ChunkStream {
  /**
   * Sends the next chunk after all earlier ones were stored; rejects when it cannot be delivered, and so do all later ones. Chunks that
   * are emitted without waiting are kept up to a bound, beyond which the stream fails.
   */
  emit(chunk: ChunkContent): Promise<void>;
  /** Resolves when no chunk is on its way any more, delivered or not. */
  settled(): Promise<void>;
  /** Why the stream ended before its time. */
  failure(): Error | undefined;
}

/** What chunk streams are made of. */
export interface ChunkStreamOptions {
  /** Absent: this host does not stream. */
  endpoint: EndpointClient | undefined;
  /** Whose answers count. */
  central: CentralServer;
  signer: Signer;
  clock: Clock;
}

/** Chunks of one action that may wait for their turn, and their bytes. */
const MAX_WAITING = 1000;
const MAX_WAITING_BYTES = 4_194_304;
const backoff = doubling(200, 5000);
/** Attempts continue while the ingress would still take the chunk by its age; this leaves room for the attempt itself. */
const GIVE_UP_MS = MAX_CALLBACK_AGE_MS - 30_000;
const MIN_ATTEMPTS = 3;
const MAX_ATTEMPTS = 70;

/** A chunk that did not reach the central server. */
class ChunkUndelivered extends ConnectorFailure {
  constructor(message: string, cause?: unknown) {
    super({ code: 'connector.stream_undelivered', message, category: 'transport', operation: 'streaming', cause });
  }
}

/** An attempt that may be repeated with the same bytes. */
class ChunkDelayed extends NamedError {}

/** Opens the streams of a host: one chunk of an action on its way at a time, signed once, repeated with the same bytes until it is taken. */
export function openChunkStreams(options: ChunkStreamOptions) {
  const { endpoint } = options;
  return (work: Work, signal: AbortSignal): ChunkStream => {
    let sequence = 0;
    let ended = false;
    let failure: Error | undefined;
    let last: Promise<void> = Promise.resolve();
    const waiting = { chunks: 0, bytes: 0 };

    const send = async (target: EndpointClient, content: ChunkContent): Promise<void> => {
      if (failure) throw failure;
      try {
        if (ended) throw new ChunkUndelivered('nothing may follow a chunk of kind done or error');
        sequence += 1;
        ended = content.kind === 'done' || content.kind === 'error';
        const chunk: StreamChunk = { action_id: work.action.id, sequence, ...content };
        await deliverChunk(target, await envelopeOf(chunk, work, options), options, signal);
      } catch (error) {
        failure = signal.aborted ? signal.reason : error;
        throw failure;
      }
    };
    const enqueue = (target: EndpointClient, content: ChunkContent): Promise<void> => {
      const bytes = Buffer.byteLength(JSON.stringify(content));
      if (waiting.chunks >= MAX_WAITING || waiting.bytes + bytes > MAX_WAITING_BYTES) {
        throw new ChunkUndelivered(
          `${waiting.chunks} chunks of ${waiting.bytes} bytes wait already; wait for each emit`,
        );
      }
      waiting.chunks += 1;
      waiting.bytes += bytes;
      const sent = last
        .then(() => send(target, content))
        .finally(() => {
          waiting.chunks -= 1;
          waiting.bytes -= bytes;
        });
      last = sent.catch(() => undefined);
      return sent;
    };
    const emit = async (content: ChunkContent): Promise<void> => {
      if (!endpoint || work.action.mode !== 'streaming') return;
      try {
        await enqueue(endpoint, content);
      } catch (error) {
        failure ??= error as Error;
        throw error;
      }
    };
    return {
      emit: (content) => {
        const sent = emit(content);
        // A connector that does not check the outcome is reported by the result of its action.
        sent.catch(() => undefined);
        return sent;
      },
      settled: () => last,
      failure: () => (signal.aborted ? undefined : failure),
    };
  };
}

/** The signed envelope of a chunk, addressed as the action said and carrying its assigned route (docs/protocol/host.md#stream-chunks). */
async function envelopeOf(
  chunk: StreamChunk,
  work: Work,
  { signer, clock }: ChunkStreamOptions,
): Promise<{ envelope: Envelope; text: string }> {
  if (Buffer.byteLength(JSON.stringify(chunk)) > MAX_CHUNK_BYTES) {
    throw new ChunkUndelivered(`a chunk has at most ${MAX_CHUNK_BYTES} bytes; send smaller ones`);
  }
  const { session_id, correlation_id } = work.envelope;
  const unsigned = newEnvelope(
    { stream_chunk: chunk },
    {
      ...(session_id !== undefined && { session_id }),
      ...(correlation_id !== undefined && { correlation_id }),
      to: recipientOf(work),
      security: { connector_callback: callbackRouteOf(work.route) },
    },
    { clock },
  );
  const envelope = await signEnvelope(unsigned, signer.principal, signer.key);
  return { envelope, text: JSON.stringify(envelope) };
}

function recipientOf({ action }: Work): Principal {
  const { metadata } = action.callback as Callback;
  return (metadata as { connector_callback_recipient: Principal }).connector_callback_recipient;
}

/** Posts until the central server took the chunk or refused it permanently. */
async function deliverChunk(
  endpoint: EndpointClient,
  message: { envelope: Envelope; text: string },
  { central, clock }: ChunkStreamOptions,
  signal: AbortSignal,
): Promise<void> {
  const begun = clock();
  let tried = 0;
  try {
    await retry(
      async () => {
        tried += 1;
        const delivery = await deliver(endpoint, message, { central, clock, signal });
        if (delivery.taken) return;
        const why = `the central server answered a chunk with ${delivery.reason}`;
        throw isTemporary(delivery.status) ? new ChunkDelayed(why) : new ChunkUndelivered(why);
      },
      {
        attempts: MAX_ATTEMPTS,
        delayMs: (n) => jittered(backoff(n), 0.2),
        signal,
        retryable: (error) => isDelay(error) && (tried < MIN_ATTEMPTS || clock() - begun < GIVE_UP_MS),
      },
    );
  } catch (error) {
    if (signal.aborted || error instanceof ChunkUndelivered) throw error;
    const why = error instanceof ChunkDelayed || error instanceof AnswerUntrusted ? `: ${error.message}` : '';
    throw new ChunkUndelivered(`a chunk could not be delivered to the central server${why}`, error);
  }
}

function isTemporary(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

function isDelay(error: unknown): boolean {
  return (
    error instanceof ChunkDelayed ||
    error instanceof ExchangeFailed ||
    error instanceof AnswerUntrusted ||
    (error instanceof AipError && error.retryable)
  );
}
