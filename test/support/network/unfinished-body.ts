import { connect } from 'node:net';

/** A request whose body is sent in parts, or never to its end. */
export interface UnfinishedRequest {
  /** Sends more of the body. */
  send(text: string): void;
  /** Everything that the server answered, once it has closed the connection. */
  readonly answer: Promise<string>;
  /** What the server answered so far. */
  soFar(): string;
  destroy(): void;
}

/** Sends the head of a POST with the declared length, and the first part of its body. */
export function beginBody(
  url: string,
  request: { path: string; declared: number; first?: string; headers?: Record<string, string> },
): UnfinishedRequest {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const answer = new Promise<string>((done) => socket.on('error', () => undefined).on('close', () => done(text)));
  const headers = { host, 'content-type': 'application/json', 'content-length': request.declared, ...request.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${request.path} HTTP/1.1\r\n${lines.join('')}\r\n${request.first ?? ''}`);
  return {
    send: (part) => void socket.write(part),
    answer,
    soFar: () => text,
    destroy: () => socket.destroy(),
  };
}
