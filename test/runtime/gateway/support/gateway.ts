import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '#runtime/gateway/config.js';
import { startGateway } from '#runtime/gateway/main.js';
import { sha256Hex } from '#runtime/protocol/digest.js';
import { decodeEnvelope, type Envelope, newEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import type { Action, Body } from '#runtime/protocol/types.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { freshDatabase } from '../../../support/database.ts';

/** The answer of a gateway: its status, headers, and its body as JSON where it is some. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any;
}

/** A gateway that listens in this process, over a database of its own. */
export interface HttpGateway {
  readonly url: string;
  readonly databaseUrl: string;
  readonly folder: string;
  call(
    method: string,
    path: string,
    options?: { token?: string | undefined; headers?: Record<string, string>; body?: unknown },
  ): Promise<Answer>;
  stop(): Promise<void>;
}

/** The static bearer token of test gateways. */
export const TOKEN = 'the static token';

/** An action envelope for the server's own capability, with changes to its action. */
export function actionEnvelope(action: Partial<Action> = {}, fields: Partial<Envelope> = {}): Envelope {
  const body = {
    action: { id: newId('action'), capability_id: 'cap:aip:server:health', input: {}, ...action },
  } as Body;
  return newEnvelope(body, fields, { clock: Date.now });
}

/** An entry of a principals file for a token. */
export function principalEntry(token: string, more: object): object {
  return { token_digest: `sha256:${sha256Hex(token)}`, principal_id: `human:${token}`, ...more };
}

/**
 * Starts a gateway: by default with the static bearer TOKEN of service:edge, tenant acme, every scope. `principals`
 * become a principals file, `signers` a signer file; `env` overrides variables (an undefined one is left out).
 */
export async function startHttpGateway(
  options: {
    env?: Record<string, string | undefined>;
    principals?: object[];
    signers?: object[];
    databaseUrl?: string;
    /** The process's own clock. */
    clock?: () => number;
  } = {},
): Promise<HttpGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-gateway-'));
  const database = options.databaseUrl ? undefined : await freshDatabase();
  const databaseUrl = options.databaseUrl ?? (database?.url as string);
  const files: Record<string, string> = {};
  for (const [name, entries] of [
    ['PRINCIPALS_FILE', options.principals],
    ['TRUSTED_SIGNER_FILE', options.signers],
  ] as const) {
    if (!entries) continue;
    files[`AIP_GATEWAY_${name}`] = join(folder, name);
    await writeFile(join(folder, name), JSON.stringify(entries), { mode: 0o600 });
  }
  const config = readConfig({
    AIP_GATEWAY_BIND: '127.0.0.1:0',
    AIP_GATEWAY_POSTGRES_URL: databaseUrl,
    AIP_GATEWAY_POSTGRES_MAX_CONNECTIONS: '6',
    AIP_GATEWAY_TRUST_DOMAIN: 'test',
    AIP_GATEWAY_NATIVE_BEARER_TOKEN: TOKEN,
    AIP_GATEWAY_NATIVE_PRINCIPAL: 'service:edge',
    AIP_GATEWAY_NATIVE_PRINCIPAL_SCOPES: '*',
    AIP_GATEWAY_NATIVE_TENANT_ID: 'acme',
    AIP_GATEWAY_DRAIN_MS: '0',
    ...files,
    ...options.env,
  });
  const gateway = await startGateway(
    config,
    openLogger({ component: 'test', level: 'silent' }),
    options.clock ?? Date.now,
  );
  const { url } = gateway.server;
  return {
    url,
    databaseUrl,
    folder,
    call: async (method, path, { token, headers = {}, body } = {}) => {
      const response = await fetch(`${url}${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const json = response.headers.get('content-type') === 'application/json' && text !== '';
      return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
    },
    stop: async () => {
      for (const step of gateway.stopSteps) await step.run();
      await database?.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Checks that an answer is a complete error envelope, and returns its ProtocolError. */
export function errorOf(answer: Answer) {
  const envelope = decodeEnvelope(answer.body);
  const body = envelope.body as {
    error?: {
      error: { code: string; message: string; category: string; retryable?: boolean; retry_after_ms?: number };
    };
  };
  if (!body.error) throw new Error(`the answer is no error: ${JSON.stringify(answer.body).slice(0, 300)}`);
  return body.error.error;
}
