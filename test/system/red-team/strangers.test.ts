import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { formatTime } from '#runtime/protocol/time.js';
import { beginBody, type UnfinishedRequest } from '../../support/network/unfinished-body.ts';
import { startTwoTenants, type TwoTenants } from './fleet.ts';

const MIB = 1_048_576;

let fleet: TwoTenants;
beforeAll(async () => {
  fleet = await startTwoTenants();
});
afterAll(() => fleet?.stop());

/** Calls of the witness that complete while `strangers` are connected. */
async function witnessedBeside(strangers: readonly UnfinishedRequest[]): Promise<number> {
  let completed = 0;
  for (let call = 0; call < 10; call += 1) {
    await fleet.witnessed();
    completed += 1;
  }
  for (const { destroy } of strangers) destroy();
  return completed;
}

test('the calls of a tenant complete beside 100 strangers whose bodies have no end', async () => {
  const first = 'x'.repeat(MIB);
  const begin = () => beginBody(fleet.dev.ready.gateway_url, { path: '/aip/v1/messages', declared: 4 * MIB, first });
  expect(await witnessedBeside(Array.from({ length: 100 }, begin))).toBe(10);
});

test('the calls of a tenant complete beside 140 strangers that are silent at the ingress', async () => {
  const place = { path: '/aip/v1/connector-events', declared: 4 * MIB, first: '{' };
  const begin = () => beginBody(fleet.dev.ready.gateway_url, place);
  expect(await witnessedBeside(Array.from({ length: 140 }, begin))).toBe(10);
});

test('the calls of a tenant complete beside a stranger who sends NUL as a replica id, which is refused each time', async () => {
  const now = Date.now();
  const body = JSON.stringify({
    request: {
      request_id: newId('message'),
      issued_at: formatTime(now),
      expires_at: formatTime(now + 30_000),
      signer_did: fleet.dev.ready.gateway.did,
      command: {
        operation: 'heartbeat',
        payload: { replica_id: 'a\u0000b', previous_sequence: 1, in_flight: 0, connector_ready: true },
      },
    },
    signature: `${'A'.repeat(86)}==`,
  });
  const headers = { 'content-type': 'application/json' };
  for (let call = 0; call < 10; call += 1) {
    const [answer] = await Promise.all([
      fetch(fleet.dev.ready.control_url, { method: 'POST', headers, body }),
      fleet.witnessed(),
    ]);
    expect([answer.status, await answer.json()]).toMatchObject([
      403,
      { response: { status: 'rejected', code: 'connector_control.rejected', retryable: false } },
    ]);
  }
});
