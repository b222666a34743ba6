import { isUtf8 } from 'node:buffer';
import { Agent, type Dispatcher, request } from 'undici';
import { AipError, JsonInvalid } from '../../protocol/errors.js';
import { parseJson } from '../../protocol/json.js';
import { type Deadline, withDeadline } from '../../time/deadline.js';
import { providerErrorOf, requestIdOf, retryAfterOf } from './answer-facts.js';
import { type FailedCall, invalidResponse, statusFailure, transportFailure } from './failures.js';

const CONNECT_MS = 10_000;
const REQUEST_MS = 120_000;
/** How much of an error's body is read for its message. */
const ERROR_BODY_BYTES = 65_536;
/** Codes of failures before a byte of the request was sent. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** One call of the provider's API. */
export interface ProviderCall {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query below the origin, beginning with `/`; parts that come from an input must be percent-encoded. */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Ends the call; its reason is thrown. */
  signal: AbortSignal;
  /** May the provider have changed something when the answer is lost? Default: any method but GET and HEAD. */
  mutates?: boolean;
  /** Reported in the details of failures. */
  details?: Readonly<Record<string, unknown>>;
}

/** A successful answer (2xx). */
export interface ProviderAnswer<Body> {
  status: number;
  /** x-request-id when it is valid, else traceparent, else null. */
  requestId: string | null;
  body: Body;
}

/** Calls one provider: fixed origin, host-owned credential, bounded answers, redirects refused, no retries. */
export interface ProviderClient {
  /** The decoded JSON of a successful answer; null when it has no bytes. Throws ConnectorFailure. */
  json(call: ProviderCall): Promise<ProviderAnswer<unknown>>;
  /** A successful answer's JSON as `keep` (the context's `document`) gives it, which never holds it as a whole. Throws ConnectorFailure. */
  document(
    call: ProviderCall,
    keep: (parts: AsyncIterable<Uint8Array>) => Promise<unknown>,
  ): Promise<ProviderAnswer<unknown>>;
  /** Makes the call and drops the body of its successful answer undecoded. Throws ConnectorFailure. */
  probe(call: ProviderCall): Promise<{ status: number }>;
}

/** What a provider client is made of. */
export interface ProviderOptions {
  /** Type of the connector; begins the codes of failures. */
  type: string;
  /** Origin of the provider. */
  baseUrl: string;
  /** The headers with the credential, read at each call. */
  credential: () => Readonly<Record<string, string>>;
  maxResponseBytes: number;
  /** Bound of one whole call, in milliseconds; default 120000. */
  timeoutMs?: number;
}

/** One pool of connections for all providers of the process; undici keeps them apart by origin. */
const agent = new Agent({ connect: { timeout: CONNECT_MS }, headersTimeout: 0, bodyTimeout: 0, allowH2: false });

/** Opens the client of a provider. The status of an answer is judged before its body is read. */
export function openProviderClient(options: ProviderOptions): ProviderClient {
  const { type, credential, maxResponseBytes, timeoutMs = REQUEST_MS } = options;
  const { origin } = new URL(options.baseUrl);

  const send = async (call: ProviderCall, limit: Deadline): Promise<Answer> => {
    const { method, path, body, headers, mutates = method !== 'GET' && method !== 'HEAD', details } = call;
    const failing: FailedCall = { type, mutates, details };
    const { signal } = limit;
    const sent = {
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
      ...credential(),
    };
    const failed = (error: unknown, status?: number): Error => {
      if (error instanceof AipError) return error;
      if (call.signal.aborted) return call.signal.reason;
      const { code = '' } = error as { code?: string };
      const why = signal.aborted ? `no complete answer within ${timeoutMs} ms` : code || 'the connection failed';
      return transportFailure(failing, why, { sent: !UNSENT.has(code), status, cause: error });
    };
    try {
      const target = origin + path;
      const text = body === undefined ? null : JSON.stringify(body);
      const received = await request(target, { dispatcher: agent, method, headers: sent, body: text, signal });
      // A body that is dropped ends with an error of its own.
      received.body.on('error', () => undefined);
      const answer = { ...received, requestId: requestIdOf(received.headers), failing, failed };
      if (received.statusCode < 200 || received.statusCode > 299) throw await refused(answer);
      const declared = Number(received.headers['content-length']);
      if (method !== 'HEAD' && declared > maxResponseBytes) {
        received.body.destroy();
        throw tooLarge(answer);
      }
      return answer;
    } catch (error) {
      throw failed(error);
    }
  };

  const tooLarge = ({ failing, statusCode: status, requestId }: Answer): Error =>
    invalidResponse(failing, `is larger than ${maxResponseBytes} bytes`, { status, requestId });

  async function* bounded(answer: Answer): AsyncGenerator<Buffer> {
    let size = 0;
    try {
      for await (const part of answer.body as AsyncIterable<Buffer>) {
        size += part.length;
        if (size > maxResponseBytes) throw tooLarge(answer);
        yield part;
      }
    } catch (error) {
      throw answer.failed(error, answer.statusCode);
    } finally {
      answer.body.destroy();
    }
  }

  /** Makes the call and hands its answer to `use`; both within the time of the call. */
  const answered = async <T>(call: ProviderCall, use: (answer: Answer) => Promise<T>): Promise<T> => {
    const limit = withDeadline(call.signal, timeoutMs);
    try {
      return await use(await send(call, limit));
    } finally {
      limit.clear();
    }
  };

  return {
    document: (call, keep) =>
      answered(call, async (answer) => {
        const { statusCode: status, requestId, failing } = answer;
        try {
          return { status, requestId, body: await keep(bounded(answer)) };
        } catch (error) {
          if (!(error instanceof JsonInvalid)) throw error;
          throw invalidResponse(failing, 'is not valid JSON', { status, requestId }, error);
        } finally {
          answer.body.destroy();
        }
      }),
    json: (call) =>
      answered(call, async (answer) => {
        const bytes = Buffer.concat(await Array.fromAsync(bounded(answer)));
        return { status: answer.statusCode, requestId: answer.requestId, body: decoded(bytes, answer) };
      }),
    probe: (call) =>
      answered(call, async ({ statusCode, body }) => {
        body.destroy();
        return { status: statusCode };
      }),
  };
}

interface Answer extends Dispatcher.ResponseData {
  requestId: string | null;
  failing: FailedCall;
  failed: (error: unknown, status?: number) => Error;
}

/** The JSON of an answer's bytes; null when there are none. */
function decoded(bytes: Buffer, { statusCode: status, requestId, failing }: Answer): unknown {
  if (bytes.length === 0) return null;
  const invalid = (cause?: unknown): Error =>
    invalidResponse(failing, 'is not valid JSON', { status, requestId }, cause);
  if (!isUtf8(bytes)) throw invalid();
  try {
    return parseJson(bytes.toString('utf8'));
  } catch (cause) {
    throw invalid(cause);
  }
}

/** The failure of an answer's status, with what little of its body can be read as an error. */
async function refused({ statusCode: status, headers, body, requestId, failing }: Answer): Promise<Error> {
  const facts = { status, requestId, retryAfterMs: retryAfterOf(headers) };
  try {
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of body as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > ERROR_BODY_BYTES) break;
      parts.push(part);
    }
    const providerError = providerErrorOf(JSON.parse(Buffer.concat(parts).toString('utf8')));
    return statusFailure(failing, { ...facts, providerError });
  } catch {
    return statusFailure(failing, facts);
  } finally {
    body.destroy();
  }
}
