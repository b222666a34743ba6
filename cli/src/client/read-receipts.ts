import type { Gateway } from '@aip/runtime/internal/gateway';
import type { ReceiptChain } from '@aip/runtime/internal/protocol';
import { read, segment } from './read.js';
import { type NamedKind, resolveId } from './resolve-id.js';

/** Chains by what they are about: how their ids begin, how those of their objects do, and the route of an object. */
const CHAINS: readonly { chain: string; object: string; kind: NamedKind; route: string }[] = [
  { chain: 'action:', object: 'act_', kind: 'action', route: 'actions' },
  { chain: 'approval:', object: 'appr_', kind: 'approval', route: 'approvals' },
  { chain: 'transaction:', object: 'txn_', kind: 'transaction', route: 'transactions' },
  { chain: 'callback:', object: 'cb:', kind: 'delivery', route: 'callback-deliveries' },
];

/**
 * The chain that a user means by its id, a receipt of it, or what it is about; each may be shortened. The receipt routes take no tenant: where
 * one is named, the chain is read with its object. Throws UsageError, IdInvalid.
 */
export async function readReceipts(gateway: Gateway, text: string): Promise<ReceiptChain> {
  const chainAt = (place: string) => read<ReceiptChain>(gateway, `/aip/v1/receipts/${place}`);
  if (text.startsWith('rcpt_')) return chainAt(`by-receipt/${segment(await resolveId(gateway, 'receipt', text))}`);
  for (const { chain, object, kind, route } of CHAINS) {
    const id = text.startsWith(chain) ? text.slice(chain.length) : text;
    if (!id.startsWith(object)) continue;
    const found = await resolveId(gateway, kind, id);
    if (gateway.tenantId !== undefined) {
      const path = `/aip/v1/${route}/${segment(found)}`;
      const { receipt_chain: own } = await read<{ receipt_chain?: ReceiptChain }>(gateway, path, {
        include_receipts: true,
      });
      if (own) return own;
    }
    return chainAt(segment(`${chain}${found}`));
  }
  return chainAt(segment(text));
}
