import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { StartupRefused } from '../process/startup.js';
import { ANSWERED_BODY_BYTES, bodyBudget, countAgainst, UNFINISHED_BODY_BYTES } from './body-budget.js';
import { closingOf } from './closing.js';
import { connectionBound } from './descriptors.js';
import { sendJson } from './error-response.js';
import { malformedProblem } from './malformed.js';
import { answerUnreadable, directAnswer, type UnreadableAnswer } from './unreadable.js';

/** Longer than clients keep idle connections, so that a server never closes one which is just being used again. */
const KEEP_ALIVE_MS = 75_000;
/** A request's headers must be complete after this time, its body after the longer one. */
const HEADERS_MS = 15_000;
const REQUEST_MS = 120_000;
const BACKLOG = 4096;
const MIN_TLS = 'TLSv1.2';

/** Certificate chain and private key, PEM. */
export interface TlsFiles {
  cert: string;
  key: string;
}

/** Where to listen. Port 0 takes a free one. */
export interface ListenOptions {
  host: string;
  port: number;
  tls?: TlsFiles | undefined;
  upgrades?: Upgrades | undefined;
  /** How requests are answered that are not HTTP; default: the direct error object. */
  unreadable?: UnreadableAnswer | undefined;
  /** Bytes that request bodies hold at most while they are being read, all together; default 64 MiB. */
  maxUnfinishedBodyBytes?: number | undefined;
  /** Bytes that large bodies hold at most while they are answered, all together; default 192 MiB. */
  maxAnsweredBodyBytes?: number | undefined;
}

/** Requests that leave HTTP. What is not accepted is served as an ordinary request. */
export interface Upgrades {
  accepts(request: IncomingMessage): boolean;
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** A listening server. */
export interface HttpServer {
  readonly server: Server | TlsServer;
  readonly port: number;
  /** Origin without a trailing slash, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  /** New connections get this certificate from now on; existing ones stay. Only for a server that was given `tls`. */
  reloadTls(files: TlsFiles): void;
  /** Continues to serve, but every answer from now on ends its connection, so that the next request goes to another server. */
  leave(): void;
  /** Stops accepting, lets open requests finish for at most `graceMs`, then cuts what is left, upgraded connections too. */
  close(graceMs: number): Promise<void>;
}

/** Listens with HTTP, or with HTTPS when `tls` is given. Throws StartupRefused (`aip.listen`) when the address cannot be taken. */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<HttpServer> {
  const { upgrades } = options;
  const budget = bodyBudget(
    options.maxUnfinishedBodyBytes ?? UNFINISHED_BODY_BYTES,
    options.maxAnsweredBodyBytes ?? ANSWERED_BODY_BYTES,
  );
  const counted: RequestListener = (request, response) => {
    countAgainst(request, budget);
    closing.answering(response);
    const problem = malformedProblem(request);
    if (!problem) return handler(request, response);
    response.setHeader('connection', 'close');
    void (options.unreadable ?? directAnswer)(problem).then(({ status, body }) => sendJson(response, status, body));
  };
  const times = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    noDelay: true,
    shouldUpgradeCallback: (request: IncomingMessage) => upgrades?.accepts(request) ?? false,
  };
  const server = options.tls
    ? createTlsServer({ ...options.tls, ...times, minVersion: MIN_TLS }, counted)
    : createServer(times, counted);
  const closing = closingOf(server);
  if (upgrades)
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      countAgainst(request, budget);
      upgrades.take(request, socket, head);
    });
  answerUnreadable(server, options.unreadable);
  const bound = connectionBound();
  if (bound !== undefined) server.maxConnections = bound;
  await bind(server, options);
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    server,
    port,
    url: `${options.tls ? 'https' : 'http'}://${host}:${port}`,
    reloadTls: (files) => (server as TlsServer).setSecureContext({ ...files, minVersion: MIN_TLS }),
    leave: closing.leave,
    close: closing.close,
  };
}

function bind(server: Server | TlsServer, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new StartupRefused('aip.listen', `cannot listen on ${host}:${port}: ${cause.message}`, { cause }));
    });
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.removeAllListeners('error');
      // A connection that cannot be accepted (out of file handles) must not end the process.
      server.on('error', () => undefined);
      resolve();
    });
  });
}
