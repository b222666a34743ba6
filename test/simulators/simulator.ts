import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { drained } from '@aip/runtime/transport/http/drained.js';

/** How a simulator answers the next requests instead of behaving well. Absent members are as the provider would have them. */
export interface Behaviour {
  status?: number;
  headers?: Record<string, string | string[]>;
  /** The body as it is sent. */
  body?: string;
  /** A JSON document of exactly so many bytes as the body. */
  bytes?: number;
  /** Content-Length: none (chunked), or another one than the body has. */
  declared?: 'none' | number;
  /** The connection is destroyed after so many bytes of the body. */
  cutAfter?: number;
  /** Milliseconds before the answer begins. */
  delayMs?: number;
  /** How often it lasts; default until it is changed. */
  times?: number;
}

/** A request as the simulator received it. */
export interface SeenRequest {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** What a well-behaved provider answers. */
export interface ProviderReply {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;
const KEPT_REQUESTS = 10_000;

/**
 * Runs a provider simulator until its process ends: `--port N` (default a free one). Prints its URL as one JSON line.
 * `PUT /__simulator/behaviour` makes it misbehave, `DELETE` makes it well again; `GET /__simulator/requests` tells what
 * came, `DELETE` forgets it.
 */
export function runSimulator(reply: (request: SeenRequest) => ProviderReply): void {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '0' }, token: { type: 'string' } } });
  let behaviour: Behaviour = {};
  let left = Number.POSITIVE_INFINITY;
  const seen: SeenRequest[] = [];

  const control = (request: SeenRequest, response: ServerResponse): void => {
    const { method, path } = request;
    if (path === '/__simulator/requests') {
      const answer = JSON.stringify(seen);
      if (method === 'DELETE') seen.length = 0;
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
      return;
    }
    behaviour = method === 'PUT' ? (JSON.parse(request.body) as Behaviour) : {};
    left = behaviour.times ?? Number.POSITIVE_INFINITY;
    response.writeHead(204).end();
  };

  const server = createServer((incoming, response) => {
    response.on('error', () => undefined);
    void readRequest(incoming).then(async (request) => {
      if (request.path.startsWith('/__simulator/')) return control(request, response);
      seen.push(request);
      if (seen.length > KEPT_REQUESTS) seen.shift();
      const now = left > 0 ? behaviour : {};
      left -= 1;
      if (now.delayMs) await pause(now.delayMs);
      await answer(response, reply(request), now, request.method);
    });
  });
  server.listen(Number(values.port), '127.0.0.1', () => {
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
  });
}

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    size += part.length;
    if (size <= MAX_BODY_BYTES) parts.push(part);
  }
  const { method = '', url: path = '', headers } = incoming;
  return { method, path, headers, body: Buffer.concat(parts).toString('utf8') };
}

async function answer(
  response: ServerResponse,
  usual: ProviderReply,
  behaviour: Behaviour,
  method: string,
): Promise<void> {
  const { status = usual.status, declared, cutAfter } = behaviour;
  const text = behaviour.body ?? (usual.body === undefined ? '' : JSON.stringify(usual.body));
  const size = behaviour.bytes ?? Buffer.byteLength(text);
  const headers: Record<string, string | string[]> = {
    'content-type': 'application/json; charset=utf-8',
    ...usual.headers,
    ...behaviour.headers,
  };
  if (declared !== 'none') headers['content-length'] = String(declared ?? size);
  response.writeHead(status, headers);
  if (method === 'HEAD') {
    response.end();
    return;
  }
  let sent = 0;
  for (const part of behaviour.bytes === undefined ? [Buffer.from(text)] : documentParts(behaviour.bytes)) {
    const piece = cutAfter === undefined ? part : part.subarray(0, Math.max(0, cutAfter - sent));
    sent += part.length;
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
    if (cutAfter !== undefined && sent >= cutAfter) {
      response.destroy();
      return;
    }
  }
  response.end();
}

/** The parts of a JSON document of exactly `bytes` bytes that looks like an OpenAPI document with very many paths. */
export function* documentParts(bytes: number): Generator<Buffer> {
  const head = '{"openapi":"3.1.0","paths":{';
  const tail = '},"x-pad":"';
  const end = '"}';
  let left = bytes - Buffer.byteLength(head + tail + end);
  let text = head;
  for (let index = 0; ; index += 1) {
    const path = `${index === 0 ? '' : ','}"/rest/objects/${index}":{"get":{"operationId":"find${index}","tags":["objects"],"responses":{"200":{"$ref":"#/components/responses/200"}}}}`;
    if (path.length > left) break;
    left -= path.length;
    text += path;
    if (text.length >= 65_536) {
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(`${text}${tail}${'x'.repeat(left)}${end}`);
}
