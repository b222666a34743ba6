import type { ChunkContent } from '../../connectors/sdk/context.js';
import { ConnectorFailure } from '../../connectors/sdk/failure.js';
import type { Clock } from '../../protocol/clock.js';
import { type Envelope, newEnvelope, signEnvelope } from '../../protocol/envelope.js';
import { AipError } from '../../protocol/errors.js';
import { MAX_CALLBACK_AGE_MS, MAX_CHUNK_BYTES } from '../../protocol/limits.js';
import { callbackRouteOf } from '../../protocol/routes.js';
import type { Callback, Principal, StreamChunk } from '../../protocol/types.js';
import type { Signer } from '../../transport/error-response.js';
import { ExchangeFailed } from '../../transport/exchange.js';
import { doubling, jittered, retry } from '../../transport/retry.js';
import type { EndpointClient } from '../central/endpoint-client.js';
import type { Work } from '../execution/work.js';

/** The way of one action's chunks to the central server. */
export interface ChunkStream {
  /** Sends the next chunk after all earlier ones were stored; rejects when it cannot be delivered, and so do all later ones. */
  emit(chunk: ChunkContent): Promise<void>;
  /** Why the stream ended before its time. */
  failure(): Error | undefined;
}

/** What chunk streams are made of. */
export interface ChunkStreamOptions {
  /** Absent: this host does not stream. */
  endpoint: EndpointClient | undefined;
  signer: Signer;
  clock: Clock;
}

const backoff = doubling(200, 5000);
/** Attempts go on while the ingress would still take the chunk by its age; this leaves room for the attempt itself. */
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
class ChunkDelayed extends Error {}

/** Opens the streams of a host: one chunk of an action on its way at a time, signed once, repeated with the same bytes until it is taken. */
export function openChunkStreams({ endpoint, signer, clock }: ChunkStreamOptions) {
  return (work: Work, signal: AbortSignal): ChunkStream => {
    let sequence = 0;
    let ended = false;
    let failure: Error | undefined;
    let last: Promise<void> = Promise.resolve();

    const send = async (content: ChunkContent): Promise<void> => {
      if (failure) throw failure;
      if (ended) throw new ChunkUndelivered('nothing may follow a chunk of kind done or error');
      if (!endpoint || work.action.mode !== 'streaming') return;
      sequence += 1;
      ended = content.kind === 'done' || content.kind === 'error';
      const chunk: StreamChunk = { action_id: work.action.id, sequence, ...content };
      try {
        await deliver(endpoint, await envelopeOf(chunk, work, signer, clock), { clock, signal });
      } catch (error) {
        failure = signal.aborted ? signal.reason : error;
        throw failure;
      }
    };
    return {
      emit: (content) => {
        last = last.then(
          () => send(content),
          () => send(content),
        );
        last.catch(() => undefined);
        return last;
      },
      failure: () => (signal.aborted ? undefined : failure),
    };
  };
}

/** The signed envelope of a chunk, addressed as the action said and carrying its assigned route (spec 04 §3.10). */
async function envelopeOf(chunk: StreamChunk, work: Work, signer: Signer, clock: Clock): Promise<string> {
  if (Buffer.byteLength(JSON.stringify(chunk)) > MAX_CHUNK_BYTES) {
    throw new ChunkUndelivered(`a chunk has at most ${MAX_CHUNK_BYTES} bytes; send smaller ones`);
  }
  const { session_id, correlation_id } = work.envelope;
  const envelope: Envelope = newEnvelope(
    { stream_chunk: chunk },
    {
      ...(session_id !== undefined && { session_id }),
      ...(correlation_id !== undefined && { correlation_id }),
      to: recipientOf(work),
      security: { connector_callback: callbackRouteOf(work.route) },
    },
    { clock },
  );
  return JSON.stringify(await signEnvelope(envelope, signer.principal, signer.key));
}

function recipientOf({ action }: Work): Principal {
  const { metadata } = action.callback as Callback;
  return (metadata as { connector_callback_recipient: Principal }).connector_callback_recipient;
}

/** Posts until the central server took the chunk or refused it for good; any 2xx is success. */
async function deliver(
  endpoint: EndpointClient,
  body: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  const begun = clock();
  let tried = 0;
  try {
    await retry(
      async () => {
        tried += 1;
        const { status } = await endpoint.post(body, { signal });
        if (status >= 200 && status < 300) return;
        const why = `the central server answered a chunk with status ${status}`;
        throw isTemporary(status) ? new ChunkDelayed(why) : new ChunkUndelivered(why);
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
    throw new ChunkUndelivered('a chunk could not be delivered to the central server', error);
  }
}

function isTemporary(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

function isDelay(error: unknown): boolean {
  return (
    error instanceof ChunkDelayed || error instanceof ExchangeFailed || (error instanceof AipError && error.retryable)
  );
}
