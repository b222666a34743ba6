import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ServerTls } from './certificates.ts';

/** One request as the server saw it. */
export interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: unknown;
  at: number;
}

/** An HTTP server whose faults a test chooses: broken streams, errors, connections cut before the answer. */
export interface ScriptedGateway {
  url: string;
  seen: Seen[];
  close(): Promise<void>;
}

/** Starts a server that hands every request to `answer`; with `tls` it speaks HTTPS. */
export async function scriptedGateway(
  answer: (seen: Seen, response: ServerResponse, request: IncomingMessage) => void,
  tls?: ServerTls,
): Promise<ScriptedGateway> {
  const seen: Seen[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const part of request) text += part;
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const one: Seen = {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: bodyOf(text),
      at: performance.now(),
    };
    seen.push(one);
    answer(one, response, request);
  };
  const server = tls ? createTlsServer(tls, handle) : createServer(handle);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

/** Answers with JSON. */
export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** Answers with an envelope that carries a protocol error. */
export function refuse(response: ServerResponse, error: Record<string, unknown>, status = 503): void {
  json(
    response,
    {
      aip_version: '1.0',
      message_type: 'aip.core.v1.error',
      message_id: 'msg_1',
      sent_at: '2026-01-01T00:00:00Z',
      body: { error: { error: { message: 'no', ...error } } },
    },
    status,
  );
}

/** Writes one SSE frame; opens the stream with the first one. */
export function frame(response: ServerResponse, event: string, data: unknown, id?: string): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n${id === undefined ? '' : `id: ${id}\n`}\n`);
}

/** What was sent: a webhook may carry anything. */
function bodyOf(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
