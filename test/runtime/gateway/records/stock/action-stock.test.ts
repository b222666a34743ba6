import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type ActionStock, openActionStock } from '#runtime/gateway/records/stock/action-stock.js';
import { newId } from '#runtime/protocol/ids.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { freshDatabase } from '../../../../support/database.ts';
import { until } from '../../../../support/until.ts';
import { caller, capability, startActions, type TestGateway } from '../../support/actions.ts';
import {
  type Answer,
  actionEnvelope,
  errorOf,
  type HttpGateway,
  principalEntry,
  startHttpGateway,
} from '../../support/gateway.ts';

const LIMIT = 3;
const KEEP = 'cap:test:keep';
const log = openLogger({ component: 'test', level: 'silent' });

/** The actions of a gateway without a bound, and a bound beside it that counts when the test asks. */
async function storedBeside(limit: number): Promise<{ gateway: TestGateway; stock: ActionStock }> {
  const { url, drop } = await freshDatabase();
  const gateway = await startActions(url, [capability(KEEP, async () => ({}))]);
  const stock = openActionStock({ pool: gateway.pool, log, limit });
  onTestFinished(async () => {
    await stock.stop();
    await gateway.stop();
    await drop();
  });
  return { gateway, stock };
}
const arriving = (tenantId: string | null = 'acme') => ({
  action_id: newId('action'),
  tenant_id: tenantId,
  idempotency_key: null,
});
const REFUSED = { code: 'storage.tenant_limit', details: { kind: 'actions', unit: 'records', limit: LIMIT } };

test('a tenant is refused from its bound on by the last count, and no other one; what retention removes makes room', async () => {
  const { gateway, stock } = await storedBeside(LIMIT);
  const submit = () => gateway.submit({ capability_id: KEEP });
  const counted = async (tenantId?: string): Promise<void> => {
    await stock.check(arriving(tenantId)).catch(() => undefined);
    await stock.count();
    await stock.check(arriving(tenantId));
  };
  for (let stored = 1; stored < LIMIT; stored += 1) {
    await submit();
    await expect(counted()).resolves.toBeUndefined();
  }
  await submit();
  await expect(counted()).rejects.toMatchObject(REFUSED);
  await expect(counted('globex')).resolves.toBeUndefined();
  await gateway.pool.query('DELETE FROM runtime.actions WHERE seq = (SELECT min(seq) FROM runtime.actions)');
  expect(
    await until('there is room again', () =>
      counted().then(
        () => true,
        () => false,
      ),
    ),
  ).toBe(true);
  await submit();
  await expect(counted()).rejects.toMatchObject(REFUSED);
});

test('a count that is requested during another one ends with what both counted', async () => {
  const { gateway, stock } = await storedBeside(LIMIT);
  for (let stored = 0; stored < LIMIT; stored += 1) await gateway.submit({ capability_id: KEEP });
  await stock.check(arriving());
  const first = stock.count();
  await stock.count();
  await expect(stock.check(arriving())).rejects.toMatchObject(REFUSED);
  await first;
});

test('actions outside every tenant are bounded together', async () => {
  const { gateway, stock } = await storedBeside(LIMIT);
  for (let stored = 0; stored < LIMIT; stored += 1)
    await gateway.submit({ capability_id: KEEP }, { as: { ...caller(), tenantId: undefined } as never });
  await stock.check(arriving(null));
  await stock.count();
  await expect(stock.check(arriving(null))).rejects.toMatchObject(REFUSED);
  await expect(stock.check(arriving())).resolves.toBeUndefined();
});

let gateways: HttpGateway[] = [];
beforeAll(async () => {
  const principals = ['acme', 'globex'].map((tenant_id) => principalEntry(tenant_id, { tenant_id, scopes: ['*'] }));
  const env = { AIP_GATEWAY_MAX_STORED_ACTIONS_PER_TENANT: `${LIMIT}` };
  const first = await startHttpGateway({ principals, env });
  gateways = [first, await startHttpGateway({ principals, env, databaseUrl: first.databaseUrl })];
});
afterAll(async () => {
  for (const gateway of gateways.toReversed()) await gateway.stop();
});

test('every gateway refuses a tenant that has its bound, and answers a repeat of what is stored', async () => {
  const [first, second] = gateways as [HttpGateway, HttpGateway];
  const send = (token: string, action: object = {}, gateway = first): Promise<Answer> =>
    gateway.call('POST', '/aip/v1/messages', { token, body: actionEnvelope(action) });
  const known = { id: newId('action') };
  expect((await send('acme', known)).status).toBe(200);
  for (const gateway of [first, second]) {
    const refused = await until('the tenant is refused', async () => {
      const answer = await send('acme', {}, gateway);
      return answer.status === 403 && answer;
    });
    expect(errorOf(refused)).toMatchObject({
      ...REFUSED,
      message:
        'the tenant has stored the 3 records of actions that it may; wait until retention removes older ones, or have the operator raise the limit',
    });
    expect((await send('acme', known, gateway)).status).toBe(200);
    expect((await send('globex', {}, gateway)).status).toBe(200);
  }
});
