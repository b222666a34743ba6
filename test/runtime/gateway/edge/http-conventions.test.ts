import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeEnvelope } from '#runtime/protocol/envelope.js';
import { connectionBound } from '#runtime/transport/http/descriptors.js';
import { isPublicAddress } from '#runtime/transport/peer/public-address.js';
import {
  type Answer,
  actionEnvelope,
  errorOf,
  type HttpGateway,
  principalEntry,
  startHttpGateway,
  TOKEN,
} from '../support/gateway.ts';

let gateway: HttpGateway;
beforeAll(async () => {
  gateway = await startHttpGateway({
    principals: [
      principalEntry('narrow', { scopes: ['events:read'] }),
      principalEntry('wide', { scopes: ['events:read:any'] }),
      principalEntry('inside', { scopes: ['events:read'], tenant_id: 'acme' }),
    ],
  });
});
afterAll(() => gateway?.stop());

/** Sends bytes and returns the status and the error of the whole answer, after which the connection must end. */
async function send(text: string): Promise<{ status: number; code: string }> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  await new Promise<void>((done) => {
    socket.on('error', () => undefined).on('close', () => done());
    socket.setEncoding('utf8').on('data', (part: string) => {
      answer += part;
    });
    socket.write(text);
  });
  const body = decodeEnvelope(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).body as {
    error: { error: { code: string } };
  };
  return { status: Number(answer.split(' ')[1]), code: body.error.error.code };
}

test.each(['Bearer', 'bearer', 'BEARER'])('the scheme %s is the bearer scheme', async (scheme) => {
  const answer = await gateway.call('GET', '/aip/v1/actions', { headers: { authorization: `${scheme} ${TOKEN}` } });
  expect(answer.status).toBe(200);
});

test('a 401 names the scheme that would be accepted', async () => {
  const bearer = await gateway.call('GET', '/aip/v1/actions');
  expect([bearer.status, bearer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
});

test('headers that have to be unique are refused when they come twice, in the error form', async () => {
  const get = 'GET /aip/v1/actions HTTP/1.1\r\n';
  expect(await send(`${get}host: a\r\nhost: b\r\n\r\n`)).toEqual({ status: 400, code: 'http.malformed_request' });
  const twice = `authorization: Bearer ${TOKEN}\r\nauthorization: Bearer other\r\n`;
  expect(await send(`${get}host: a\r\n${twice}\r\n`)).toEqual({ status: 400, code: 'http.malformed_request' });
});

test('a request line that is too long, and bytes that are not a request, are answered in the error form', async () => {
  const long = `GET /aip/v1/actions?cursor=${'x'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`;
  expect(await send(long)).toEqual({ status: 431, code: 'http.headers_too_large' });
  expect(await send('what is this\r\n\r\n')).toEqual({ status: 400, code: 'http.malformed_request' });
});

test('global events outside every tenant need events:read:any', async () => {
  const answers = await Promise.all(
    ['narrow', 'wide', 'inside'].map((token) => gateway.call('GET', '/aip/v1/events', { token })),
  );
  expect(answers.map(({ status }) => status)).toEqual([401, 200, 200]);
  expect(errorOf(answers[0] as Answer).code).toBe('auth.not_authorized');
});

test('an action without chunks has no empty list of them in its answer', async () => {
  const envelope = actionEnvelope();
  await gateway.call('POST', '/aip/v1/actions', { token: TOKEN, body: envelope });
  const { id } = (envelope.body as { action: { id: string } }).action;
  for (const path of [`chunks`, `events?include_chunks=true`]) {
    const answer = await gateway.call('GET', `/aip/v1/actions/${id}/${path}`, { token: TOKEN });
    expect(answer.status).toBe(200);
    expect(answer.body).not.toHaveProperty('chunks');
  }
});

test('D-11 a cursor that is too long is refused like every other that was not issued', async () => {
  const answer = await gateway.call('GET', `/aip/v1/actions?cursor=${'x'.repeat(9000)}`, { token: TOKEN });
  expect([answer.status, errorOf(answer).code]).toEqual([400, 'query.cursor_invalid']);
});

test('the state unknown is a state, which no stored action has', async () => {
  const answer = await gateway.call('GET', '/aip/v1/actions?state=unknown', { token: TOKEN });
  expect(answer).toMatchObject({ status: 200, body: { actions: [], total_size: 0 } });
});

test('a schema fault names the schema by its file', async () => {
  const answer = await gateway.call('POST', '/aip/v1/actions', { token: TOKEN, body: {} });
  expect(errorOf(answer)).toMatchObject({ details: { schema: 'envelope.schema.json' } });
});

test.each(['::127.0.0.1', '::7f00:1', '::8.8.8.8', '::', '::ffff:10.0.0.1'])(
  '%s is not a public address',
  (address) => {
    expect(isPublicAddress(address)).toBe(false);
  },
);

test('connections leave descriptors for accepted work, however few there are', () => {
  const limits = (soft: string) => `Limit Soft Hard Units\nMax open files            ${soft}      4096       files\n`;
  expect(connectionBound(limits('1024'))).toBe(768);
  expect(connectionBound(limits('100'))).toBe(64);
  expect(connectionBound(limits('unlimited'))).toBeUndefined();
  expect(connectionBound()).toBeGreaterThanOrEqual(64);
});
