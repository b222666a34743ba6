import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type Envelope, newEnvelope, verifyEnvelope } from '#runtime/protocol/envelope.js';
import { NotAuthorized, RemoteError } from '#runtime/protocol/errors.js';
import { PEER_RETRY_DELAY_MS } from '#runtime/protocol/limits.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { formatTime } from '#runtime/protocol/time.js';
import { doubling } from '#runtime/time/retry.js';
import { PeerTransportFailed } from '#runtime/transport/peer/client.js';
import type { ResolvedAddress } from '#runtime/transport/peer/destination.js';
import { until } from '../../support/until.ts';
import { PEER_CERTIFICATE } from './certificate.ts';
import {
  actionEnvelope,
  CENTRAL,
  centralKey,
  clientFor,
  completed,
  HOST,
  peerOf,
  reply,
  startPeer,
  type TestPeer,
  TRUST_DOMAIN,
} from './peer.ts';

const MIB = 1024 * 1024;

/** A signed answer of exactly `bytes` bytes: white space behind it fills what the pad leaves, since times differ in length. */
async function answerOfSize(peer: TestPeer, request: Envelope, bytes: number): Promise<string> {
  const body = { body: completed('act_1', { pad: 'x'.repeat(bytes - 4096) }) as Envelope['body'] };
  return JSON.stringify(await peer.answer(request, body)).padEnd(bytes);
}

const failureOf = (sending: Promise<unknown>): Promise<PeerTransportFailed> =>
  sending.then(
    () => {
      throw new Error('the exchange succeeded');
    },
    (error) => error,
  );

describe('what is sent', () => {
  test('N-452 N-453 N-455 signs the envelope for the peer and adds the trust domain and the action id as headers', async () => {
    const peer = await startPeer();
    const answer = await clientFor().send(actionEnvelope('act_one'), peerOf(peer));
    const [{ envelope, headers }] = peer.arrived as [TestPeer['arrived'][0]];
    expect(await verifyEnvelope(envelope)).toBe(centralKey.did);
    expect(envelope.from).toEqual({ ...CENTRAL, did: centralKey.did });
    expect(envelope.to).toEqual({ id: HOST.id, kind: HOST.kind });
    expect(envelope.security).toMatchObject({ trust_domain: TRUST_DOMAIN, did: centralKey.did });
    expect(headers['aip-trust-domain']).toBe(TRUST_DOMAIN);
    expect(headers['idempotency-key']).toBe('act_one');
    expect(envelope.correlation_id).toMatch(/^corr_/);
    expect(answer.in_response_to).toBe(envelope.message_id);
  });

  test('N-454 N-456 keys a delegation request by its delegation id and any other message by its message id', async () => {
    const peer = await startPeer();
    const client = clientFor();
    const delegation = newEnvelope(
      { delegation_request: { delegation_id: 'dlg_7', child_action: { id: 'act_8' } } } as unknown as Envelope['body'],
      {},
      { clock: Date.now },
    );
    await client.send(delegation, peerOf(peer));
    const cancel = newEnvelope(
      { cancel: { target: { action: 'act_8' } } } as unknown as Envelope['body'],
      {},
      { clock: Date.now },
    );
    await client.send(cancel, peerOf(peer));
    expect(peer.arrived.map(({ headers }) => headers['idempotency-key'])).toEqual(['dlg_7', cancel.message_id]);
  });

  test('N-450 sends every attempt of an exchange to the address that was checked, and asks DNS again for the next exchange', async () => {
    const first = await startPeer({ host: '127.0.0.1' });
    const second = await startPeer({ host: '127.0.0.2', port: first.port });
    const answers: ResolvedAddress[][] = [[{ address: '127.0.0.1', family: 4 }], [{ address: '127.0.0.2', family: 4 }]];
    let asked = 0;
    const resolve = async () => answers[Math.min(asked++, 1)] as ResolvedAddress[];
    const client = clientFor({ rules: { hosts: ['peer.test'], allowHttp: true, allowPrivate: true, resolve } });
    const url = `http://peer.test:${first.port}/aip/v1/messages`;
    const well = first.behave;
    first.behave = (request, response, n, socket) => {
      if (n === 0) socket.destroy();
      else return well(request, response, n, socket);
    };
    await client.send(actionEnvelope(), peerOf(first, { url }));
    expect([asked, first.arrived.length, second.connections()]).toEqual([1, 2, 0]);
    expect(first.arrived[0]?.headers.host).toBe(`peer.test:${first.port}`);

    await client.send(actionEnvelope(), peerOf(second, { url }));
    expect([asked, first.arrived.length, second.arrived.length]).toEqual([2, 2, 1]);
  });

  test('a name whose address is dead is resolved again before the next attempt, and checked again', async () => {
    const peer = await startPeer({ host: '127.0.0.1' });
    const url = `http://peer.test:${peer.port}/aip/v1/messages`;
    const sendWith = (answers: string[]) => {
      const resolve = async () => [{ address: answers.shift() as string, family: 4 as const }];
      const client = clientFor({ rules: { hosts: ['peer.test'], allowHttp: true, allowPrivate: true, resolve } });
      return client.send(actionEnvelope(), peerOf(peer, { url }));
    };
    await sendWith(['127.0.0.3', '127.0.0.1']);
    expect(peer.arrived).toHaveLength(1);

    let asked = 0;
    const resolve = async (): Promise<ResolvedAddress[]> => {
      asked += 1;
      if (asked > 1) throw new Error('no such name');
      return [{ address: '127.0.0.3', family: 4 }];
    };
    const client = clientFor({ rules: { hosts: ['peer.test'], allowHttp: true, allowPrivate: true, resolve } });
    const failure = await failureOf(client.send(actionEnvelope(), peerOf(peer, { url })));
    expect(failure).toBeInstanceOf(PeerTransportFailed);
    expect(failure).toMatchObject({ reached: false });
    expect(peer.arrived).toHaveLength(1);
  });

  test('reuses one connection for requests that follow one another', async () => {
    const peer = await startPeer();
    const client = clientFor();
    const turn = (): Promise<void> => new Promise((done) => setImmediate(done));
    for (let n = 0; n < 20; n += 1) {
      await client.send(actionEnvelope(), peerOf(peer));
      // undici frees a connection one turn of the event loop after its answer, so that the peer may still close it.
      await turn();
    }
    expect(peer.connections()).toBe(1);
    // Without that turn a request finds the connection of the one before busy, and those of all others free.
    for (let n = 0; n < 20; n += 1) await client.send(actionEnvelope(), peerOf(peer));
    expect(peer.connections()).toBeLessThanOrEqual(2);
    expect(client.pools()).toMatchObject({ entries: 1, capacity: 256, misses: 1, evictions: 0 });
  });

  test('N-428 F-302 keeps 256 pools; the 257th destination evicts one and both still work', async () => {
    const peer = await startPeer({ host: '0.0.0.0' });
    const client = clientFor();
    const urlOf = (n: number) =>
      `http://127.0.${1 + Math.floor(n / 200)}.${1 + (n % 200)}:${peer.port}/aip/v1/messages`;
    for (let n = 0; n < 256; n += 1) await client.send(actionEnvelope(), peerOf(peer, { url: urlOf(n) }));
    expect(client.pools()).toMatchObject({ entries: 256, evictions: 0 });
    await client.send(actionEnvelope(), peerOf(peer, { url: urlOf(256) }));
    expect(client.pools()).toMatchObject({ entries: 256, evictions: 1 });
    await client.send(actionEnvelope(), peerOf(peer, { url: urlOf(0) }));
    expect(client.pools()).toMatchObject({ entries: 256, evictions: 2 });
  });
});

describe('TLS', () => {
  const resolve = async (): Promise<ResolvedAddress[]> => [{ address: '127.0.0.1', family: 4 }];
  const rules = { hosts: ['peer.test', 'other.test'], allowPrivate: true, resolve };

  test('speaks TLS to the host name with the private root, on the pinned address', async () => {
    const peer = await startPeer({ tls: true });
    const client = clientFor({ rules, tlsCa: () => PEER_CERTIFICATE.cert });
    await client.send(actionEnvelope(), peerOf(peer));
    expect(peer.arrived[0]?.headers.host).toBe(`peer.test:${peer.port}`);
  });

  test('F-172 refuses a certificate of an unknown root and one of another name; nothing of the request arrives', async () => {
    const peer = await startPeer({ tls: true });
    const unknown = await failureOf(clientFor({ rules, retries: 0 }).send(actionEnvelope(), peerOf(peer)));
    const client = clientFor({ rules, retries: 0, tlsCa: () => PEER_CERTIFICATE.cert });
    const url = peer.url.replace('peer.test', 'other.test');
    const misnamed = await failureOf(client.send(actionEnvelope(), peerOf(peer, { url })));
    for (const failure of [unknown, misnamed]) {
      expect(failure).toBeInstanceOf(PeerTransportFailed);
      expect(failure.reached).toBe(false);
    }
    expect(peer.arrived).toHaveLength(0);
  });
});

describe('which answers are accepted', () => {
  const stranger = signingKeyFromSeed(newSeedHex());
  const cases: [string, (peer: TestPeer, request: Envelope) => Promise<Envelope>][] = [
    [
      'F-174 N-460 N-473 an answer signed by another DID',
      (peer, request) => peer.answer(request, {}, { principal: HOST, key: stranger }),
    ],
    [
      'F-174 N-460 N-473 an answer without security.did although from.did is the expected one',
      async (peer, request) => {
        const { security, ...rest } = await peer.answer(request);
        const { did: _, ...others } = security as Record<string, unknown>;
        return { ...rest, security: others };
      },
    ],
    [
      'F-174 N-461 N-473 an answer with a signature over other content',
      async (peer, request) => ({ ...(await peer.answer(request)), trace: { changed: true } }),
    ],
    [
      'F-174 N-461 N-473 an answer without a signature',
      async (peer, request) => ({ ...(await peer.answer(request)), security: { did: peer.key.did } }),
    ],
    [
      'F-173 N-462 N-473 an answer from another principal',
      (peer, request) => peer.answer(request, {}, { principal: { ...HOST, id: 'service:host-b' }, key: peer.key }),
    ],
    [
      'F-173 N-462 N-473 an answer from a principal of another kind',
      (peer, request) => peer.answer(request, {}, { principal: { ...HOST, kind: 'agent' }, key: peer.key }),
    ],
    [
      'F-175 N-473 an answer from another trust domain',
      (peer, request) => peer.answer(request, {}, { principal: { ...HOST, trust_domain: 'else.test' }, key: peer.key }),
    ],
    [
      'F-175 N-473 an answer from no trust domain',
      (peer, request) => peer.answer(request, {}, { principal: { id: HOST.id, kind: HOST.kind }, key: peer.key }),
    ],
    [
      'N-463 N-473 an answer addressed to another party',
      (peer, request) => peer.answer(request, { to: { id: 'service:other', kind: 'service' } }),
    ],
    [
      'N-463 N-473 an answer addressed to another DID of the same name',
      (peer, request) => peer.answer(request, { to: { ...CENTRAL, did: stranger.did } }),
    ],
    [
      'N-464 N-473 an answer with another correlation id',
      (peer, request) => peer.answer(request, { correlation_id: 'corr_else' }),
    ],
    [
      'N-465 N-473 an answer in response to another message',
      (peer, request) => peer.answer(request, { in_response_to: 'msg_else' }),
    ],
    [
      'N-466 N-431 N-473 an answer older than 5 minutes',
      (peer, request) => peer.answer(request, { sent_at: formatTime(Date.now() - 301_000) }),
    ],
    [
      'N-466 N-431 N-473 an answer dated more than 5 minutes ahead',
      (peer, request) => peer.answer(request, { sent_at: formatTime(Date.now() + 301_000) }),
    ],
  ];
  test.each(cases)('%s is refused and not retried', async (_title, answer) => {
    const peer = await startPeer();
    peer.behave = async ({ envelope }, response) => reply(response, 200, await answer(peer, envelope));
    await expect(clientFor().send(actionEnvelope(), peerOf(peer))).rejects.toBeInstanceOf(NotAuthorized);
    expect(peer.arrived).toHaveLength(1);
  });

  test('N-431 accepts an answer of up to 5 minutes before or after the clock', async () => {
    const now = Date.now();
    const client = clientFor({ clock: () => now });
    const peer = await startPeer();
    for (const sentAt of [now - 300_000, now + 300_000]) {
      peer.behave = async ({ envelope }, response) =>
        reply(response, 200, await peer.answer(envelope, { sent_at: formatTime(sentAt) }));
      await client.send(actionEnvelope(), peerOf(peer));
    }
    expect(peer.arrived).toHaveLength(2);
  });

  test('N-470 a signed error becomes the remote error with its status and is not retried', async () => {
    const peer = await startPeer();
    const error = {
      code: 'connector_host.capacity',
      message: 'full',
      category: 'temporary' as const,
      retryable: true,
      retry_after_ms: 100,
    };
    peer.behave = async ({ envelope }, response) =>
      reply(
        response,
        429,
        await peer.answer(envelope, {
          body: { error: { error } } as Envelope['body'],
          message_type: 'aip.core.v1.error',
        }),
      );
    const failure = await clientFor()
      .send(actionEnvelope(), peerOf(peer))
      .catch((thrown) => thrown);
    expect(failure).toBeInstanceOf(RemoteError);
    expect(failure).toMatchObject({ code: 'connector_host.capacity', status: 429, retryable: true, retryAfterMs: 100 });
    expect(peer.arrived).toHaveLength(1);
  });

  test('a refused replay after an own repetition is an unknown outcome, not the peer’s refusal', async () => {
    const peer = await startPeer();
    const error = { code: 'connector_host.replay', message: 'seen', category: 'policy' as const, retryable: false };
    peer.behave = async ({ envelope }, response, n, socket) => {
      if (n === 0) socket.destroy();
      else
        reply(
          response,
          409,
          await peer.answer(envelope, {
            body: { error: { error } } as Envelope['body'],
            message_type: 'aip.core.v1.error',
          }),
        );
    };
    const failure = await failureOf(clientFor().send(actionEnvelope(), peerOf(peer)));
    expect(failure).toBeInstanceOf(PeerTransportFailed);
    expect(failure).toMatchObject({ reached: true, attempts: 2 });
  });
});

describe('retries', () => {
  test('N-429 N-467 N-468 N-469 N-430 F-301 repeats the same bytes and key after 50 and 100 ms, and takes the third answer', async () => {
    const peer = await startPeer();
    const well = peer.behave;
    peer.behave = (request, response, n, socket) => {
      if (n < 2) socket.destroy();
      else return well(request, response, n, socket);
    };
    await clientFor().send(actionEnvelope('act_r'), peerOf(peer));
    const [first, second, third] = peer.arrived as [
      TestPeer['arrived'][0],
      TestPeer['arrived'][0],
      TestPeer['arrived'][0],
    ];
    expect(second.text).toBe(first.text);
    expect(third.text).toBe(first.text);
    expect(peer.arrived.map(({ headers }) => headers['idempotency-key'])).toEqual(['act_r', 'act_r', 'act_r']);
    const gaps = [second.at - first.at, third.at - second.at] as const;
    // How much longer they are is the machine's; that the first one is not 100 ms is in the delays themselves.
    expect(gaps[0]).toBeGreaterThanOrEqual(49);
    expect(gaps[1]).toBeGreaterThanOrEqual(99);
    expect([0, 1].map(doubling(PEER_RETRY_DELAY_MS, 3200))).toEqual([50, 100]);
  });

  test('N-429 F-301 never makes a fourth attempt', async () => {
    const peer = await startPeer();
    peer.behave = (_request, _response, _n, socket) => {
      socket.destroy();
    };
    const failure = await failureOf(clientFor().send(actionEnvelope(), peerOf(peer)));
    expect(failure).toBeInstanceOf(PeerTransportFailed);
    expect(failure).toMatchObject({ reached: true, attempts: 3 });
    expect(peer.arrived).toHaveLength(3);
  });

  test('a peer that is not there was certainly not reached', async () => {
    const gone = await startPeer();
    const url = `http://127.0.0.3:${gone.port}/aip/v1/messages`;
    const failure = await failureOf(clientFor().send(actionEnvelope(), peerOf(gone, { url })));
    expect(failure).toBeInstanceOf(PeerTransportFailed);
    expect(failure).toMatchObject({ reached: false, attempts: 3 });
  });

  const malformed: [string, (response: ServerResponse) => void][] = [
    ['N-451 N-470 a redirect', (response) => response.writeHead(307, { location: '/elsewhere' }).end()],
    ['N-470 an error status', (response) => response.writeHead(503).end('unavailable')],
    [
      'N-470 an unsigned error object',
      (response) => reply(response, 400, { error: { code: 'schema.envelope.invalid', message: 'no' } }),
    ],
    ['N-471 text that is no JSON', (response) => response.writeHead(200).end('{"aip_version":')],
    ['N-471 JSON that is no envelope', (response) => reply(response, 200, { hello: 'there' })],
    ['N-471 bytes that are no UTF-8', (response) => response.writeHead(200).end(randomBytes(64))],
    [
      'N-471 a body that ends early',
      (response) => {
        response.writeHead(200, { 'content-length': 5000 }).write('{"aip_version":"1.0"');
        setImmediate(() => response.socket?.destroy());
      },
    ],
    [
      'N-472 a body whose length is above the bound',
      (response) => {
        response.writeHead(200, { 'content-length': 4 * MIB + 1 }).write('{');
      },
    ],
    [
      'N-472 a body that grows above the bound',
      (response) => {
        response.writeHead(200);
        for (let n = 0; n < 5; n += 1) response.write('x'.repeat(MIB));
      },
    ],
  ];
  test.each(malformed)('%s is not answered with a second request', async (_title, behave) => {
    const peer = await startPeer();
    peer.behave = (_request, response) => behave(response);
    const failure = await failureOf(clientFor({ timeoutMs: 2000 }).send(actionEnvelope(), peerOf(peer)));
    expect(failure).toBeInstanceOf(PeerTransportFailed);
    expect(failure).toMatchObject({ reached: true, attempts: 1 });
    expect(peer.arrived).toHaveLength(1);
  });

  test('N-451 sends nothing to the Location of a redirect, also not to another host', async () => {
    const [peer, other] = [await startPeer(), await startPeer()];
    peer.behave = (_request, response) => {
      response.writeHead(308, { location: other.url }).end();
    };
    await failureOf(clientFor().send(actionEnvelope(), peerOf(peer)));
    expect([peer.arrived.length, other.connections()]).toEqual([1, 0]);
  });

  test('the caller’s signal ends the exchange at once, with its reason, without a further attempt', async () => {
    const peer = await startPeer();
    peer.behave = () => undefined;
    const abort = new AbortController();
    const sending = clientFor()
      .send(actionEnvelope(), peerOf(peer), { signal: abort.signal })
      .catch((error) => error);
    await until('the request arrived', () => peer.arrived.length === 1);
    const reason = new Error('cancelled');
    abort.abort(reason);
    expect(await sending).toBe(reason);
    expect(peer.arrived).toHaveLength(1);
  });
});

describe('bounds', () => {
  test('N-427 F-300 accepts an answer of 4194304 bytes and refuses one byte more', async () => {
    const peer = await startPeer();
    const client = clientFor();
    for (const chunked of [false, true]) {
      const send = (bytes: number) => {
        peer.behave = async ({ envelope }, response) => {
          const text = await answerOfSize(peer, envelope, bytes);
          response.writeHead(200, chunked ? {} : { 'content-length': bytes });
          response.write(text.slice(0, 1000));
          response.end(text.slice(1000));
        };
        return client.send(actionEnvelope(), peerOf(peer));
      };
      await send(4_194_304);
      expect(await failureOf(send(4_194_305))).toBeInstanceOf(PeerTransportFailed);
    }
    expect(peer.arrived).toHaveLength(4);
  });

  test('N-426 F-299 waits 5000 ms by default: an answer before counts, one after it does not', async () => {
    const peer = await startPeer();
    const late = (ms: number) => async (delayed: TestPeer) => {
      const well = delayed.behave;
      delayed.behave = (request, response, n, socket) => {
        setTimeout(() => void well(request, response, n, socket), ms);
      };
      return clientFor({ retries: 0 }).send(actionEnvelope(), peerOf(delayed));
    };
    const slower = await startPeer();
    const [inTime, tooLate] = await Promise.allSettled([late(3500)(peer), late(5500)(slower)]);
    expect(inTime.status).toBe('fulfilled');
    expect(tooLate).toMatchObject({ status: 'rejected', reason: { reached: true, attempts: 1 } });
  });

  test('a half-open connection counts as one attempt each time and ends within the time', async () => {
    const peer = await startPeer();
    peer.behave = (_request, response) => {
      response.writeHead(200).write('{');
    };
    const failure = await failureOf(clientFor({ timeoutMs: 2000 }).send(actionEnvelope(), peerOf(peer)));
    expect(failure).toMatchObject({ reached: true, attempts: 1, httpStatus: 200 });
  });
});
