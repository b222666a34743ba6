import type { ActionList, ActionResult, ActionStatus, Capability, ReceiptChain } from '../protocol/types.js';
import type { Gateway } from './gateway.js';
import { checkId } from './ids.js';

/** States in which an action stays (docs/protocol/actions.md#states). */
export const TERMINAL_STATES: ReadonlySet<string> = new Set([
  'completed',
  'failed',
  'cancelled',
  'expired',
  'dead_lettered',
]);

/** Filters of the action list; the server decides what of it the caller may see. */
export interface ActionFilter {
  state?: string | undefined;
  capability_id?: string | undefined;
  session_id?: string | undefined;
  principal_id?: string | undefined;
  approval_id?: string | undefined;
  transaction_id?: string | undefined;
  /** The gateway's own order is `oldest` first. */
  order?: 'oldest' | 'newest' | undefined;
  /** A cursor that this same list printed; sent back as it is. */
  cursor?: string | undefined;
  limit?: number | undefined;
  include_results?: boolean | undefined;
}

/** Page of the tenant's capabilities. */
export interface CapabilityPage {
  catalog_revision: number;
  capabilities: { capability: Capability; contract_digest?: string; schema_digest?: string }[];
  next_cursor: string | null;
  total: number;
}

const pathOf = (id: string, rest = ''): string => `/aip/v1/actions/${encodeURIComponent(checkId('action', id))}${rest}`;

/** One page of actions, in the order in which they were accepted. */
export async function listActions(gateway: Gateway, filter: ActionFilter = {}): Promise<ActionList> {
  if (filter.session_id !== undefined) checkId('session', filter.session_id);
  if (filter.approval_id !== undefined) checkId('approval', filter.approval_id);
  if (filter.transaction_id !== undefined) checkId('transaction', filter.transaction_id);
  return (await gateway.request({ path: '/aip/v1/actions', query: { ...filter } })) as ActionList;
}

/** The present view of an action; an unknown id has state `unknown`. */
export async function getAction(
  gateway: Gateway,
  id: string,
  include: { result?: boolean; receipts?: boolean; chunks?: boolean } = {},
): Promise<ActionStatus> {
  return (await gateway.request({
    path: pathOf(id),
    query: {
      include_result: include.result || undefined,
      include_receipts: include.receipts || undefined,
      include_chunks: include.chunks || undefined,
    },
  })) as ActionStatus;
}

/** The terminal result; GatewayRefused action.result_not_ready before the end. */
export async function getResult(gateway: Gateway, id: string): Promise<ActionResult> {
  return (await gateway.request({ path: pathOf(id, '/result') })) as ActionResult;
}

/** Requests cancellation; the answer does not prove that an effect at the provider was reversed. */
export async function cancelAction(gateway: Gateway, id: string, reason?: string): Promise<ActionResult> {
  const body = reason === undefined ? {} : { reason };
  return (await gateway.request({ method: 'POST', path: pathOf(id, '/cancel'), body })) as ActionResult;
}

/** The receipt chain of an action. The receipt routes take no tenant: that of a named one is read with its action. */
export async function getReceipts(gateway: Gateway, id: string): Promise<ReceiptChain> {
  checkId('action', id);
  if (gateway.tenantId !== undefined) {
    const { receipt_chain: chain } = await getAction(gateway, id, { receipts: true });
    if (chain) return chain;
  }
  return (await gateway.request({ path: `/aip/v1/receipts/${encodeURIComponent(`action:${id}`)}` })) as ReceiptChain;
}

/** One page of the tenant's capability catalog. */
export async function listCapabilities(
  gateway: Gateway,
  filter: { capability_id?: string; text?: string; profile?: string; cursor?: string; limit?: number } = {},
): Promise<CapabilityPage> {
  return (await gateway.request({ path: '/aip/v1/capabilities', query: { ...filter } })) as CapabilityPage;
}
