import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Envelope, newEnvelope, replyEnvelope, signEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Principal } from '#runtime/protocol/types.js';
import { openPeerClient, type Peer, type PeerClient, type PeerClientOptions } from '#runtime/transport/peer/client.js';
import { type DestinationRules, destinationPolicy } from '#runtime/transport/peer/destination.js';
import { PEER_CERTIFICATE } from './certificate.ts';

export const TRUST_DOMAIN = 'fleet.test';
export const CENTRAL: Principal = { id: 'service:central', kind: 'service', trust_domain: TRUST_DOMAIN };
export const HOST: Principal = { id: 'service:host-a', kind: 'service', trust_domain: TRUST_DOMAIN };

/** One request as it arrived. */
export interface Arrived {
  text: string;
  envelope: Envelope;
  headers: IncomingMessage['headers'];
  /** Milliseconds on a monotonic clock. */
  at: number;
}

/** A peer with a key of its own, over real HTTP or HTTPS. */
export interface TestPeer {
  readonly key: SigningKey;
  readonly port: number;
  readonly url: string;
  readonly arrived: Arrived[];
  /** Connections that were ever opened to it. */
  connections(): number;
  /** What the peer does with request number `n`, from 0; the default answers as it should. */
  behave: (request: Arrived, response: ServerResponse, n: number, socket: Socket) => void | Promise<void>;
  /** The signed answer that the default gives, with members replaced before it is signed. */
  answer(
    request: Envelope,
    over?: Partial<Envelope>,
    signer?: { principal: Principal; key: SigningKey },
  ): Promise<Envelope>;
}

export const completed = (id: string, output: unknown = {}) => ({
  action_result: { action_id: id, status: 'completed' as const, output },
});

/** Starts a peer for the running test and stops it when the test ends. */
export async function startPeer(options: { tls?: boolean; host?: string; port?: number } = {}): Promise<TestPeer> {
  const key = signingKeyFromSeed(newSeedHex());
  const arrived: Arrived[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const part of request) text += part;
    const one = { text, envelope: JSON.parse(text) as Envelope, headers: request.headers, at: performance.now() };
    arrived.push(one);
    await peer.behave(one, response, arrived.length - 1, request.socket);
  };
  const server = options.tls ? createTlsServer(PEER_CERTIFICATE, listener) : createServer(listener);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(options.port ?? 0, options.host ?? '127.0.0.1', done));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  });
  const { port } = server.address() as AddressInfo;
  const peer: TestPeer = {
    key,
    port,
    url: `http${options.tls ? 's' : ''}://${options.tls ? 'peer.test' : (options.host ?? '127.0.0.1')}:${port}/aip/v1/messages`,
    arrived,
    connections: () => connections,
    behave: async ({ envelope }, response) => reply(response, 200, await peer.answer(envelope)),
    answer: (request, over = {}, signer = { principal: HOST, key }) => {
      const id = (request.body as { action?: { id: string } }).action?.id ?? newId('action');
      const plain = { ...replyEnvelope(request, completed(id), { clock: Date.now, from: signer.principal }), ...over };
      return signEnvelope(plain, signer.principal, signer.key);
    },
  };
  return peer;
}

/** Writes a JSON answer. */
export function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export const centralKey = signingKeyFromSeed(newSeedHex());

/** Opens a peer client for the running test; loopback over HTTP is admitted unless rules say otherwise. */
export function clientFor(options: Partial<PeerClientOptions> & { rules?: DestinationRules } = {}): PeerClient {
  const { rules, ...rest } = options;
  const client = openPeerClient({
    key: () => centralKey,
    principal: CENTRAL,
    trustDomain: TRUST_DOMAIN,
    policy: destinationPolicy(rules ?? { registryBound: true, allowHttp: true, allowPrivate: true }),
    ...rest,
  });
  onTestFinished(() => client.close());
  return client;
}

/** The peer as the registry would name it. */
export function peerOf(peer: TestPeer, over: Partial<Peer> = {}): Peer {
  return { url: peer.url, principal: HOST, did: peer.key.did, trustDomain: TRUST_DOMAIN, ...over };
}

/** An unsigned action envelope. */
export function actionEnvelope(id = newId('action')): Envelope {
  return newEnvelope(
    { action: { id, capability_id: 'cap:demo:echo', input: {} } } as Envelope['body'],
    {},
    { clock: Date.now },
  );
}
