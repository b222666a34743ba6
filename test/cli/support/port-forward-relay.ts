import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How the relay treats one request: forward to a local port, refuse with a status, or accept and tell an error as a kubelet does. */
export type Treatment = { port: number } | { refuse: number } | { error: string };

/** The port-forward part of an API server and a kubelet: WebSocket in, TCP to this machine out. */
export interface PortForwardRelay {
  /** A kubeconfig as text. */
  kubeconfig: string;
  /** Paths with their query, in order. */
  paths: string[];
  /** Breaks every stream, as a node that dies does. */
  cut(): void;
  close(): Promise<void>;
}

const PROTOCOL = 'v4.channel.k8s.io';
const DATA_CHANNEL = 0;
const ERROR_CHANNEL = 1;

/** Starts a relay on a port of its own. */
export async function portForwardRelay(treat: (path: string) => Treatment): Promise<PortForwardRelay> {
  const sockets = new Set<Duplex>();
  const paths: string[] = [];
  const server = createServer();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    const path = request.url ?? '';
    paths.push(path);
    const treatment = treat(path);
    if ('refuse' in treatment) {
      socket.end(`HTTP/1.1 ${treatment.refuse} Refused\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    accept(request, socket);
    const portNumber = Buffer.alloc(2);
    for (const channel of [DATA_CHANNEL, ERROR_CHANNEL]) socket.write(frame(channel, portNumber));
    if ('error' in treatment) {
      socket.write(frame(ERROR_CHANNEL, Buffer.from(treatment.error)));
      socket.end(CLOSE);
    } else relay(socket, connect(treatment.port, '127.0.0.1'));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    kubeconfig: JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'relay',
      contexts: [{ name: 'relay', context: { cluster: 'relay', user: 'me' } }],
      // The client library speaks plain HTTP only to servers whose certificate it need not check.
      clusters: [{ name: 'relay', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'me', user: { token: 'mine' } }],
    }),
    paths,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

function accept(request: IncomingMessage, socket: Duplex): void {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const answer = createHash('sha1').update(key).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${answer}\r\nSec-WebSocket-Protocol: ${PROTOCOL}\r\n\r\n`,
  );
}

/** Bytes of the WebSocket's data channel to the TCP connection and back, until one of them ends. */
function relay(socket: Duplex, target: Socket): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    for (let message = readFrame(rest); message; message = readFrame(rest)) {
      rest = rest.subarray(message.size);
      if (message.opcode === 8) target.end();
      else if (message.payload[0] === DATA_CHANNEL) target.write(message.payload.subarray(1));
    }
  });
  target.on('data', (bytes) => socket.write(frame(DATA_CHANNEL, bytes)));
  target.on('error', () => socket.destroy());
  target.once('close', () => socket.end(CLOSE));
  // HTTP servers leave their side open when the client closes its own.
  socket.once('end', () => socket.destroy());
  socket.once('close', () => target.destroy());
}

/** A close frame without a reason. */
const CLOSE = Buffer.from([0x88, 0]);

/** A binary message on a channel, unmasked as servers send it. */
function frame(channel: number, bytes: Buffer): Buffer {
  const length = bytes.length + 1;
  const head = Buffer.alloc(10);
  head[0] = 0x82;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.from([channel]), bytes]);
}

/** The first whole frame of what a client sent, unmasked; undefined while there is none. */
function readFrame(bytes: Buffer): { opcode: number; payload: Buffer; size: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] as number) & 0x7f;
  const headSize = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0);
  if (bytes.length < headSize + 4) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  const size = headSize + 4 + length;
  if (bytes.length < size) return undefined;
  const mask = bytes.subarray(headSize, headSize + 4);
  const payload = Buffer.from(bytes.subarray(headSize + 4, size));
  for (let at = 0; at < payload.length; at += 1) payload[at] = (payload[at] as number) ^ (mask[at % 4] as number);
  return { opcode: (bytes[0] as number) & 0x0f, payload, size };
}
