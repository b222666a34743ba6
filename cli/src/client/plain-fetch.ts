import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { Readable } from 'node:stream';
import { KEEP_ALIVE_MS } from '@aip/runtime/internal/limits';

/** Longest wait for a connection, in ms. */
const CONNECT_MS = 10_000;
/** Longest wait for the headers of a response, in ms: longer than the longest synchronous call. */
const HEAD_MS = 300_000;
/** A body that stays silent for this long counts as broken, in ms: three keep-alives. */
const SILENT_MS = 3 * KEEP_ALIVE_MS;
/** An idle connection is closed after this time, in ms: below the shortest time that a gateway drains for. */
const IDLE_MS = 1000;

type Http = Pick<typeof import('node:http'), 'request' | 'Agent'>;

const agents = new Map<string, { http: Http; agent: Agent }>();

/**
 * A fetch for plain requests over Node's own client. The global one loads an implementation of the whole standard, which takes longer than most
 * answers. Follows no redirect; the answer has status, headers, text and body, and nothing else of a Response.
 */
export const plainFetch = (async (url: URL, init: RequestInit = {}) => {
  const { http, agent } = clientFor(url.protocol);
  const options: RequestOptions = {
    method: init.method ?? 'GET',
    headers: init.headers as Record<string, string>,
    agent,
    ...(init.signal ? { signal: init.signal } : {}),
  };
  const request = http.request(url, options);
  const message = await answerTo(request, init.body as string | undefined);
  message.setTimeout(SILENT_MS, () => message.destroy(new Error('the answer stopped for too long')));
  return reply(message);
}) as unknown as typeof globalThis.fetch;

function clientFor(protocol: string): { http: Http; agent: Agent } {
  const known = agents.get(protocol);
  if (known) return known;
  // An import of these modules reads all they export, and that loads the implementation of fetch.
  const http: Http = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
  const proxied = process.env.NODE_USE_ENV_PROXY === '1' ? { proxyEnv: process.env } : {};
  const found = { http, agent: new http.Agent({ keepAlive: true, timeout: IDLE_MS, ...proxied }) };
  agents.set(protocol, found);
  return found;
}

/** Sends it and waits for the head of the answer. */
function answerTo(request: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((done, failed) => {
    const unconnected = setTimeout(
      () => request.destroy(new Error(`no connection within ${CONNECT_MS / 1000}s`)),
      CONNECT_MS,
    );
    const connected = (): void => clearTimeout(unconnected);
    request.setTimeout(HEAD_MS, () => request.destroy(new Error('it took too long')));
    request.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', connected);
      else connected();
    });
    request.once('error', (error) => {
      connected();
      failed(error);
    });
    request.once('response', done);
    request.end(body);
  });
}

/** The part of a Response that a client of the gateway reads. */
type Reply = Pick<Response, 'ok' | 'status' | 'text'> & { headers: Pick<Headers, 'get'>; body: unknown };

function reply(message: IncomingMessage): Reply {
  const status = message.statusCode ?? 0;
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: {
      get: (name) => {
        const value = message.headers[name.toLowerCase()];
        return Array.isArray(value) ? value.join(', ') : (value ?? null);
      },
    },
    text: () => textOf(message),
    get body() {
      return Readable.toWeb(message);
    },
  };
}

async function textOf(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return new TextDecoder().decode(Buffer.concat(parts));
}
