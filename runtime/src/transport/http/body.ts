import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { NamedError } from '../../protocol/errors/named-error.js';
import { AipError, BodiesOverloaded, BodyTooLarge, JsonInvalid } from '../../protocol/errors.js';
import { after, every } from '../../time/timer.js';
import { budgetOf } from './body-budget.js';
import { collectBytes } from './byte-collector.js';

/** After a body went over its bound this much more is read and dropped, for this long, so that the answer still reaches the sender. */
const LINGER_BYTES = 4_194_304;
const LINGER_MS = 1000;

/** The pace that a sender must keep. */
export interface Pace {
  /** The longest time without a byte, and the time in which a body may be slower than its pace, in milliseconds. */
  readonly stallMs: number;
  readonly bytesPerSecond: number;
}

/** Senders of whom nothing is known yet. */
export const STRANGER_PACE: Pace = { stallMs: 5000, bytesPerSecond: 65_536 };
/** Callers with a valid credential. */
export const CALLER_PACE: Pace = { stallMs: 30_000, bytesPerSecond: 0 };
/** How often the pace of all unfinished bodies is checked: with one timer, since most are complete before it fires. */
const WATCH_MS = 500;
const watched = new Set<() => void>();
let stopWatching: (() => void) | undefined;

function watchPace(check: () => void): void {
  watched.add(check);
  stopWatching ??= every(WATCH_MS, checkWatched, { ref: false });
}

function checkWatched(): void {
  for (const each of watched) each();
  if (watched.size > 0) return;
  stopWatching?.();
  stopWatching = undefined;
}

/** Requests whose body was given up. */
const unread = new WeakSet<IncomingMessage>();

/** Whether the rest of a request's body is left unread, so that its connection must end with the answer. */
export function isLeftUnread(request: IncomingMessage): boolean {
  return unread.has(request);
}

/** The sender went away before its body was complete; no one is left to answer. */
export class RequestAborted extends NamedError {}

/**
 * The whole body as text, at most `limit` bytes. With `json` the media type must be application/json or application/aip+json.
 * Throws `http.unsupported_media_type` (415), what readBytes throws, JsonInvalid when it is not UTF-8, RequestAborted.
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  options: { json?: boolean; pace?: Pace | undefined } = {},
): Promise<string> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    request.resume();
    throw new AipError('http.unsupported_media_type', 'send the body without content-encoding');
  }
  if (options.json && !isJsonMediaType(request.headers['content-type'])) {
    request.resume();
    throw new AipError('http.unsupported_media_type');
  }
  const bytes = await readBytes(request, limit, { pace: options.pace });
  if (!isUtf8(bytes)) throw new JsonInvalid('the body is not UTF-8');
  return bytes.toString('utf8');
}

/** Whether a Content-Type names one of the two JSON media types, in UTF-8. */
export function isJsonMediaType(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (!['application/json', 'application/aip+json'].includes(type.trim())) return false;
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='));
  return charset === undefined || ['utf-8', 'utf8'].includes(charset.slice(8).replaceAll('"', ''));
}

/**
 * The whole body as it came, at most `limit` bytes; with `drop` it is read to its end all the same, and nothing of it is kept. Its bytes
 * count against the budget of its server until it is complete, and its sender must keep a pace. Throws BodyTooLarge (413), `http.body_timeout` (408)
 * and BodiesOverloaded (503), after whose answers the connection is closed, and RequestAborted.
 */
export function readBytes(
  request: IncomingMessage,
  limit: number,
  { drop: dropped = false, pace = STRANGER_PACE }: { drop?: boolean; pace?: Pace | undefined } = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts = collectBytes();
    let size = 0;
    let endLinger: (() => void) | undefined;
    const startedAt = performance.now();
    let arrivedAt = startedAt;
    const finish = (settle: () => void): void => {
      endLinger?.();
      watched.delete(watch);
      unfinished.end();
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      settle();
    };
    const giveUp = (error: Error): void =>
      finish(() => {
        parts.clear();
        request.pause();
        unread.add(request);
        reject(error);
      });
    const tooLarge = (): void => giveUp(new BodyTooLarge(`the request body is larger than ${limit} bytes`));
    const unfinished = budgetOf(request).begin(() => giveUp(new BodiesOverloaded()));
    const watch = (): void => {
      const now = performance.now();
      const owed = (pace.bytesPerSecond * (now - startedAt - pace.stallMs)) / 1000;
      if (now - arrivedAt > pace.stallMs || size < owed) giveUp(new AipError('http.body_timeout'));
    };
    watchPace(watch);
    const drop = (): void => {
      parts.clear();
      unfinished.end();
      endLinger ??= after(LINGER_MS, tooLarge);
    };
    const onData = (part: Buffer): void => {
      size += part.length;
      arrivedAt = performance.now();
      if (size > limit + LINGER_BYTES) tooLarge();
      else if (size > limit) drop();
      else if (!dropped) {
        parts.add(part);
        unfinished.add(part.length);
      }
    };
    const onEnd = (): void => {
      if (size > limit) tooLarge();
      else finish(() => resolve(parts.all()));
    };
    const onGone = (): void => finish(() => reject(new RequestAborted('the sender went away')));
    if (Number(request.headers['content-length']) > limit + LINGER_BYTES) tooLarge();
    else request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}
