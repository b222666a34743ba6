import { afterAll, beforeAll, expect, test } from 'vitest';
import { actionChainId, approvalChainId, type ReceiptFact } from '#runtime/gateway/records/receipts/action-chain.js';
import { appendReceipts } from '#runtime/gateway/records/receipts/append.js';
import { readChain } from '#runtime/gateway/records/receipts/read-chains.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import { actionsOverFreshDatabase, type TestGateway } from '../../support/actions.ts';

const OWNER = { tenantId: 'acme', principalId: 'user:ana' };
const ACTOR = { id: 'user:ana', kind: 'human' } as const;

let gateway: TestGateway;
let end: () => Promise<void>;
beforeAll(async () => {
  ({ gateway, end } = await actionsOverFreshDatabase([]));
});
afterAll(() => end?.());

const fact = (chainId: string, type: ReceiptFact['type'], atMs: number): ReceiptFact => ({
  chainId,
  subject: chainId,
  type,
  actor: ACTOR,
  atMs,
});
const append = (facts: ReceiptFact[], owner = OWNER) =>
  gateway.pool.tx((client) => appendReceipts(client, owner, facts));
const chain = (id: string, { tenantId } = OWNER) => readChain(gateway.pool, { chainId: id, tenantId });

test('a receipt that its chain has already is not appended again, and the chain continues after it', async () => {
  const id = approvalChainId('appr_1');
  const [requested, approved] = [fact(id, 'approval_requested', 1000), fact(id, 'approval_granted', 2000)];
  await append([requested]);
  const first = await chain(id);
  await append([requested]);
  await append([{ ...requested, atMs: 5000 }]);
  expect(await chain(id)).toEqual(first);
  await append([requested, approved]);
  const both = await chain(id);
  expect(both?.receipts.map(({ receipt_type }) => receipt_type)).toEqual(['approval_requested', 'approval_granted']);
  expect(both && verifyReceiptChain(both)).toMatchObject({ ok: true });
});

test('chains are kept apart: what one has, another may append', async () => {
  const [one, two] = [actionChainId('act_1'), actionChainId('act_2')];
  await append([fact(one, 'action_accepted', 1000)]);
  await append([fact(two, 'action_accepted', 1000)]);
  for (const id of [one, two]) expect((await chain(id))?.receipts).toHaveLength(1);
});

test('chains of one id in two tenants are each continued from their own last receipt', async () => {
  const other = { tenantId: 'globex', principalId: 'user:bo' };
  const id = approvalChainId('appr_2');
  const [requested, approved] = [fact(id, 'approval_requested', 1000), fact(id, 'approval_granted', 2000)];
  await append([requested, approved]);
  await append([requested], other);
  await append([approved], other);
  for (const owner of [OWNER, other]) {
    const kept = await chain(id, owner);
    expect(kept?.receipts.map(({ receipt_type }) => receipt_type)).toEqual(['approval_requested', 'approval_granted']);
    expect(kept && verifyReceiptChain(kept)).toMatchObject({ ok: true });
    const { rows } = await gateway.pool.query(
      'SELECT position FROM runtime.receipts WHERE chain_id = $1 AND tenant_key = $2 ORDER BY position',
      [id, owner.tenantId],
    );
    expect(rows).toEqual([{ position: 0 }, { position: 1 }]);
  }
});
