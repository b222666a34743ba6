import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A stand-in of an OTLP collector over HTTP. POST /behave sets how the next exports are answered, GET /received returns everything.
type Behavior = 'well' | 'hang' | 'nonsense' | 'unavailable' | 'reset';

let behavior: Behavior = 'well';
const received: { path: string; headers: unknown; body: unknown; behavior: Behavior }[] = [];

const server = createServer(async (request, response) => {
  let text = '';
  for await (const part of request) text += part;
  if (request.url === '/received') {
    response.end(JSON.stringify(received));
    return;
  }
  if (request.url === '/behave') {
    behavior = text as Behavior;
    response.end();
    return;
  }
  received.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text), behavior });
  if (behavior === 'well') response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  if (behavior === 'nonsense')
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>{"partialSuccess":[');
  if (behavior === 'unavailable') response.writeHead(503, { 'retry-after': '86400' }).end('away');
  if (behavior === 'reset') request.socket.destroy();
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
