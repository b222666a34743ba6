import type { Queryable } from '../../../postgres/pool.js';
import { AipError } from '../../../protocol/errors.js';
import type { ReceiptChain } from '../../../protocol/types.js';
import type { Identity } from '../../edge/identity.js';
import { authorizeQuery, ofOneTenant, reaches } from '../../edge/query-authorization.js';
import { chainsOfReceipt, ownedChains, submittedChains } from './read-chains.js';

/**
 * The receipt chain that a caller requests by its id or by one of its receipts (scope receipt:read, owner, tenant).
 * Throws `query.conflict` unless exactly one selector is given, NotAuthorized, and `receipt.not_found` also when the caller
 * may not see the chain, and QueryInvalid for an id that several tenants of the caller's reach use.
 */
export async function findChain(
  db: Queryable,
  identity: Identity,
  selector: { chainId?: string | undefined; receiptId?: string | undefined },
  nowMs: number,
): Promise<ReceiptChain> {
  if ((selector.chainId === undefined) === (selector.receiptId === undefined)) throw new AipError('query.conflict');
  const access = authorizeQuery(identity, { object: 'receipt', operation: 'read' }, nowMs);
  const { chainId, receiptId } = selector;
  const own = await ownedChains(db, chainId === undefined ? await chainsOfReceipt(db, receiptId as string) : [chainId]);
  const chains = [...own, ...(await submittedChains(db, access, selector))];
  const reached = chains.filter(
    ({ chain, owner }) =>
      reaches(access, owner) && (receiptId === undefined || chain.receipts.some(({ id }) => id === receiptId)),
  );
  const named = reached.map(({ chain, owner }) => ({ chain, tenant_id: owner.tenantId }));
  const [found] = ofOneTenant(named, chainId ?? (receiptId as string));
  if (!found) throw new AipError('receipt.not_found');
  return found.chain;
}
