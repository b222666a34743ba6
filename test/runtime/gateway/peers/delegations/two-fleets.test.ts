import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '#runtime/postgres/free-port.js';
import { openPool } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Action, DelegationRequest, DelegationResult } from '#runtime/protocol/types.js';
import { freshDatabase } from '../../../../support/database.ts';
import { until } from '../../../../support/until.ts';
import { startTarget } from '../../callbacks/support.ts';
import { delegation, resultOf } from '../../support/delegations.ts';
import { errorOf, type HttpGateway, startHttpGateway, TOKEN } from '../../support/gateway.ts';

// Two fleets with a database and a key each: docs/protocol/records.md#another-fleet-as-delegate.

const FIRST = { id: 'service:first', kind: 'service' } as const;
const SECOND = { id: 'service:second', kind: 'service' } as const;

let folder: string;
let first: HttpGateway;
let second: HttpGateway;
const drops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-two-fleets-'));
  const seeds = { first: newSeedHex(), second: newSeedHex() };
  const didOf = (name: keyof typeof seeds) => signingKeyFromSeed(seeds[name]).did;
  const loopback = (group: string) => ({
    [`AIP_GATEWAY_${group}_ALLOW_HTTP`]: 'true',
    [`AIP_GATEWAY_${group}_ALLOW_PRIVATE_NETWORKS`]: 'true',
  });
  const start = async (name: keyof typeof seeds, signer: object, env: Record<string, string>): Promise<HttpGateway> => {
    const seed = join(folder, name);
    await writeFile(seed, seeds[name], { mode: 0o600 });
    const database = await freshDatabase();
    drops.push(database.drop);
    return startHttpGateway({
      databaseUrl: database.url,
      signers: [{ scopes: [], ...signer }],
      env: {
        AIP_GATEWAY_SERVICE_ID: `service:${name}`,
        AIP_GATEWAY_CONNECTOR_REGISTRY_URL: database.url,
        AIP_GATEWAY_CONNECTOR_FLEET_SIGNING_SEED_FILE: seed,
        AIP_GATEWAY_CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
        AIP_GATEWAY_CALLBACK_ALLOWED_HOSTS: '127.0.0.1',
        ...loopback('CALLBACK'),
        ...env,
      },
    });
  };
  second = await start('second', { signer_did: didOf('first'), principal_id: FIRST.id, tenant_id: 'partners' }, {});
  const port = await freePort();
  first = await start(
    'first',
    { signer_did: didOf('second'), principal_id: SECOND.id, tenant_id: 'partners' },
    {
      AIP_GATEWAY_BIND: `127.0.0.1:${port}`,
      AIP_GATEWAY_DELEGATION_HTTP_ROUTES: `${SECOND.id}=${second.url}/aip/v1/messages,${SECOND.id},${didOf('second')},test`,
      AIP_GATEWAY_DELEGATION_REPORT_URL: `http://127.0.0.1:${port}/aip/v1/messages`,
      ...loopback('DELEGATION'),
    },
  );
});
afterAll(async () => {
  await first?.stop();
  await second?.stop();
  for (const drop of drops) await drop();
  await rm(folder, { recursive: true, force: true });
});

const handed = (child: Partial<Action> = {}, more: Partial<DelegationRequest> = {}): DelegationRequest =>
  delegation({
    delegate: SECOND,
    child_action: { id: newId('action'), capability_id: 'cap:aip:server:health', input: {}, ...child },
    ...more,
  });
const ask = (request: DelegationRequest) =>
  first.call('POST', '/aip/v1/messages', {
    token: TOKEN,
    body: newEnvelope({ delegation_request: request }, {}, { clock: Date.now }),
  });
const ended = (request: DelegationRequest): Promise<DelegationResult> =>
  until('the delegation has ended', async () => {
    const result = resultOf(await ask(request));
    return result.status !== 'running' && result;
  });

test('a gateway of another fleet runs a child action and answers with its result', async () => {
  const request = handed();
  const answer = await ask(request);
  expect([answer.status, resultOf(answer)]).toMatchObject([
    200,
    {
      delegation_id: request.delegation_id,
      status: 'completed',
      result: { action_id: request.child_action.id, output: { status: 'ok' } },
    },
  ]);
  const pool = openPool({ url: second.databaseUrl, max: 1 });
  try {
    const { rows } = await pool.query<{ tenant_id: string; principal_id: string; request: Action }>(
      'SELECT tenant_id, principal_id, request FROM runtime.actions WHERE action_id = $1',
      [request.child_action.id],
    );
    expect(rows).toMatchObject([
      {
        tenant_id: 'partners',
        principal_id: SECOND.id,
        request: {
          delegation_chain: [
            { from: { id: 'service:edge' }, to: FIRST, scope: request.scope },
            { from: FIRST, to: SECOND, scope: request.scope },
          ],
        },
      },
    ]);
  } finally {
    await pool.close();
  }
});

test('a child action that is queued at the other fleet ends the delegation by a report, and its requester gets one message', async () => {
  const target = await startTarget();
  try {
    const request = handed({ mode: 'async' }, { callback: target.callback });
    expect(['running', 'completed']).toContain(resultOf(await ask(request)).status);
    expect(await ended(request)).toMatchObject({ status: 'completed', result: { output: { status: 'ok' } } });
    await until('the message came', () => target.received.length > 0);
    // The next delegation's message would come behind a second one of this.
    const next = handed({}, { callback: target.callback });
    await ask(next);
    await until('the next message came', () => target.received.length > 1);
    const ids = target.received.map(
      ({ text }) => (JSON.parse(text).body as { delegation_result: DelegationResult }).delegation_result.delegation_id,
    );
    expect(ids).toEqual([request.delegation_id, next.delegation_id]);
  } finally {
    await target.close();
  }
});

test('a child action that fails at the other fleet fails the delegation', async () => {
  const result = resultOf(await ask(handed({ capability_id: 'cap:none' })));
  expect(result).toMatchObject({ status: 'failed', error: { code: 'resource.not_found' } });
});

test('a delegation whose way was in one of both gateways before is refused', async () => {
  const hop = (from: object, to: object) => ({ from, to, scope: 'kb:read', delegated_at: '2026-01-01T00:00:00Z' });
  const edge = { id: 'service:edge', kind: 'service' };
  for (const gateway of [FIRST, SECOND]) {
    const delegation_chain = [hop({ id: 'agent:desk', kind: 'agent' }, gateway), hop(gateway, edge)];
    const refused = await ask(handed({ delegation_chain } as Partial<Action>));
    expect(errorOf(refused).code).toBe('auth.not_authorized');
  }
});
