import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { NamedError } from '../../../protocol/errors/named-error.js';
import { FollowerTooSlow } from '../../../protocol/errors.js';
import { KEEP_ALIVE_MS } from '../../../protocol/limits.js';
import { after, openTimer } from '../../../time/timer.js';
import { SSE_KEEP_ALIVE } from '../../../transport/http/sse.js';
import { errorFrame } from './frames.js';

/** How long one write may wait for a peer that does not read, in milliseconds. */
const MAX_WAIT_MS = 30_000;
/** How long the last frame may take to leave before the connection is cut. */
const LAST_FRAME_MS = 5000;

/** The peer has closed its connection; no client is left to be informed. */
export class PeerGone extends NamedError {}

/** An open event stream over HTTP. */
export interface SseSink {
  /** Aborted with PeerGone when the connection closes. */
  readonly gone: AbortSignal;
  /**
   * Takes frames; a promise resolves when more may be written, or when `drop` was called, and is absent when that is so
   * already. Throws or rejects when the peer is gone or does not read.
   */
  write(frames: Buffer): Promise<void> | undefined;
  /** Ends a write that waits for the peer. */
  drop(): void;
  /** Writes what failed as the last frame, unless the peer is gone, and ends the stream. */
  fail(error: unknown): void;
  end(): void;
}

const CRLF = Buffer.from('\r\n');
const chunks = new WeakMap<Buffer, Buffer>();

/** Frames as one chunk of an HTTP/1.1 body (RFC 9112, section 7.1), made once for all streams that write them. */
function chunkOf(frames: Buffer): Buffer {
  const known = chunks.get(frames);
  if (known) return known;
  const chunk = Buffer.concat([Buffer.from(`${frames.length.toString(16)}\r\n`), frames, CRLF]);
  chunks.set(frames, chunk);
  return chunk;
}

/**
 * Answers 200 text/event-stream at once and keeps the connection alive with a comment after every 15 silent seconds.
 */
export function sseSink(response: ServerResponse): SseSink {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  // To the socket itself where that is possible, since a response writes each chunk in three parts.
  const socket = response.chunkedEncoding ? response.socket : null;
  const peer: Writable = socket ?? response;
  const gone = new AbortController();
  // Asked at each write, for which an AbortSignal takes long.
  let isGone = false;
  let stopWaiting: (() => void) | undefined;
  /** A whole number, since a fraction would be an object at each write. */
  let writtenAt = Math.round(performance.now());
  const silence = openTimer(keepAlive);
  silence.start(KEEP_ALIVE_MS);

  // Setting a timer at each write would be felt with thousands of streams.
  function keepAlive(): void {
    const leftMs = writtenAt + KEEP_ALIVE_MS - performance.now();
    if (leftMs <= 0 && !peer.writableNeedDrain && !response.writableEnded) response.write(SSE_KEEP_ALIVE);
    silence.start(leftMs > 0 ? leftMs : KEEP_ALIVE_MS);
  }
  const closed = (): void => {
    silence.stop();
    isGone = true;
    gone.abort(new PeerGone());
    stopWaiting?.();
  };
  // The client may have left while it was being authenticated.
  if (response.destroyed) closed();
  else response.once('close', closed);

  const drained = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const finish = (): void => {
        cancel();
        peer.off('drain', finish);
        stopWaiting = undefined;
        resolve();
      };
      const cancel = after(MAX_WAIT_MS, () => {
        reject(new FollowerTooSlow());
        finish();
      });
      stopWaiting = finish;
      peer.once('drain', finish);
    });

  const end = (last?: string): void => {
    silence.stop();
    if (response.writableEnded || response.destroyed) return;
    response.once(
      'close',
      after(LAST_FRAME_MS, () => response.destroy()),
    );
    response.end(last);
  };

  return {
    gone: gone.signal,
    write: (frames) => {
      if (isGone) throw gone.signal.reason;
      writtenAt = Math.round(performance.now());
      if (peer.write(socket ? chunkOf(frames) : frames)) return undefined;
      return drained().then(() => gone.signal.throwIfAborted());
    },
    drop: () => stopWaiting?.(),
    fail: (error) => {
      if (!(error instanceof PeerGone)) end(errorFrame(error));
    },
    end: () => end(),
  };
}
