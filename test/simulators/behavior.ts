import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** How a simulated provider answers instead of as it should. */
export interface Behavior {
  kind:
    | 'ok'
    | 'slow'
    | 'unauthorized'
    | 'rate_limited'
    | 'failing'
    | 'html'
    | 'truncated'
    | 'oversized'
    | 'chunked'
    | 'wrong_content_type'
    | 'redirect'
    | 'hang_up'
    /** Does what is asked and then hangs up, so that the answer is lost. */
    | 'lost_answer';
  /** Milliseconds for slow, seconds of Retry-After for rate_limited and failing, bytes for oversized. */
  amount?: number;
  status?: number;
  /** Only for requests whose method and path match, such as `POST /api`. */
  match?: string;
  /** For so many requests; default all. */
  times?: number;
}

/** The answer that a provider would give. */
export interface HonestAnswer {
  status: number;
  body: unknown;
}

/** Whether `answer` runs before the provider has done what is asked: then it does nothing. */
const REFUSING = new Set<Behavior['kind']>(['unauthorized', 'rate_limited', 'failing', 'html', 'redirect', 'hang_up']);

/** Answers a request as the behavior says; `act` does what is asked and gives the honest answer. */
export async function answerAs(
  behavior: Behavior,
  request: IncomingMessage,
  response: ServerResponse,
  act: () => Promise<HonestAnswer>,
): Promise<void> {
  const { kind, amount } = behavior;
  if (kind === 'hang_up') {
    request.socket.destroy();
    return;
  }
  if (kind === 'slow') await pause(amount ?? 60_000);
  const honest = REFUSING.has(kind) ? { status: 0, body: {} } : await act();
  const json = JSON.stringify(honest.body);
  const send = (status: number, headers: Record<string, string | number>, text: string): void => {
    response.writeHead(status, { 'x-request-id': 'req-simulated-1', ...headers }).end(text);
  };
  const type = { 'content-type': 'application/json; charset=utf-8' };
  const retryAfter: Record<string, number> = amount === undefined ? {} : { 'retry-after': amount };
  switch (kind) {
    case 'unauthorized':
      return send(behavior.status ?? 401, type, '{"errors":["You need to sign in"]}');
    case 'rate_limited':
      return send(429, { 'content-type': 'text/plain', ...retryAfter }, 'Retry later\n');
    case 'failing':
      return send(behavior.status ?? 500, { ...type, ...retryAfter }, '{"error":"Internal Server Error"}');
    case 'html':
      return send(behavior.status ?? 502, { 'content-type': 'text/html' }, '<html><body>Bad Gateway</body></html>');
    case 'redirect':
      return send(302, { location: 'http://127.0.0.1:9/elsewhere' }, '');
    case 'truncated':
      response.writeHead(honest.status, { ...type, 'content-length': Buffer.byteLength(json) + 1 });
      response.write(json.slice(0, Math.ceil(json.length / 2)), () => request.socket.destroy());
      return;
    case 'oversized':
      return send(honest.status, type, `{"padding":"${'x'.repeat(amount ?? 20_000_000)}"}`);
    case 'chunked':
      response.writeHead(honest.status, type);
      for (const part of json.match(/.{1,7}/gs) ?? []) response.write(part);
      response.end();
      return;
    case 'wrong_content_type':
      return send(honest.status, { 'content-type': 'text/plain' }, json);
    case 'lost_answer':
      request.socket.destroy();
      return;
    default:
      return send(honest.status, { ...type, 'content-length': Buffer.byteLength(json) }, json);
  }
}
