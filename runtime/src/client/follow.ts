import type { Event, ProtocolError, StreamChunk } from '../protocol/types.js';
import { waited } from '../time/wait.js';
import { errorPermitsRetry, pauseMs } from './decide.js';
import { AnswerInvalid, ClientError, GatewayRefused, GatewayUnreachable } from './errors.js';
import type { Gateway } from './gateway.js';
import { checkId } from './ids.js';
import { readSse } from './sse.js';

/** What a follower hands on; every event and every chunk once, in the order of the stream. */
export type Followed =
  | { kind: 'event'; event: Event }
  | { kind: 'chunk'; chunk: StreamChunk }
  | { kind: 'reconnecting'; afterMs: number; reason: string }
  | { kind: 'terminal' };

/** How a follow behaves. */
export interface FollowOptions {
  /** A cursor that an earlier follow of the same action printed; sent back as it is. */
  cursor?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Tries without any progress before the follow gives up (default 30). */
  attempts?: number;
  /** An action that was only just submitted may not be there yet; until then "not found" is waited out. */
  mayBeMissing?: () => boolean;
  pause?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
}

/**
 * Follows one action's events and chunks to its terminal frame. A broken stream is resumed from the retained cursor; what comes twice is
 * handed on once; pauses honour retry_after_ms. Throws GatewayRefused for an error frame that permits no retry, GatewayUnreachable when no
 * try made progress, an IdInvalid before anything is sent. The terminal frame is delivery only: read the action to know its state.
 */
export async function* followAction(
  gateway: Gateway,
  actionId: string,
  options: FollowOptions = {},
): AsyncGenerator<Followed> {
  checkId('action', actionId);
  const pause = options.pause ?? waited;
  const attempts = options.attempts ?? 30;
  const seen = new Set<string>();
  let retained = options.cursor;
  let failures = 0;
  while (true) {
    let problem: ClientError;
    // Judged before the request: its answer may be older than the acceptance that came meanwhile.
    const mayBeMissing = options.mayBeMissing?.() === true;
    try {
      const response = await gateway.open({
        path: `/aip/v1/actions/${encodeURIComponent(actionId)}/events`,
        query: { follow: true, include_chunks: true, cursor: retained },
        signal: options.signal,
      });
      for await (const frame of readSse(response.body as AsyncIterable<Uint8Array>)) {
        failures = 0;
        if (!frame) continue;
        if (frame.event === 'aip.error')
          throw new GatewayRefused((JSON.parse(frame.data) as { error: ProtocolError }).error, 200);
        if (frame.event === 'aip.stream.terminal') {
          yield { kind: 'terminal' };
          return;
        }
        if (frame.event === 'aip.stream.cursor') {
          retained = (JSON.parse(frame.data) as { next_cursor: string }).next_cursor;
          continue;
        }
        const data = JSON.parse(frame.data) as { event?: Event; chunk?: StreamChunk };
        const identity = data.event?.id ?? (data.chunk ? `chunk:${data.chunk.sequence}` : frame.id);
        if (identity !== undefined && seen.has(identity)) continue;
        if (identity !== undefined) seen.add(identity);
        if (data.event) yield { kind: 'event', event: data.event };
        else if (data.chunk) yield { kind: 'chunk', chunk: data.chunk };
      }
      problem = new GatewayUnreachable(gateway.url, new Error('the stream ended before the action did'));
    } catch (error) {
      if (options.signal?.aborted) return;
      if (error instanceof ClientError && error.final) throw error;
      if (error instanceof GatewayRefused) {
        const waits = isMissing(error) && mayBeMissing;
        if (!waits && !errorPermitsRetry(error.error)) throw error;
        problem = error;
      } else {
        const named = error instanceof ClientError && !(error instanceof AnswerInvalid);
        problem = named ? error : new GatewayUnreachable(gateway.url, error);
      }
    }
    failures += 1;
    if (failures >= attempts) throw problem;
    const missing = problem instanceof GatewayRefused && isMissing(problem);
    const afterMs = missing
      ? 50
      : pauseMs(failures - 1, problem instanceof GatewayRefused ? problem.error.retry_after_ms : undefined);
    if (!missing) yield { kind: 'reconnecting', afterMs, reason: problem.message };
    await pause(afterMs, options.signal);
    if (options.signal?.aborted) return;
  }
}

function isMissing(error: GatewayRefused): boolean {
  return error.code === 'action.not_found' || error.code === 'resource.not_found';
}
