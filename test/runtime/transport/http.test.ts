import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Envelope, newEnvelope, signEnvelope, verifyEnvelope } from '#runtime/protocol/envelope.js';
import { BodyTooLarge, QueryInvalid, StorageUnavailable } from '#runtime/protocol/errors.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { retry } from '#runtime/time/retry.js';
import { type Pace, readBody } from '#runtime/transport/http/body.js';
import { errorEnvelope, sendDirectError, sendError, sendJson } from '#runtime/transport/http/error-response.js';
import { type HttpServer, type ListenOptions, listen } from '#runtime/transport/http/server.js';
import { sseFrame } from '#runtime/transport/http/sse.js';
import { onShutdown } from '#runtime/transport/process/shutdown.js';
import { beginBody } from '../../support/network/unfinished-body.ts';
import { until } from '../../support/until.ts';

const clock = Date.now;
const LIMIT = 65_536;

/** A server that echoes the length of each JSON body it takes. */
async function echoServer(
  options: Partial<ListenOptions> = {},
  pace?: Pace,
): Promise<HttpServer & { connections: () => number }> {
  let connections = 0;
  const server = await listen(
    async (request, response) => {
      connections += 1;
      try {
        const text = await readBody(request, LIMIT, { json: true, pace });
        sendJson(response, 200, { length: text.length });
      } catch (error) {
        sendDirectError(response, error);
      }
    },
    { host: '127.0.0.1', port: 0, ...options },
  );
  onTestFinished(() => server.close(0));
  return { ...server, connections: () => connections };
}

/** Posts a body; tells status, parsed answer and whether the server closes the connection. */
function post(url: string, body: string | Buffer, headers: Record<string, string> = {}, chunked = false) {
  return new Promise<{ status: number; body: { error?: { code: string } }; connection: string | undefined }>(
    (resolve, reject) => {
      const request = httpRequest(
        url,
        {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...(!chunked && { 'content-length': String(Buffer.byteLength(body)) }),
            ...headers,
          },
        },
        async (response) => {
          let text = '';
          for await (const part of response) text += part;
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(text),
            connection: response.headers.connection,
          });
        },
      );
      request.on('error', reject);
      request.end(body);
    },
  );
}

describe('request bodies', () => {
  test('takes a body of exactly the bound and answers one byte more with 413 and a closed connection', async () => {
    const { url } = await echoServer();
    for (const chunked of [false, true]) {
      expect(await post(url, 'x'.repeat(LIMIT), {}, chunked)).toMatchObject({ status: 200, body: { length: LIMIT } });
      const over = await post(url, 'x'.repeat(LIMIT + 1), {}, chunked);
      expect(over).toMatchObject({
        status: 413,
        body: { error: { code: 'http.body_too_large' } },
        connection: 'close',
      });
    }
  });

  test('the 413 arrives although the sender still sends four times the bound', async () => {
    const { url } = await echoServer();
    expect(await post(url, 'x'.repeat(4 * LIMIT))).toMatchObject({ status: 413 });
  });

  test('D-18 takes application/json and application/aip+json, refuses other media types and encodings with 415', async () => {
    const { url } = await echoServer();
    for (const type of ['application/json', 'application/aip+json', 'Application/JSON; charset=UTF-8']) {
      expect(await post(url, '{}', { 'content-type': type })).toMatchObject({ status: 200 });
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', '']) {
      const answer = await post(url, '{}', { 'content-type': type });
      expect(answer).toMatchObject({ status: 415, body: { error: { code: 'http.unsupported_media_type' } } });
    }
    expect(await post(url, '{}', { 'content-encoding': 'gzip' })).toMatchObject({ status: 415 });
  });

  test('the bytes of all unfinished bodies are bounded as they arrive: the one that is unfinished longest gives way', async () => {
    const server = await echoServer({ maxUnfinishedBodyBytes: 100_000 });
    const begin = (sent: number) => beginBody(server.url, { path: '/', declared: LIMIT, first: 'x'.repeat(sent) });
    const silent = Array.from({ length: 50 }, () => begin(0));
    const oldest = begin(60_000);
    await until('it is being read', () => server.connections() === 51);
    expect(await post(server.url, 'x'.repeat(30_000))).toMatchObject({ status: 200 });
    const younger = begin(60_000);
    const answer = await oldest.answer;
    expect(answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1\r\n[\s\S]*"code":"http\.overloaded"/i);
    expect(answer.toLowerCase()).toContain('connection: close');
    younger.send('x'.repeat(LIMIT - 60_000));
    await until('the younger one is answered', () => younger.soFar().includes('"length":65536'));
    for (const { destroy } of [...silent, younger]) destroy();
  });

  test('a body that stalls, or that is slower than its pace, is refused with 408 and its connection closed', async () => {
    const { url } = await echoServer({}, { stallMs: 100, bytesPerSecond: 1_000_000 });
    const stalled = beginBody(url, { path: '/', declared: 10, first: 'x' });
    expect(await stalled.answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"http\.body_timeout"/);
    const dribble = beginBody(url, { path: '/', declared: LIMIT });
    const drops = setInterval(() => dribble.send('x'), 20);
    expect(await dribble.answer).toMatch(/^HTTP\/1\.1 408 /);
    clearInterval(drops);
    expect(await post(url, '{}')).toMatchObject({ status: 200 });
  });

  test('refuses bytes that are not UTF-8', async () => {
    const { url } = await echoServer();
    expect(await post(url, Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ status: 400 });
  });
});

describe('server', () => {
  test('lets an open request finish while it closes, and takes no new one', async () => {
    const held: (() => void)[] = [];
    const server = await listen((_request, response) => held.push(() => response.end('{}')), {
      host: '127.0.0.1',
      port: 0,
    });
    const open = post(server.url, '{}');
    await until('the request arrived', () => held.length === 1);
    const closing = server.close(10_000);
    await expect(post(server.url, '{}')).rejects.toThrow();
    held[0]?.();
    expect((await open).status).toBe(200);
    await closing;
  });

  test('answers a request that arrives on an idle connection while it begins to close, and ends that connection', async () => {
    const server = await echoServer();
    const socket = connect(server.port, '127.0.0.1');
    let answers = '';
    socket.on('data', (part: Buffer) => {
      answers += part;
    });
    const ended = new Promise((done) => socket.once('close', done).on('error', done));
    const send = () =>
      socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}');
    send();
    await until('the connection was used', () => answers.includes('{"length":2}'));
    expect(answers.toLowerCase()).toContain('connection: keep-alive');
    answers = '';
    const closing = server.close(10_000);
    send();
    // A process that is busy reads what has arrived late.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    await ended;
    expect(answers).toContain('HTTP/1.1 200 ');
    expect(answers.toLowerCase()).toContain('connection: close');
    await closing;
  });

  test('answers of requests that were open when it began to leave end their connections', async () => {
    const held: (() => void)[] = [];
    const server = await listen((_request, response) => held.push(() => response.end('{}')), {
      host: '127.0.0.1',
      port: 0,
    });
    onTestFinished(() => server.close(0));
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const answered = new Promise<string | undefined>((done, fail) => {
      httpRequest(server.url, { agent }, (response) => done(response.resume().headers.connection))
        .once('error', fail)
        .end();
    });
    await until('the request arrived', () => held.length === 1);
    server.leave();
    held[0]?.();
    expect(await answered).toBe('close');
  });

  test('cuts what is left when the grace has passed, idle and unfinished connections too', async () => {
    const server = await listen(() => undefined, { host: '127.0.0.1', port: 0 });
    const idle = connect(server.port, '127.0.0.1');
    const open = post(server.url, '{}').catch((error) => error);
    await until(
      'both are connected',
      () => new Promise<boolean>((done) => server.server.getConnections((_e, n) => done(n === 2))),
    );
    await server.close(50);
    expect(await open).toBeInstanceOf(Error);
    await until('the idle connection is closed', () => idle.destroyed || idle.readableEnded);
  });

  test('refuses the start on an address that is taken', async () => {
    const { port } = await echoServer();
    await expect(listen(() => undefined, { host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'aip.listen' });
  });
});

describe('errors', () => {
  const principal = { id: 'service:central', kind: 'service' as const };
  const signer = { principal, key: signingKeyFromSeed(newSeedHex()) };

  test('an error without a request is a fresh unsigned envelope; with one it is correlated and signed', async () => {
    const bare = await errorEnvelope(new QueryInvalid('limit must be a number'), { clock, component: 'here' });
    expect(bare.status).toBe(400);
    expect(bare.envelope).toMatchObject({
      message_type: 'aip.core.v1.error',
      body: {
        error: {
          error: { code: 'query.invalid', category: 'permanent', retryable: false, source: { component: 'here' } },
        },
      },
    });
    expect(bare.envelope).not.toHaveProperty('in_response_to');

    const caller = signingKeyFromSeed(newSeedHex());
    const fields = { correlation_id: 'corr_1', session_id: 'sess_1' };
    const asked = newEnvelope({ heartbeat: { sequence: 1 } } as unknown as Envelope['body'], fields, { clock });
    const request = await signEnvelope(asked, { id: 'agent:a', kind: 'agent' }, caller);
    const { status, envelope } = await errorEnvelope(new StorageUnavailable(), { clock, request, signer });
    expect(status).toBe(503);
    expect(envelope).toMatchObject({
      ...fields,
      in_response_to: request.message_id,
      to: { id: 'agent:a' },
      from: principal,
    });
    expect(await verifyEnvelope(envelope)).toBe(signer.key.did);
  });

  test('an unforeseen failure keeps its text to itself', async () => {
    const { envelope, status } = await errorEnvelope(new Error('password is hunter2'), { clock });
    expect(status).toBe(503);
    expect(JSON.stringify(envelope)).not.toContain('hunter2');
  });

  test('a body that is too large closes the connection, with the error envelope too', async () => {
    const server = await listen((_request, response) => void sendError(response, new BodyTooLarge(), { clock }), {
      host: '127.0.0.1',
      port: 0,
    });
    onTestFinished(() => server.close(0));
    expect(await post(server.url, '{}')).toMatchObject({ status: 413, connection: 'close' });
  });
});

describe('frames, retries and the end', () => {
  test('writes one event frame; no name or id can open another frame', () => {
    expect(sseFrame({ event: 'aip.stream.cursor', id: 'c1', data: { next_cursor: 'c1' } })).toBe(
      'event: aip.stream.cursor\nid: c1\ndata: {"next_cursor":"c1"}\n\n',
    );
    expect(sseFrame({ event: 'a\nevent: b', id: '1\r\nid: 2', data: { text: 'x\ny' } })).toBe(
      'event: a event: b\nid: 1  id: 2\ndata: {"text":"x\\ny"}\n\n',
    );
  });

  test('tries again only what may be tried again, and throws the last failure', async () => {
    const tried: number[] = [];
    const attempt = (n: number) => {
      tried.push(n);
      return Promise.reject(new Error(`failure ${n}`));
    };
    const rule = { attempts: 3, delayMs: () => 0 };
    await expect(retry(attempt, { ...rule, retryable: () => true })).rejects.toThrow('failure 2');
    await expect(retry(attempt, { ...rule, retryable: () => false })).rejects.toThrow('failure 0');
    expect(tried).toEqual([0, 1, 2, 0]);
  });

  test('runs the steps of the end in order, past one that fails and one that takes too long, and exits with 1', async () => {
    const done: string[] = [];
    const codes: number[] = [];
    const shutdown = onShutdown({
      signals: [],
      exit: (code) => codes.push(code),
      steps: [
        { name: 'first', boundMs: 1000, run: () => void done.push('first') },
        { name: 'fails', boundMs: 1000, run: () => Promise.reject(new Error('no')) },
        { name: 'hangs', boundMs: 20, run: () => new Promise(() => undefined) },
        { name: 'last', boundMs: 1000, run: () => void done.push('last') },
      ],
    });
    await Promise.all([shutdown.begin('test'), shutdown.begin('again')]);
    expect(shutdown.signal.aborted).toBe(true);
    expect([done, codes]).toEqual([['first', 'last'], [1]]);
  });

  test('exits with 0 when every step went well', async () => {
    const codes: number[] = [];
    await onShutdown({ signals: [], exit: (code) => codes.push(code), steps: [] }).begin('test');
    expect(codes).toEqual([0]);
  });
});
