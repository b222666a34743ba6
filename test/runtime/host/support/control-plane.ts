import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  decodeLifecycleRequest,
  type LeaseOutcome,
  lifecycleDigest,
  newLifecycleResponse,
  signValue,
  verifyValue,
  windowProblem,
} from '#runtime/protocol/lifecycle.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { LifecycleRequest } from '#runtime/protocol/types.js';

export const CONTROL_PATH = '/aip/v1/connector-control';

/** One request as it arrived. */
export interface Received {
  text: string;
  request: LifecycleRequest;
  operation: LifecycleRequest['command']['operation'];
  signature: string;
  at: number;
}

/** The raw HTTP answer, or `hang up` for none at all. */
export type Reply = { status: number; text: string } | 'hang up';

/** What a test does with an answer on its way out; `decide` commits the request and gives the honest answer. */
export type Intercept = (received: Received, decide: () => Promise<Reply>) => Promise<Reply>;

/** A control plane for one replica: it verifies, keeps sequence, lease and last request, and signs, in memory. */
export interface ControlPlane {
  readonly key: SigningKey;
  readonly url: string;
  readonly received: Received[];
  /** The registry record; tests may change it. */
  readonly replica: { status: string; sequence: number; leaseEnd: number };
  intercept: Intercept | undefined;
  /** How many actions are pinned to the replica, as answers to a drain say it; undefined: they do not. */
  pinned: number | undefined;
  ttlMs: number;
  operations(): string[];
  /** Signs a response of one's own making. */
  signed(response: object, key?: SigningKey): Promise<Reply>;
  close(): Promise<void>;
}

export async function startControlPlane(hostDid: string, ttlMs = 30_000): Promise<ControlPlane> {
  const key = signingKeyFromSeed(newSeedHex());
  const received: Received[] = [];
  const replica = { status: 'offline', sequence: 0, leaseEnd: 0 };
  let last: { digest: string; outcome: LeaseOutcome } | undefined;

  const signed = async (response: object, by: SigningKey = key): Promise<Reply> => ({
    status: 200,
    text: JSON.stringify({ response, signature: await signValue(response, by) }),
  });
  const answer = async (requestId: string, outcome: LeaseOutcome): Promise<Reply> => {
    const response = newLifecycleResponse(requestId, outcome, { did: key.did, clock: Date.now });
    return { ...((await signed(response)) as { text: string }), status: outcome.status === 'rejected' ? 403 : 200 };
  };
  const commit = (request: LifecycleRequest): LeaseOutcome => {
    const { operation, payload } = request.command;
    const digest = lifecycleDigest({ request_id: request.request_id, operation, payload });
    if (last?.digest === digest) return last.outcome;
    const live = replica.status !== 'offline' && replica.leaseEnd > Date.now();
    const fenced = operation === 'register' || payload.previous_sequence === replica.sequence;
    const allowed =
      operation === 'register'
        ? !live
        : operation === 'offline' || (live && !(operation === 'heartbeat' && replica.status === 'draining'));
    if (!fenced || !allowed) return { status: 'rejected', code: 'connector_control.rejected', message: 'not now' };
    replica.sequence += 1;
    const ends =
      operation === 'offline' || (operation === 'heartbeat' && !request.command.payload.connector_ready) ? 0 : ttl();
    replica.leaseEnd = Date.now() + ends;
    replica.status = ends === 0 ? 'offline' : operation === 'drain' ? 'draining' : 'ready';
    const outcome: LeaseOutcome =
      operation === 'offline'
        ? { status: 'offline' }
        : { status: 'lease', sequence: replica.sequence, expiresAt: replica.leaseEnd };
    last = { digest, outcome };
    return outcome;
  };
  const ttl = (): number => plane.ttlMs;
  const decide = async (each: Received): Promise<Reply> => {
    const { request, signature } = each;
    const trusted =
      request.signer_did === hostDid &&
      windowProblem(request, Date.now()) === undefined &&
      (await verifyValue(hostDid, JSON.parse(each.text).request, signature));
    if (!trusted) {
      return answer(request.request_id, {
        status: 'rejected',
        code: 'connector_control.rejected',
        message: 'untrusted',
      });
    }
    return answer(request.request_id, commit(request));
  };

  const server: Server = createServer(async (incoming, outgoing) => {
    let text = '';
    for await (const part of incoming) text += part;
    const { request, signature } = decodeLifecycleRequest(JSON.parse(text));
    const each = { text, request, signature, operation: request.command.operation, at: Date.now() };
    received.push(each);
    const honest = () => decide(each);
    const reply = plane.intercept ? await plane.intercept(each, honest) : await honest();
    if (reply === 'hang up') incoming.socket.destroy();
    else {
      if (each.operation === 'drain' && plane.pinned !== undefined)
        outgoing.setHeader('aip-pinned-work', String(plane.pinned));
      outgoing.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.text);
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));

  const plane: ControlPlane = {
    key,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${CONTROL_PATH}`,
    received,
    replica,
    intercept: undefined,
    pinned: undefined,
    ttlMs,
    operations: () => received.map(({ operation }) => operation),
    signed,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return plane;
}
