import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerAs, type Behavior, type HonestAnswer } from './behavior.ts';

/** A request as the simulated provider received it. */
export interface ProviderRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  credential: 'accepted' | 'refused' | 'absent';
  /** Decoded JSON or form; other text as it is; undefined when there is none. */
  body: unknown;
}

/** A request as `GET /__simulator/requests` reports it. */
export interface SeenRequest extends Omit<ProviderRequest, 'query'> {
  /** With the query. */
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** Of the answer, once that is sent. */
  status?: number;
}

/** A simulated provider. */
export interface Provider {
  /** Header with the credential, in lower case, and its value. */
  credential: { header: string; value: string };
  handle(request: ProviderRequest): HonestAnswer;
  /** Further control routes by name; undefined: there is none of that name. */
  control?(name: string, body: unknown): unknown;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;
const KEPT_REQUESTS = 10_000;
const CONTROL = '/__simulator/';

/**
 * Serves a simulated provider on loopback until its process ends; prints `{"url":…}` once it listens. Control routes are POST:
 * `/__simulator/behavior` takes a Behavior ({} ends it), `/__simulator/requests` answers `{"requests":[…]}`, the last 10,000.
 */
export function runSimulator(provider: Provider, port: number): void {
  const seen: SeenRequest[] = [];
  const choose = behaviors();
  let requests = 0;

  const control = (name: string, body: unknown): unknown => {
    if (name === 'requests') return { requests: seen };
    if (name === 'behavior') return choose.set((body ?? {}) as Behavior);
    return provider.control?.(name, body);
  };
  const server = createServer(async (incoming, response) => {
    response.on('error', () => undefined);
    const { method = '', url = '/', headers } = incoming;
    const { pathname: path, searchParams: query } = new URL(url, 'http://simulator');
    const body = await bodyOf(incoming);
    if (path.startsWith(CONTROL)) {
      const answer = await control(path.slice(CONTROL.length), body);
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? {}));
      return;
    }
    requests += 1;
    const requestId = { 'x-request-id': `req-${requests}` };
    const given = headers[provider.credential.header];
    const credential = given === undefined ? 'absent' : given === provider.credential.value ? 'accepted' : 'refused';
    const record: SeenRequest = { method, path: url, headers, credential, body };
    seen.push(record);
    if (seen.length > KEPT_REQUESTS) seen.shift();
    response.once('finish', () => {
      record.status = response.statusCode;
    });
    await answerAs(choose.next(`${method} ${path}`), incoming, response, async () => {
      const answer = provider.handle({ method, path, query, credential, body });
      return { ...answer, headers: { ...requestId, ...answer.headers } };
    });
  });
  server.listen(port, '127.0.0.1', () => {
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
  });
}

/** The behavior that is set, and the one that the next request gets. */
function behaviors() {
  let behavior: Behavior = {};
  return {
    set: (next: Behavior): Behavior => {
      behavior = next;
      return behavior;
    },
    next: (request: string): Behavior => {
      const current = behavior;
      if (!request.startsWith(current.match ?? '')) return {};
      if (current.times !== undefined) behavior = current.times <= 1 ? {} : { ...current, times: current.times - 1 };
      return current;
    },
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    size += part.length;
    if (size <= MAX_BODY_BYTES) parts.push(part);
  }
  const bytes = Buffer.concat(parts);
  const { 'content-type': type = '' } = incoming.headers;
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
