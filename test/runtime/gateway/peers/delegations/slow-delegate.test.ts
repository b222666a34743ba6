import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SubmitAction } from '#runtime/gateway/actions/accept/submit.js';
import type { Identity } from '#runtime/gateway/edge/identity.js';
import { type Delegations, openDelegations } from '#runtime/gateway/peers/delegations/open.js';
import { claimDelegations } from '#runtime/gateway/peers/delegations/record.js';
import { DEFAULT_STOCK_LIMITS } from '#runtime/gateway/records/stock/limits.js';
import { type Envelope, newEnvelope } from '#runtime/protocol/envelope.js';
import type { DelegationRequest } from '#runtime/protocol/types.js';
import { PeerTransportFailed } from '#runtime/transport/peer/errors.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { freshDatabase } from '../../../../support/database.ts';
import { until } from '../../../../support/until.ts';
import { caller, startActions, type TestGateway } from '../../support/actions.ts';
import { completed, delegation } from '../../support/delegations.ts';

const SLOW = { id: 'agent:slow', kind: 'agent' } as const;
const GOOD = { id: 'agent:good', kind: 'agent' } as const;
const ACME = caller('agent:desk', 'acme');
const GLOBEX = caller('agent:witness', 'globex');
const log = openLogger({ component: 'test', level: 'silent' });

let drop: () => Promise<void>;
let gateway: TestGateway;
beforeAll(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  gateway = await startActions(database.url, []);
});
afterAll(async () => {
  await gateway?.stop();
  await drop?.();
});

/** Delegations of one process over ways of the test's own: each message goes to `send`. */
function delegationsOver(send: (to: string, envelope: Envelope) => Promise<Envelope>): Delegations {
  const submit: SubmitAction = () => Promise.reject(new Error('no child action runs here'));
  return openDelegations({
    pool: gateway.pool,
    clock: Date.now,
    log,
    gateway: { id: 'service:gateway', kind: 'service' },
    submit,
    admitCallback: async () => undefined,
    stock: DEFAULT_STOCK_LIMITS,
    linkTo: ({ delegate }) => ({ principal: delegate, send: (envelope) => send(delegate.id, envelope) }),
  });
}
const request = (delegations: Delegations, identity: Identity, delegate: typeof SLOW | typeof GOOD) => {
  const body = delegation({ delegate, requested_by: identity.principal });
  return delegations.request(identity, body, newEnvelope({ delegation_request: body }, {}, { clock: Date.now }), {
    requestId: 'test',
  });
};
const unanswered = () => Promise.reject(new PeerTransportFailed('no answer', { reached: true, attempts: 3 }));

test('the deliveries of a tenant whose delegate does not answer keep those of another tenant from nothing', async () => {
  const released = Promise.withResolvers<never>();
  let held = 0;
  const tries = new Map<string, number>();
  const delegations = delegationsOver(async (to, envelope) => {
    const sent = (envelope.body as { delegation_request: DelegationRequest }).delegation_request;
    const before = tries.get(sent.delegation_id) ?? 0;
    tries.set(sent.delegation_id, before + 1);
    if (before === 0) return unanswered();
    if (to === GOOD.id) return { ...envelope, body: completed(sent) };
    held += 1;
    return released.promise;
  });
  try {
    for (let n = 0; n < 60; n += 1) await request(delegations, ACME, SLOW);
    expect(await until('deliveries are held', () => held > 0)).toBe(true);
    const { delegation_id: id } = await request(delegations, GLOBEX, GOOD);
    const isCompleted = async (): Promise<boolean> => {
      const { rows } = await gateway.pool.query<{ status: string }>({
        text: 'SELECT status FROM runtime.delegations WHERE delegation_id = $1',
        values: [id],
      });
      return rows[0]?.status === 'completed';
    };
    expect(await until('the delivery of the other tenant is made again', isCompleted)).toBe(true);
    expect(held).toBeLessThanOrEqual(48);
  } finally {
    released.reject(new PeerTransportFailed('no answer', { reached: true, attempts: 3 }));
    await delegations.stop();
  }
});

test('deliveries that are due are taken of each tenant in turn', async () => {
  await gateway.pool.query('TRUNCATE runtime.delegations');
  const delegations = delegationsOver(unanswered);
  await delegations.stop();
  for (let n = 0; n < 5; n += 1) await request(delegations, ACME, SLOW);
  await request(delegations, GLOBEX, GOOD);
  const claim = { nowMs: Date.now() + 600_000, leaseMs: 60_000, leaseId: 'lease', limit: 2 };
  const tenants = (await claimDelegations(gateway.pool, claim)).map(({ tenant_id: tenant }) => tenant);
  expect(tenants.toSorted()).toEqual(['acme', 'globex']);
});
