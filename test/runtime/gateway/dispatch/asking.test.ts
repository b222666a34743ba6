import { pino } from 'pino';
import { expect, test } from 'vitest';
import { type AskDeps, askHost, DEFAULT_ASK_RULE, type HostOutcome } from '#runtime/gateway/dispatch/ask.js';
import { projectAction } from '#runtime/gateway/dispatch/project.js';
import { verdictOfFailure } from '#runtime/gateway/dispatch/verdict.js';
import { type Envelope, newEnvelope, signEnvelope } from '#runtime/protocol/envelope.js';
import { RemoteError } from '#runtime/protocol/errors.js';
import { LEASE_TTL_MS } from '#runtime/protocol/limits.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Action, ConnectorRoute, Principal } from '#runtime/protocol/types.js';
import type { RouteAssignment } from '#runtime/registry/routes/assignment.js';
import { doubling } from '#runtime/time/retry.js';
import { PeerTransportFailed, type SendOptions } from '#runtime/transport/peer/client.js';

const GATEWAY: Principal = { id: 'service:gateway', kind: 'service', trust_domain: 'test.local' };
const ROUTE = { action_id: 'act_1', capability_id: 'cap:probe:count', original_mode: 'streaming' } as ConnectorRoute;
const ACTION: Action = { id: 'act_1', capability_id: 'cap:probe:count', input: {}, mode: 'streaming' };

/** Asks a played host whose replica has a lease. */
function ask(
  deps: Pick<AskDeps, 'peer' | 'signer'>,
  rest: { began?: boolean; attemptMs?: number; replicas?: AskDeps['registry']['replicas'] } = {},
): Promise<HostOutcome> {
  const leased = { get: async () => ({ leaseExpiresAt: Number.MAX_SAFE_INTEGER }) as never };
  return askHost(
    {
      ...deps,
      registry: { replicas: rest.replicas ?? leased },
      rule: { failures: 3, failuresBegun: 6, firstPauseMs: 1, maxPauseMs: 1, attemptMs: rest.attemptMs ?? 1000 },
      clock: Date.now,
      log: pino({ level: 'silent' }),
    },
    {
      action: projectAction(
        { action: ACTION, tenantId: 'tenant-a', originalMode: 'streaming' },
        ROUTE,
        'https://gateway.test/c',
      ),
      route: ROUTE,
      assignment: { endpoint: 'https://host.test/m' } as RouteAssignment,
      mayHaveBegun: rest.began ?? false,
      journaled: true,
    },
    new AbortController().signal,
  );
}

test('a streaming action that is sent again after a change of keys names the key it is signed with', async () => {
  const keys = [signingKeyFromSeed(newSeedHex()), signingKeyFromSeed(newSeedHex())] as [SigningKey, SigningKey];
  let present = keys[0];
  const sent: Envelope[] = [];
  const send = async (envelope: Envelope, _peer: unknown, options?: SendOptions): Promise<Envelope> => {
    // The change comes between the making of the envelope and its signature.
    present = keys[1];
    sent.push(await signEnvelope(envelope, GATEWAY, options?.key ?? present));
    if (sent.length === 1) throw new PeerTransportFailed('no answer', { reached: true, attempts: 1 });
    return newEnvelope({ action_result: { action_id: ACTION.id, status: 'completed' } }, {}, { clock: Date.now });
  };
  const outcome = await ask({ peer: { send }, signer: () => ({ principal: GATEWAY, key: present }) });
  expect(outcome).toMatchObject({ settlement: 'completed' });
  const recipients = sent.map(({ body }) => {
    const metadata = (body as { action: Action }).action.callback?.metadata as Record<string, unknown> | undefined;
    return metadata?.connector_callback_recipient;
  });
  expect(sent.map(({ from }) => from?.did)).toEqual(keys.map(({ did }) => did));
  expect(recipients).toEqual(sent.map(({ from }) => from));
});

test.each([
  {
    what: 'never began',
    began: false,
    reached: [],
    asked: 4,
    settlement: 'unreached',
    code: 'connector.replica_unavailable',
  },
  {
    what: 'may have begun before',
    began: true,
    reached: [],
    asked: 7,
    settlement: 'outcome_unknown',
    code: 'connector.outcome_unknown',
  },
  {
    what: 'may begin while it is asked for',
    began: false,
    reached: [2],
    asked: 7,
    settlement: 'outcome_unknown',
    code: 'connector.outcome_unknown',
  },
])(
  'a host that stays away gets work that $what $asked times: $settlement',
  async ({ began, reached, asked, settlement, code }) => {
    let askings = 0;
    const send = async (): Promise<Envelope> => {
      askings += 1;
      throw new PeerTransportFailed('nobody there', { reached: (reached as number[]).includes(askings), attempts: 1 });
    };
    const key = signingKeyFromSeed(newSeedHex());
    const outcome = await ask({ peer: { send }, signer: () => ({ principal: GATEWAY, key }) }, { began });
    expect(outcome).toMatchObject({ settlement, error: { code } });
    expect(askings).toBe(asked);
  },
);

test('a registry that cannot be read ends no asking, and does not hide that the work may have begun', async () => {
  let askings = 0;
  const send = async (): Promise<Envelope> => {
    askings += 1;
    throw new PeerTransportFailed('no answer', { reached: true, attempts: 1 });
  };
  const get = () => Promise.reject(new Error('relation "registry.replicas" does not exist'));
  const key = signingKeyFromSeed(newSeedHex());
  const outcome = await ask({ peer: { send }, signer: () => ({ principal: GATEWAY, key }) }, { replicas: { get } });
  expect(outcome).toMatchObject({ settlement: 'outcome_unknown', error: { code: 'connector.outcome_unknown' } });
  expect(askings).toBe(7);
});

test('a killed host has 12 seconds to come back, and 25 when it may have begun: less than its lease of 30', () => {
  const { failures, failuresBegun, firstPauseMs, maxPauseMs } = DEFAULT_ASK_RULE;
  const pause = doubling(firstPauseMs, maxPauseMs);
  const patience = (tries: number): number =>
    Array.from({ length: tries }, (_, n) => pause(n)).reduce((sum, ms) => sum + ms);
  expect([patience(failures), patience(failuresBegun)]).toEqual([12_700, 25_500]);
  expect(patience(failuresBegun)).toBeLessThan(LEASE_TTL_MS);
});

test('a host that stays silent is not asked past the end of its lease: the outcome is unknown', async () => {
  let askings = 0;
  const send = async (): Promise<Envelope> => {
    askings += 1;
    const silent = performance.now();
    while (performance.now() - silent < 5) await new Promise((done) => setImmediate(done));
    throw new PeerTransportFailed('no answer in time', { reached: true, attempts: 3 });
  };
  const get = async () => ({ leaseExpiresAt: askings < 3 ? Number.MAX_SAFE_INTEGER : 0 }) as never;
  const key = signingKeyFromSeed(newSeedHex());
  const outcome = await ask(
    { peer: { send }, signer: () => ({ principal: GATEWAY, key }) },
    { attemptMs: 1, replicas: { get } },
  );
  expect(outcome).toMatchObject({ settlement: 'outcome_unknown', error: { code: 'connector.outcome_unknown' } });
  expect(askings).toBe(3);
});

test.each([
  { code: 'action.id_conflict', fresh: 'refused' },
  { code: 'connector_host.credential_revision_denied', fresh: 'refused' },
  { code: 'connector_host.approval_authorization_conflict', fresh: 'refused' },
  { code: 'connector_host.route_mismatch', fresh: 'unreached' },
  { code: 'connector_host.authentication', fresh: 'unreached' },
])(
  'a refusal with $code after work may have begun leaves its outcome unknown, and before is $fresh',
  ({ code, fresh }) => {
    const error = new RemoteError({ code, message: 'no', category: 'policy', retryable: false }, 409);
    const verdict = (began: boolean) =>
      verdictOfFailure(error, { actionId: 'act_1', began, tookMs: 1, attemptMs: 1000 });
    expect(verdict(true)).toMatchObject({
      kind: 'failed',
      settlement: 'outcome_unknown',
      error: { code: 'connector.outcome_unknown' },
    });
    expect(verdict(false)).toMatchObject({ kind: 'failed', settlement: fresh, error: { code } });
  },
);
