import type { ProbeContext } from '../sdk/context.js';
import { ConnectorFailure } from '../sdk/failure.js';
import { accountOf, type ChatwootConfig, DEFAULT_RESPONSE_BYTES } from './config.js';

/** One request below the account's own part of the API. */
export interface ChatwootRequest {
  method: 'GET' | 'POST';
  /** Segments of the path below the account; each is encoded. */
  path: readonly (string | number)[];
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  /** The answer's body is not read. */
  discard?: boolean;
}

/**
 * Sends a request with the instance's token to the instance's origin and returns the decoded JSON. The status is judged before the body,
 * and an error's body is not read at all. Throws ConnectorFailure; after a POST that may have had an effect its outcome is uncertain.
 */
export async function callChatwoot(ctx: ProbeContext<ChatwootConfig>, request: ChatwootRequest): Promise<unknown> {
  const { config } = ctx;
  const { method, body } = request;
  const url = new URL(
    ['', 'api', 'v1', 'accounts', accountOf(config), ...request.path].map(segment).join('/'),
    config.base_url,
  );
  url.search = new URLSearchParams(request.query).toString();
  const response = await ctx.fetch(url, {
    method,
    redirect: 'manual',
    maxBytes: config.max_response_bytes ?? DEFAULT_RESPONSE_BYTES,
    headers: {
      accept: 'application/json',
      api_access_token: ctx.secret('api-token'),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const mutates = method !== 'GET';
  if (!response.ok || request.discard) await response.body?.cancel().catch(() => undefined);
  if (!response.ok) throw statusFailure(response, mutates);
  return request.discard ? undefined : jsonOf(response, mutates);
}

function segment(text: string | number): string {
  return encodeURIComponent(text);
}

function statusFailure({ status, headers }: Response, mutates: boolean): ConnectorFailure {
  const requestId = headers.get('x-request-id') ?? undefined;
  const retryAfter = headers.get('retry-after');
  const common = {
    remoteStatus: status,
    ...(requestId !== undefined && /^[\x20-\x7e]{1,512}$/.test(requestId) && { providerRequestId: requestId }),
    ...(retryAfter !== null && /^\d{1,7}$/.test(retryAfter) && { retryAfterMs: Number(retryAfter) * 1000 }),
  };
  if (status === 401 || status === 403)
    return new ConnectorFailure({
      ...common,
      code: 'connector.chatwoot.authentication',
      message: `Chatwoot refused the token (status ${status}); check the secret api-token and its account`,
      category: 'auth',
    });
  if (status === 429)
    return new ConnectorFailure({
      ...common,
      code: 'connector.chatwoot.remote_temporary',
      message: 'Chatwoot has too many requests (status 429); try again later',
      category: 'temporary',
      retryable: true,
    });
  if (status >= 500)
    return new ConnectorFailure({
      ...common,
      code: 'connector.chatwoot.remote_temporary',
      message: `Chatwoot failed (status ${status}); try again later`,
      category: 'temporary',
      retryable: !mutates,
      uncertainOutcome: mutates,
    });
  return new ConnectorFailure({
    ...common,
    code: 'connector.chatwoot.remote_rejected',
    message: `Chatwoot rejected the request (status ${status}); check the account, the conversation and the rights of the token`,
    category: 'permanent',
  });
}

async function jsonOf(response: Response, mutates: boolean): Promise<unknown> {
  try {
    const text = await response.text();
    return text === '' ? null : JSON.parse(text);
  } catch (error) {
    if (error instanceof ConnectorFailure || !(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    throw new ConnectorFailure({
      code: 'connector.chatwoot.invalid_response',
      message: `Chatwoot answered with status ${response.status} and a body that is not complete JSON`,
      remoteStatus: response.status,
      uncertainOutcome: mutates,
      cause: error,
    });
  }
}
