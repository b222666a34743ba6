import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerAs, type Behavior, type HonestAnswer } from './behavior.ts';

/** One request as the simulated provider saw it. */
export interface Seen {
  method: string;
  path: string;
  /** Names of the headers, and the values of those that are no credentials. */
  headers: Record<string, string>;
  credential: 'accepted' | 'refused' | 'absent';
  body?: unknown;
  status?: number;
}

/** A simulated provider: what it does with a request. Control routes begin with `/__simulator/`. */
export interface Provider {
  /** Header with the credential, in lower case, and its value. */
  credential: { header: string; value: string };
  handle(request: { method: string; path: string; query: URLSearchParams; body: unknown }): Promise<HonestAnswer>;
  control?(name: string, body: unknown): Promise<unknown>;
}

/** Serves a simulated provider on loopback until SIGTERM; prints `{"url":…}` once it listens. */
export async function serve(provider: Provider, port: number): Promise<string> {
  const seen: Seen[] = [];
  let behavior: Behavior = { kind: 'ok' };

  const control = async (name: string, body: unknown): Promise<unknown> => {
    if (name === 'requests') return { requests: seen };
    if (name === 'behavior') {
      behavior = body as Behavior;
      return behavior;
    }
    return provider.control?.(name, body);
  };
  const chosen = (method: string, path: string): Behavior => {
    const { match = '', times } = behavior;
    if (!`${method} ${path}`.startsWith(match)) return { kind: 'ok' };
    const now = behavior;
    if (times !== undefined) behavior = times <= 1 ? { kind: 'ok' } : { ...behavior, times: times - 1 };
    return now;
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://simulator');
    const method = request.method ?? 'GET';
    const body = await bodyOf(request);
    if (url.pathname.startsWith('/__simulator/')) {
      const answer = await control(url.pathname.slice('/__simulator/'.length), body);
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? {}));
      return;
    }
    const { header, value } = provider.credential;
    const given = request.headers[header];
    const record: Seen = {
      method,
      path: url.pathname + url.search,
      headers: Object.fromEntries(
        Object.entries(request.headers).flatMap(([name, text]) => (name === header ? [] : [[name, String(text)]])),
      ),
      credential: given === undefined ? 'absent' : given === value ? 'accepted' : 'refused',
      ...(body !== undefined && { body }),
    };
    seen.push(record);
    response.once('finish', () => {
      record.status = response.statusCode;
    });
    const kind = chosen(method, url.pathname);
    await answerAs(kind, request, response, async () =>
      record.credential === 'accepted'
        ? provider.handle({ method, path: url.pathname, query: url.searchParams, body })
        : { status: 401, body: { errors: ['Invalid Access Token'] } },
    );
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.stdout.write(`${JSON.stringify({ url })}\n`);
  process.once('SIGTERM', () => process.exit(0));
  process.once('SIGINT', () => process.exit(0));
  return url;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  const { 'content-type': type = '' } = request.headers;
  if (type.startsWith('multipart/form-data'))
    return Object.fromEntries(await new Response(bytes, { headers: { 'content-type': type } }).formData());
  const text = bytes.toString('utf8');
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
