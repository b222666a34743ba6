import type { Gateway } from '@aip/runtime/internal/gateway';
import { segment } from './read.js';
import { type NamedKind, resolveId } from './resolve-id.js';

/** Chains by what they are about: how their ids begin, and how those of their objects do. */
const CHAINS: readonly { chain: string; object: string; kind: NamedKind }[] = [
  { chain: 'action:', object: 'act_', kind: 'action' },
  { chain: 'approval:', object: 'appr_', kind: 'approval' },
  { chain: 'transaction:', object: 'txn_', kind: 'transaction' },
  { chain: 'callback:', object: 'cb:', kind: 'delivery' },
];

/** Path of the chain that a user means by its id, a receipt of it, or what it is about; each may be shortened. Throws UsageError, IdInvalid. */
export async function receiptPath(gateway: Gateway, text: string): Promise<string> {
  if (text.startsWith('rcpt_'))
    return `/aip/v1/receipts/by-receipt/${segment(await resolveId(gateway, 'receipt', text))}`;
  for (const { chain, object, kind } of CHAINS) {
    const id = text.startsWith(chain) ? text.slice(chain.length) : text;
    if (!id.startsWith(object)) continue;
    return `/aip/v1/receipts/${segment(`${chain}${await resolveId(gateway, kind, id)}`)}`;
  }
  return `/aip/v1/receipts/${segment(text)}`;
}
