import { type Logger, pino } from 'pino';
import { expect } from 'vitest';
import { controlPlaneApp } from '#controller/control-plane/app.js';
import type { Pool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import {
  type LifecycleCommand,
  type SignedLifecycleResponse,
  signValue,
  verifyValue,
} from '#runtime/protocol/lifecycle.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { formatTime } from '#runtime/protocol/time.js';
import { openRegistry } from '#runtime/registry/registry.js';
import { listen } from '#runtime/transport/http/server.js';
import type { Fleet, TestReplica } from '../../runtime/registry/fleet.ts';

export const CONTROL = '/aip/v1/connector-control';
export const LEASE_TTL_MS = 30_000;

/** An answer of the control plane: status, headers, text, and the text read as JSON. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The header of a drain's answer that counts pinned work. */
  readonly pinned: string | null;
  readonly body: Partial<SignedLifecycleResponse> & { error?: { code: string } };
  readonly response: NonNullable<SignedLifecycleResponse['response']> & {
    status: string;
    lease?: { sequence: number; expires_at: number[] };
    code?: string;
    message?: string;
    retryable?: boolean;
  };
}

export interface Plane {
  readonly url: string;
  readonly key: SigningKey;
  /** Sends text to the lifecycle route. */
  post(text: string, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

/** A control plane over real HTTP on the fleet's database, or on the pool given. */
export async function startPlane(
  fleet: Fleet,
  over: { pool?: Pool; key?: SigningKey; log?: Logger } = {},
): Promise<Plane> {
  const key = over.key ?? signingKeyFromSeed(newSeedHex());
  const pool = over.pool ?? fleet.pool;
  const registry = openRegistry({ data: pool, clock: fleet.clock, allowLoopbackHttp: true });
  const app = controlPlaneApp({
    registry,
    pool,
    key: () => key,
    clock: fleet.clock,
    leaseTtlMs: LEASE_TTL_MS,
    log: over.log ?? pino({ level: 'silent' }),
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  return {
    url: server.url,
    key,
    post: async (text, headers = {}) => {
      const response = await fetch(server.url + CONTROL, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: text,
      });
      const answer = await response.text();
      const body = JSON.parse(answer) as Answer['body'];
      const pinned = response.headers.get('aip-pinned-work');
      return { status: response.status, text: answer, pinned, body, response: body.response as Answer['response'] };
    },
    close: () => server.close(1000),
  };
}

/** What a test may put in place of the members of a signed request. */
export interface Overrides {
  requestId?: string;
  /** Milliseconds from now. */
  issuedIn?: number;
  /** Milliseconds after the issue. */
  lifetime?: number;
  did?: string;
  key?: SigningKey;
}

/** The text of a signed lifecycle request of a replica, as its host sends it. */
export async function signed(
  fleet: Fleet,
  replica: TestReplica,
  command: LifecycleCommand,
  over: Overrides = {},
): Promise<string> {
  const { key = replica.key, issuedIn = 0, lifetime = 30_000 } = over;
  const issued = fleet.clock() + issuedIn;
  const request = {
    request_id: over.requestId ?? newId('message'),
    issued_at: formatTime(issued),
    expires_at: formatTime(issued + lifetime),
    signer_did: over.did ?? key.did,
    command,
  };
  return JSON.stringify({ request, signature: await signValue(request, key) });
}

/** heartbeat, drain or offline of a replica with a fence. */
export const heartbeat = (
  replica: TestReplica,
  previous_sequence: number,
  over: { in_flight?: number; connector_ready?: boolean } = {},
): LifecycleCommand => ({
  operation: 'heartbeat',
  payload: { replica_id: replica.id, previous_sequence, in_flight: 0, connector_ready: true, ...over },
});
export const drain = (replica: TestReplica, previous_sequence: number): LifecycleCommand => ({
  operation: 'drain',
  payload: { replica_id: replica.id, previous_sequence },
});
export const offline = (replica: TestReplica, previous_sequence: number): LifecycleCommand => ({
  operation: 'offline',
  payload: { replica_id: replica.id, previous_sequence },
});

/** Expects a signed rejection: 403, or 503 where that is said. */
export async function expectRejected(plane: Plane, answer: Answer, status: 403 | 503 = 403): Promise<void> {
  expect(answer).toMatchObject({
    status,
    response: {
      status: 'rejected',
      code: status === 403 ? 'connector_control.rejected' : 'connector_control.unavailable',
      retryable: status === 503,
    },
  });
  expect(await isSigned(plane, answer)).toBe(true);
}

/** Whether the answer carries the control plane's own signature over its response. */
export async function isSigned(plane: Plane, answer: Answer): Promise<boolean> {
  const { response, signature } = answer.body;
  if (!response || !signature || response.signer_did !== plane.key.did) return false;
  return verifyValue(plane.key.did, response, signature);
}
