import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { canonicalJson } from '#runtime/protocol/canonical.js';
import { newId } from '#runtime/protocol/ids.js';
import type { LifecycleCommand } from '#runtime/protocol/lifecycle.js';
import { signValue } from '#runtime/protocol/lifecycle.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { type Fleet, sequenceOf, startFleet, type TestReplica } from '../../runtime/registry/fleet.ts';
import { drain, expectRejected, heartbeat, type Overrides, offline, type Plane, signed, startPlane } from './plane.ts';

interface Wrapper {
  request: Record<string, unknown> & { command: { operation: string; payload: Record<string, unknown> } };
  signature: string;
}

let fleet: Fleet;
let plane: Plane;
let replica: TestReplica;
const NOW = Date.UTC(2030, 5, 1, 12, 0, 0, 0);
beforeAll(async () => {
  fleet = await startFleet();
  fleet = { ...fleet, clock: () => NOW };
  plane = await startPlane(fleet);
});
afterAll(async () => {
  await plane?.close();
  await fleet?.close();
});
beforeEach(async () => {
  replica = await fleet.provision();
});

const wrapper = async (command: LifecycleCommand = fleet.proposal(replica), over: Overrides = {}): Promise<Wrapper> =>
  JSON.parse(await signed(fleet, replica, command, over));

/** Signs a request that a test has changed, so that nothing but the change can be refused. */
async function resigned(change: (request: Wrapper['request']) => void, command?: LifecycleCommand): Promise<string> {
  const { request } = await wrapper(command);
  change(request);
  return JSON.stringify({ request, signature: await signValue(request, replica.key) });
}

describe('the window of a request', () => {
  const rows: [string, Overrides, number][] = [
    ['F-256 lives exactly 30 s', { lifetime: 30_000 }, 200],
    ['F-256 lives 30.001 s', { lifetime: 30_001 }, 403],
    ['F-257 ends when it begins', { lifetime: 0 }, 403],
    ['F-257 ends before it begins', { issuedIn: 4000, lifetime: -1 }, 403],
    ['F-258 ends now', { issuedIn: -10_000, lifetime: 10_000 }, 403],
    ['F-258 ends a millisecond from now', { issuedIn: -10_000, lifetime: 10_001 }, 200],
    ['F-259 is issued exactly 5 s ahead', { issuedIn: 5000 }, 200],
    ['F-259 is issued 5.001 s ahead', { issuedIn: 5001 }, 403],
  ];
  test.each(rows)('%s', async (_, over, status) => {
    const answer = await plane.post(await signed(fleet, replica, fleet.proposal(replica), over));
    if (status === 200) expect(answer).toMatchObject({ status, response: { status: 'lease' } });
    else await expectRejected(plane, answer);
    expect(await sequenceOf(fleet, replica.id)).toBe(status === 200 ? 1 : 0);
  });
});

describe('a request of a stranger', () => {
  const stranger = (replicaId: string): Promise<string> =>
    signed(fleet, replica, heartbeat({ ...replica, id: replicaId }, 0), { key: signingKeyFromSeed(newSeedHex()) });

  test('a replica id that no text column holds, or that is longer than an id, is refused like an unknown one', async () => {
    const unknown = await plane.post(await stranger('crepl_unknown'));
    for (const id of ['a\u0000b', 'crepl_\u0001', '', 'x'.repeat(257)]) {
      const answer = await plane.post(await stranger(id));
      await expectRejected(plane, answer);
      expect(answer.response.message).toBe(unknown.response.message);
    }
  });

  test('a refusal is logged with its reason and without a stack', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const logging = await startPlane(fleet, { log });
    await expectRejected(logging, await logging.post(await stranger('crepl_unknown')));
    await logging.close();
    expect(lines).toMatchObject([{ msg: 'lifecycle command refused', status: 403, reason: expect.any(String) }]);
    expect(JSON.stringify(lines)).not.toContain('stack');
  });
});

describe('the signature of a request', () => {
  test('F-067 a base64url, hex, unpadded or empty signature is refused', async () => {
    const { request, signature } = await wrapper();
    const bytes = Buffer.from(signature, 'base64');
    const forms = [
      `${bytes.toString('base64url')}==`,
      bytes.toString('base64url'),
      bytes.toString('hex'),
      signature.slice(0, -2),
      `${signature}\n`,
      '',
    ].filter((form) => form !== signature);
    for (const form of forms)
      await expectRejected(plane, await plane.post(JSON.stringify({ request, signature: form })));
    expect(await sequenceOf(fleet, replica.id)).toBe(0);
    expect((await plane.post(JSON.stringify({ request, signature }))).status).toBe(200);
  });

  test('F-068 reordered members and added white space still verify', async () => {
    const { request, signature } = await wrapper();
    const reverse = (value: unknown): unknown =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([name, member]) => [name, reverse(member)]),
          )
        : value;
    const text = JSON.stringify({ signature, request: reverse(request) }, null, '\t');
    expect(text).not.toContain(canonicalJson(request));
    expect(await plane.post(text)).toMatchObject({ status: 200, response: { lease: { sequence: 1 } } });
  });

  test('F-253 a request that was changed after signing is refused, whatever was changed', async () => {
    const changes: ((request: Wrapper['request']) => void)[] = [
      (request) => {
        request.request_id = newId('message');
      },
      (request) => {
        request.expires_at = String(request.expires_at).replace('30Z', '29Z');
      },
      (request) => {
        (request.command.payload.replica as { capacity: number }).capacity = 33;
      },
    ];
    for (const change of changes) {
      const sent = await wrapper();
      const before = JSON.stringify(sent);
      change(sent.request);
      expect(JSON.stringify(sent)).not.toBe(before);
      await expectRejected(plane, await plane.post(JSON.stringify(sent)));
    }
    expect(await sequenceOf(fleet, replica.id)).toBe(0);
  });
});

describe('what cannot be decoded is answered 4xx, unsigned, and changes nothing', () => {
  const expectUndecodable = async (text: string): Promise<void> => {
    const answer = await plane.post(text);
    expect(answer.status, text.slice(0, 200)).toBe(400);
    expect(answer.body).not.toHaveProperty('signature');
    expect(answer.body.error?.code).toBe('connector_control.invalid_request');
    expect(await sequenceOf(fleet, replica.id)).toBe(0);
  };
  const without = (name: string) => (object: Record<string, unknown>) => {
    delete object[name];
  };

  test('F-060 no JSON, no wrapper, no request, no signature', async () => {
    const { request, signature } = await wrapper();
    const texts = ['', '{', '[]', 'null', '"x"', '{}'];
    for (const text of texts) await expectUndecodable(text);
    for (const body of [{ request }, { signature }, { request: 'x', signature }, { request, signature: 1 }])
      await expectUndecodable(JSON.stringify(body));
  });

  test('F-060 a name twice, broken UTF-16 and another media type', async () => {
    const text = await signed(fleet, replica, fleet.proposal(replica));
    await expectUndecodable(text.replace('{"request":', '{"signature":"x","request":'));
    await expectUndecodable(text.replace('secrets:none', '\\ud800'));
    for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
      expect((await plane.post(text, { 'content-type': type })).status).toBe(415);
    expect(await sequenceOf(fleet, replica.id)).toBe(0);
  });

  test('F-062 a request_id that is not a message identifier', async () => {
    for (const id of [7, null, '', 'msg_', 'evt_0197', `msg_${'a'.repeat(300)}`, 'msg_\u0000'])
      await expectUndecodable(
        await resigned((request) => {
          request.request_id = id;
        }),
      );
  });

  test('F-064 a time that is missing or no string', async () => {
    for (const name of ['issued_at', 'expires_at', 'signer_did']) {
      await expectUndecodable(await resigned(without(name)));
      await expectUndecodable(
        await resigned((request) => {
          request[name] = 1_900_000_000;
        }),
      );
    }
  });

  test('F-064 a time that is not RFC 3339 is refused', async () => {
    for (const name of ['issued_at', 'expires_at'] as const)
      for (const time of ['soon', '2030-06-01 12:00:00', '2030-06-01T12:00:00', '2030-02-30T12:00:00Z']) {
        const answer = await plane.post(
          await resigned((request) => {
            request[name] = time;
          }),
        );
        expect([name, time, answer.status]).toEqual([name, time, 403]);
        expect(await sequenceOf(fleet, replica.id)).toBe(0);
      }
  });

  test('F-066 a command without operation or payload', async () => {
    await expectUndecodable(await resigned(without('command')));
    await expectUndecodable(await resigned((request) => without('operation')(request.command)));
    await expectUndecodable(await resigned((request) => without('payload')(request.command)));
  });

  test('F-013 an operation that is none of the four', async () => {
    for (const operation of ['renew', 'Register', 'admit_version', '', 1])
      await expectUndecodable(
        await resigned((request) => {
          request.command.operation = operation as string;
        }),
      );
  });

  test('F-066 register without one of its members', async () => {
    const { payload } = fleet.proposal(replica);
    for (const name of Object.keys(payload))
      await expectUndecodable(await resigned((request) => without(name)(request.command.payload)));
    for (const name of Object.keys(payload.replica).filter((each) => each !== 'topology'))
      await expectUndecodable(
        await resigned((request) => without(name)(request.command.payload.replica as Record<string, unknown>)),
      );
  });

  test('F-074 heartbeat without a member or with one of the wrong type', async () => {
    const command = heartbeat(replica, 0);
    for (const name of Object.keys(command.payload))
      await expectUndecodable(await resigned((request) => without(name)(request.command.payload), command));
    const wrong: [string, unknown][] = [
      ['replica_id', 1],
      ['previous_sequence', '1'],
      ['previous_sequence', -1],
      ['previous_sequence', 1.5],
      ['in_flight', true],
      ['in_flight', -1],
      ['in_flight', 4_294_967_296],
      ['connector_ready', 'true'],
      ['connector_ready', 1],
    ];
    for (const [name, value] of wrong)
      await expectUndecodable(
        await resigned((request) => {
          request.command.payload[name] = value;
        }, command),
      );
  });

  test.each([
    ['F-075 drain', drain],
    ['F-076 offline', offline],
  ])('%s without a member or with one of the wrong type', async (_, make) => {
    const command = make(replica, 0);
    for (const name of ['replica_id', 'previous_sequence']) {
      await expectUndecodable(await resigned((request) => without(name)(request.command.payload), command));
      await expectUndecodable(
        await resigned((request) => {
          request.command.payload[name] = false;
        }, command),
      );
    }
  });

  test('F-074 F-102 a fence of 64 bits is read and refused as stale', async () => {
    const text = (await signed(fleet, replica, heartbeat(replica, 7))).replace(
      '"previous_sequence":7',
      '"previous_sequence":18446744073709551615',
    );
    expect((await plane.post(text)).status).toBe(403);
  });
});
