import { joined } from '../../time/deadline.js';
import { type SpanStart, traced, traceHeader } from '../../transport/telemetry/telemetry.js';
import { traceOfAction, traceparentOf } from '../../transport/telemetry/trace-context.js';
import { ConnectorFailure } from './failure.js';

/** Bound of a response body unless a call sets its own, in bytes. */
export const DEFAULT_FETCH_BYTES = 16_777_216;

/** As RequestInit, with a bound of the response body. */
export interface ConnectorFetchInit extends RequestInit {
  /** Largest response body in bytes; default 16 MiB. A larger one fails with `connector.<type>.invalid_response`. */
  maxBytes?: number;
}

/**
 * Fetches within the time of the call. A redirect is returned, not followed, unless `redirect` says so. Throws
 * ConnectorFailure `connector.<type>.transport` when no answer came, and the reason of the call's signal.
 */
export type ConnectorFetch = (url: string | URL, init?: ConnectorFetchInit) => Promise<Response>;

/** What a fetch belongs to. */
export interface FetchScope {
  /** Of the connector; names the failures. */
  type: string;
  signal: AbortSignal;
  /** Sent with every request. */
  headers: Readonly<Record<string, string>>;
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Codes of failures before a byte of the request was sent. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** Opens the fetch of one call. */
export function openFetch({ type, signal: callSignal, headers: callHeaders }: FetchScope): ConnectorFetch {
  return async (url, { maxBytes = DEFAULT_FETCH_BYTES, ...init } = {}) => {
    const signal = init.signal ? joined(callSignal, init.signal) : callSignal;
    let response: Response;
    try {
      response = await traced(methodOf(init), requestSpan(url, init), async (span) => {
        const headers = new Headers({ ...callHeaders, ...traceHeader() });
        new Headers(init.headers).forEach((value, name) => {
          headers.set(name, value);
        });
        const answer = await fetch(url, { redirect: 'manual', ...init, headers, signal });
        span.set({ 'http.response.status_code': answer.status });
        if (answer.status >= 400) span.fail(String(answer.status));
        return answer;
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw transportFailure(type, error, SAFE.has(methodOf(init)));
    }
    return bounded(response, maxBytes, type);
  };
}

function methodOf({ method = 'GET' }: RequestInit): string {
  return method.toUpperCase();
}

/** The span of one request to the provider, without its path and query: providers put secrets and names of persons there. */
function requestSpan(url: string | URL, init: RequestInit): SpanStart {
  const at = URL.canParse(String(url)) ? new URL(url) : undefined;
  const port = at && (at.port || (at.protocol === 'https:' ? '443' : '80'));
  return {
    kind: 'client',
    attributes: {
      'http.request.method': methodOf(init),
      'server.address': at?.hostname,
      'server.port': port === undefined ? undefined : Number(port),
    },
  };
}

function transportFailure(type: string, error: unknown, safe: boolean): ConnectorFailure {
  const { code } = ((error as Error).cause ?? {}) as { code?: string };
  const unsent = code !== undefined && UNSENT.has(code);
  return new ConnectorFailure({
    code: `connector.${type}.transport`,
    message: `the provider did not answer${code === undefined ? '' : ` (${code})`}`,
    category: 'temporary',
    retryable: safe || unsent,
    uncertainOutcome: !safe && !unsent,
    cause: error,
  });
}

async function bounded(response: Response, maxBytes: number, type: string): Promise<Response> {
  const tooLarge = (): ConnectorFailure =>
    new ConnectorFailure({
      code: `connector.${type}.invalid_response`,
      message: `the answer of the provider is larger than ${maxBytes} bytes`,
      remoteStatus: response.status,
    });
  const { body, status, statusText, headers } = response;
  if (Number(headers.get('content-length')) > maxBytes) {
    await body?.cancel();
    throw tooLarge();
  }
  if (!body) return response;
  let size = 0;
  const counted = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (part, controller) => {
        size += part.length;
        if (size > maxBytes) controller.error(tooLarge());
        else controller.enqueue(part);
      },
    }),
  );
  return new Response(counted, { status, statusText, headers });
}

/** Headers that let a provider's log be joined with ours: the trace of the action and its id. */
export function traceHeaders(action: {
  id: string;
  observability?: { trace_id?: string; span_id?: string };
}): Record<string, string> {
  const trace = traceOfAction(action);
  return {
    ...(/^[\x21-\x7e]{1,256}$/.test(action.id) && { 'x-aip-action-id': action.id }),
    ...(trace && { traceparent: traceparentOf(trace) }),
  };
}
