import type { Readable } from 'node:stream';
import { jittered, joined, waited, withDeadline } from '@aip/runtime/internal/time';
import type { Dispatcher } from 'undici';
import { answerError, namesMissingObject, parseStatus } from './answer-error.js';
import { openConnections } from './connections.js';
import type { KubeSource } from './credentials.js';
import { KubeError, KubeUnavailable } from './errors.js';

/** One request, its whole answer included, ends in this time. */
const TIMEOUT_MS = 30_000;
/** A read waits at most this long because the server said so. */
const MAX_RETRY_AFTER_MS = 10_000;
const RETRY_MS = 100;

/** What is asked, in the API server's own words: `APPLY` `connectorinstances/status`. */
export interface KubeAbout {
  readonly verb: 'GET' | 'LIST' | 'WATCH' | 'POST' | 'PUT' | 'PATCH' | 'APPLY' | 'DELETE';
  /** Plural of the kind, with the subresource. */
  readonly resource: string;
}

/** What a transport reports about its work; for metrics. */
export interface TransportHooks {
  /** A request was answered with `status`; 0 when no whole answer came. */
  answered?(about: KubeAbout, status: number): void;
}

/** One request to the API server; `path` begins below the server's base path and holds the query. */
export interface KubeRequest {
  readonly about: KubeAbout;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string | undefined;
  /** Form of the answer; JSON unless given. */
  readonly accept?: string | undefined;
}

/** Sends requests with the credentials of one source. */
export interface Transport {
  readonly namespace: string;
  /** The text of a 2xx answer. Reads that failed with KubeUnavailable are tried once more. Throws a KubeError. */
  call(request: KubeRequest): Promise<string>;
  /** As `call`, and undefined when the answer says that the object is not there. */
  find(request: KubeRequest): Promise<string | undefined>;
  /** The body of a 200 answer, as it comes; the answer's head must come within the time limit. */
  stream(request: KubeRequest, signal: AbortSignal): Promise<Readable>;
  /** Ends all connections; what is under way fails. */
  close(): Promise<void>;
}

/** Opens a transport; reads the credentials at once. Throws KubeConfigInvalid. `timeoutMs` is for one request. */
export async function openTransport(
  source: KubeSource,
  { timeoutMs = TIMEOUT_MS, hooks }: { timeoutMs?: number | undefined; hooks?: TransportHooks | undefined } = {},
): Promise<Transport> {
  const closing = new AbortController();
  const connections = await openConnections(source);

  const send = async (
    request: KubeRequest,
    which: 'calls' | 'watches',
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> => {
    for (let again = false; ; again = true) {
      const { credentials, [which]: dispatcher } = await connections.current(again);
      const answer = await dispatcher.request({
        origin: credentials.origin,
        method: request.method,
        path: credentials.basePath + request.path,
        headers: {
          ...credentials.headers,
          accept: request.accept ?? 'application/json',
          'user-agent': 'aip-controller',
          ...(request.body !== undefined && { 'content-type': request.contentType ?? 'application/json' }),
        },
        body: request.body === undefined ? null : JSON.stringify(request.body),
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      if (answer.statusCode !== 401 || again) return answer;
      await answer.body.dump();
    }
  };

  /** One attempt; undefined only for a missing object that `missingIsFine`. */
  const once = async (request: KubeRequest, missingIsFine: boolean): Promise<string | undefined> => {
    const limit = withDeadline(undefined, timeoutMs);
    let answered = 0;
    try {
      const { statusCode, headers, body } = await send(request, 'calls', limit.signal);
      const text = await body.text();
      answered = statusCode;
      if (statusCode >= 200 && statusCode < 300) return text;
      const status = parseStatus(text);
      if (missingIsFine && statusCode === 404 && namesMissingObject(status)) return undefined;
      throw answerError(statusCode, status, headers['retry-after'] as string | undefined);
    } catch (error) {
      throw unreachable(error, request, limit.signal);
    } finally {
      limit.clear();
      hooks?.answered?.(request.about, answered);
    }
  };
  const attempt = async (request: KubeRequest, missingIsFine: boolean): Promise<string | undefined> => {
    try {
      return await once(request, missingIsFine);
    } catch (error) {
      if (request.method !== 'GET' || !(error instanceof KubeUnavailable) || closing.signal.aborted) throw error;
      const waitMs = Math.min(MAX_RETRY_AFTER_MS, error.retryAfterMs ?? RETRY_MS);
      await waited(jittered(waitMs, 0.1), closing.signal);
      return once(request, missingIsFine);
    }
  };

  return {
    namespace: connections.namespace,
    call: async (request) => (await attempt(request, false)) as string,
    find: (request) => attempt(request, true),
    stream: async (request, signal) => {
      // Bounds the head alone: `signal` still ends the body, which this function leaves to its caller.
      const head = withDeadline(undefined, timeoutMs);
      let answered = 0;
      try {
        const answer = await send(request, 'watches', joined(signal, head.signal));
        answered = answer.statusCode;
        if (answer.statusCode === 200) return answer.body;
        throw answerError(answer.statusCode, parseStatus(await answer.body.text()));
      } catch (error) {
        throw unreachable(error, request, head.signal);
      } finally {
        head.clear();
        hooks?.answered?.(request.about, answered);
      }
    },
    close: async () => {
      closing.abort();
      await connections.close();
    },
  };
}

/** A failure without an answer, as a KubeUnavailable; others pass. */
function unreachable(error: unknown, request: KubeRequest, limit: AbortSignal): Error {
  if (error instanceof KubeError) return error;
  const what = `${request.method} ${request.path.split('?')[0]}`;
  const why = limit.aborted ? 'no complete answer in time' : (error as Error).message;
  return new KubeUnavailable(0, limit.aborted ? 'Timeout' : 'Unreachable', `${what}: ${why}`, { cause: error });
}
