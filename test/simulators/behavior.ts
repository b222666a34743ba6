import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { drained } from '#runtime/transport/http/drained.js';
import { openApiDocument } from './openapi-document.ts';

/** How a simulated provider answers instead of as it should. Absent members are as the provider would have them. */
export interface Behavior {
  /** Only for requests whose method and path begin with it, such as `POST /api`. */
  match?: string;
  /** For so many of those requests; default all, until it is changed. */
  times?: number;
  /** Milliseconds before the provider does anything. */
  delayMs?: number;
  /** The provider does nothing of what is requested. */
  refuses?: boolean;
  /** The connection is destroyed before any byte of the answer. */
  hangsUp?: boolean;
  status?: number;
  headers?: Record<string, string | string[]>;
  /** The body as it is sent. */
  body?: string;
  /** An OpenAPI document of exactly so many bytes as the body. */
  bytes?: number;
  /** Content-Length: none (chunked), or another one than the body has. */
  declared?: 'none' | number;
  /** The body is written in pieces of so many bytes. */
  pieceBytes?: number;
  /** The connection is destroyed after so many bytes of the body. */
  cutAfter?: number;
}

/** What a well-behaved provider answers. */
export interface HonestAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** The usual ways in which a provider fails. */
export const FAILURES = {
  unauthorized: { refuses: true, status: 401, body: '{"errors":["You need to sign in"]}' },
  forbidden: { refuses: true, status: 403, body: '{"error":"Forbidden"}' },
  rateLimited: {
    refuses: true,
    status: 429,
    headers: { 'content-type': 'text/plain', 'retry-after': '7' },
    body: 'Retry later\n',
  },
  failing: { refuses: true, status: 500, body: '{"error":"Internal Server Error"}' },
  badGateway: {
    refuses: true,
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: '<html><body>Bad Gateway</body></html>',
  },
  redirecting: { refuses: true, status: 302, headers: { location: 'http://127.0.0.1:9/elsewhere' }, body: '' },
  hangingUp: { refuses: true, hangsUp: true },
  slow: { delayMs: 60_000 },
  lostAnswer: { hangsUp: true },
  truncated: { cutAfter: 10 },
  oversized: { bytes: 20_000_000 },
  chunked: { declared: 'none', pieceBytes: 7 },
  wrongContentType: { headers: { 'content-type': 'text/plain' } },
} as const satisfies Record<string, Behavior>;

/** Answers a request as the behavior says; `act` does what is requested and gives the honest answer. */
export async function answerAs(
  behavior: Behavior,
  request: IncomingMessage,
  response: ServerResponse,
  act: () => Promise<HonestAnswer>,
): Promise<void> {
  if (behavior.delayMs) await pause(behavior.delayMs);
  const honest: HonestAnswer = behavior.refuses ? { status: 200 } : await act();
  if (behavior.hangsUp) {
    request.socket.destroy();
    return;
  }
  const text = behavior.body ?? (honest.body === undefined ? '' : JSON.stringify(honest.body));
  const size = behavior.bytes ?? Buffer.byteLength(text);
  const headers: Record<string, string | string[]> = {
    'content-type': 'application/json; charset=utf-8',
    ...honest.headers,
    ...behavior.headers,
  };
  if (behavior.declared !== 'none') headers['content-length'] = String(behavior.declared ?? size);
  response.writeHead(behavior.status ?? honest.status, headers);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const parts =
    behavior.bytes === undefined ? piecesOf(text, behavior.pieceBytes ?? size) : openApiDocument(behavior.bytes);
  await send(response, parts, behavior.cutAfter);
}

async function send(response: ServerResponse, parts: Iterable<Buffer>, cutAfter: number | undefined): Promise<void> {
  let left = cutAfter ?? Number.POSITIVE_INFINITY;
  if (left === 0) response.flushHeaders();
  for (const part of parts) {
    if (response.destroyed || left <= 0) break;
    if (!response.write(part.subarray(0, left))) await drained(response);
    left -= part.length;
  }
  if (cutAfter === undefined) response.end();
  else response.destroy();
}

function* piecesOf(text: string, size: number): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
