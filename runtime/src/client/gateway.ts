import type { ProtocolError } from '../protocol/types.js';
import { AnswerInvalid, ClientError, GatewayRefused, GatewayUnreachable } from './errors.js';

/** Where the gateway is and who asks. */
export interface GatewayAddress {
  /** Origin of the gateway, without a path. */
  url: string;
  /** Bearer token; without one only public routes answer. */
  token?: string | undefined;
  /**
   * The tenant whose records are meant, for a caller of several: an id that several tenants use names the one of this tenant. Goes with every
   * request whose route takes `tenant_id`, unless the request has one, and with every action: it is refused where the token is of another tenant.
   */
  tenantId?: string | undefined;
  /** Where the token came from, for people. */
  tokenSource?: string | undefined;
  /** Sends the requests; default: the global one. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Advice for a user whom the gateway does not answer. */
  advice?: string | undefined;
}

/** One request; query members that are undefined are left out. */
export interface GatewayRequest {
  method?: 'GET' | 'POST';
  path: string;
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

/** Routes that take `tenant_id`; of those that change something, cancel alone. */
const TENANT_ROUTES =
  /^\/aip\/v1\/(?:actions|approvals|transactions|callback-deliveries|audit\/events|resources)(?:\/|$)/;

/** HTTP access to one gateway; bodies are JSON, errors are thrown as GatewayRefused or GatewayUnreachable. */
export interface Gateway {
  readonly url: string;
  /** The tenant of its address. */
  readonly tenantId?: string | undefined;
  /** Sends once and gives the parsed body. Never repeats on its own. */
  request(request: GatewayRequest): Promise<unknown>;
  /** Reads a public route whatever its status says; `body` is undefined when it is not JSON, `at` is the server's clock in ms. */
  probe(path: string, signal?: AbortSignal): Promise<{ status: number; body: unknown; at: number | undefined }>;
  /** Gives the body of a successful answer as it comes; the caller reads it to its end. */
  download(request: GatewayRequest): Promise<ReadableStream<Uint8Array>>;
  /** Opens a stream and gives the raw response; the caller reads and closes it. */
  open(request: GatewayRequest): Promise<Response>;
}

/** Makes a client of one gateway; opens no connection yet. */
export function openGateway(address: GatewayAddress): Gateway {
  const fetch = address.fetch ?? globalThis.fetch;
  const unreachable = (cause: unknown): ClientError =>
    cliErrorIn(cause) ?? new GatewayUnreachable(address.url, cause, address.advice);
  const send = async (request: GatewayRequest, accept: string): Promise<Response> => {
    const url = new URL(request.path, address.url);
    for (const [name, value] of Object.entries(request.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const takesTenant = TENANT_ROUTES.test(url.pathname) && (isRead(request) || url.pathname.endsWith('/cancel'));
    if (address.tenantId !== undefined && takesTenant && !url.searchParams.has('tenant_id'))
      url.searchParams.set('tenant_id', address.tenantId);
    const headers: Record<string, string> = { accept, ...request.headers };
    if (address.token) headers.authorization = `Bearer ${address.token}`;
    if (request.body !== undefined) headers['content-type'] = 'application/json';
    try {
      return await fetch(url, {
        method: request.method ?? 'GET',
        headers,
        redirect: 'manual',
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        ...(request.signal ? { signal: request.signal } : {}),
      });
    } catch (error) {
      if (request.signal?.aborted) throw error;
      throw unreachable(error);
    }
  };
  return {
    url: address.url,
    tenantId: address.tenantId,
    request: async (request) => {
      const response = await send(request, 'application/json');
      let text: string;
      try {
        text = await response.text();
      } catch (error) {
        if (request.signal?.aborted) throw error;
        throw unreachable(error);
      }
      const body = parse(text);
      const error = protocolErrorIn(body, response);
      if (error) throw new GatewayRefused(error, response.status, address.tokenSource);
      if (!response.ok || body === undefined)
        throw new AnswerInvalid(`${address.url} answered ${response.status} with something that is not AIP.`);
      return body;
    },
    probe: async (path, signal) => {
      const response = await send({ path, signal }, 'application/json');
      const at = Date.parse(response.headers.get('date') ?? '');
      const body = parse(await response.text().catch(() => ''));
      return { status: response.status, body, at: Number.isNaN(at) ? undefined : at };
    },
    download: async (request) => {
      const response = await send(request, 'application/json');
      if (response.ok && response.body) return response.body as ReadableStream<Uint8Array>;
      const error = protocolErrorIn(parse(await response.text().catch(() => '')), response);
      if (error) throw new GatewayRefused(error, response.status, address.tokenSource);
      throw new AnswerInvalid(`${address.url} answered ${response.status} with something that is not AIP.`);
    },
    open: async (request) => {
      const response = await send(request, 'text/event-stream');
      if (response.ok && response.body && response.headers.get('content-type')?.startsWith('text/event-stream'))
        return response;
      const error = protocolErrorIn(parse(await response.text().catch(() => '')), response);
      if (error) throw new GatewayRefused(error, response.status, address.tokenSource);
      throw new AnswerInvalid(`${address.url} answered ${response.status} instead of an event stream.`);
    },
  };
}

function isRead({ method = 'GET' }: GatewayRequest): boolean {
  return method === 'GET';
}

/** A failure that was named below the transport. */
function cliErrorIn(error: unknown): ClientError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof ClientError) return at;
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The error of an answer: an envelope with an error body, or the direct error object of the capability catalog. A record that was read may
 * have a member `error` too: that of the action.
 */
function protocolErrorIn(body: unknown, { ok }: Pick<Response, 'ok'>): ProtocolError | undefined {
  const envelope = body as { body?: { error?: { error?: ProtocolError } }; error?: Partial<ProtocolError> } | undefined;
  const inEnvelope = envelope?.body?.error?.error;
  if (inEnvelope?.code) return inEnvelope;
  const direct = ok ? undefined : envelope?.error;
  if (typeof direct?.code !== 'string') return undefined;
  return { message: direct.code, category: 'permanent', retryable: false, ...direct } as ProtocolError;
}
