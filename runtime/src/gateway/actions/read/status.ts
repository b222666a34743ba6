import type { Queryable } from '../../../postgres/pool.js';
import { type ActionRef, actionRef } from '../../../protocol/content/action-ref.js';
import { AipError } from '../../../protocol/errors.js';
import { parseJson } from '../../../protocol/json.js';
import type { ActionResult, ActionStatus, Event, Receipt } from '../../../protocol/types.js';
import type { Identity } from '../../edge/identity.js';
import { eventsOfAction } from '../../events/log/events-of-action.js';
import { actionChainId } from '../../records/receipts/action-chain.js';
import { readChain } from '../../records/receipts/read-chains.js';
import { isTerminal } from '../record/states.js';
import { readChunks } from './chunks.js';
import { findAction } from './find.js';
import { actionView } from './view.js';

/** Events of an action after which it is over. */
const TERMINAL_KINDS = ['aip.action.result', 'aip.action.cancelled'];

// The events that tell of an action's end.
const TERMINAL_EVENTS = `
SELECT e.record::text AS record FROM ${eventsOfAction('$1', '$3')} e WHERE e.kind = ANY($2) ORDER BY e.xid, e.seq LIMIT 100`;

/** A query for one action's status. */
export interface StatusQuery {
  readonly actionId: string;
  readonly tenantId?: string | undefined;
  readonly includeResult?: boolean | undefined;
  readonly includeReceipts?: boolean | undefined;
  readonly includeChunks?: boolean | undefined;
}

/** The current view of an action; nothing is waited for. Throws what findAction throws. */
export async function actionStatus(
  db: Queryable,
  identity: Identity,
  query: StatusQuery,
  nowMs: number,
): Promise<ActionStatus> {
  const record = await findAction(db, identity, query, nowMs);
  const chainId = actionChainId(record.action_id);
  return actionView(record, {
    includeResult: query.includeResult,
    receiptChain: query.includeReceipts ? await readChain(db, { chainId, tenantId: record.tenant_id }) : undefined,
    chunks: query.includeChunks ? await readChunks(db, actionRef(record)) : undefined,
  });
}

/** A query for one action's result. */
export interface ResultQuery {
  readonly actionId: string;
  readonly tenantId?: string | undefined;
  readonly includeReceipt?: boolean | undefined;
  readonly includeTerminalEvents?: boolean | undefined;
}

/** A result with what D-08 adds to it on request. */
export type ExtendedResult = ActionResult & { receipts?: Receipt[]; terminal_events?: Event[] };

/**
 * The terminal result of an action; nothing is waited for. Throws `action.result_not_ready` before the end, `action.gone` when an
 * expired action has none, and what findAction throws.
 */
export async function actionResult(
  db: Queryable,
  identity: Identity,
  query: ResultQuery,
  nowMs: number,
): Promise<ExtendedResult> {
  return (await ownedResult(db, identity, query, nowMs)).result;
}

/** As actionResult, with the tenant of the action. */
export async function ownedResult(
  db: Queryable,
  identity: Identity,
  query: ResultQuery,
  nowMs: number,
): Promise<{ readonly result: ExtendedResult; readonly tenantId: string | null }> {
  const record = await findAction(db, identity, query, nowMs);
  if (!isTerminal(record.state)) throw new AipError('action.result_not_ready');
  if (!record.result) throw new AipError('action.gone');
  const chainId = actionChainId(record.action_id);
  const chain = query.includeReceipt ? await readChain(db, { chainId, tenantId: record.tenant_id }) : undefined;
  const last = chain?.receipts.at(-1);
  const { receipt: _stored, ...plain } = record.result;
  const result = {
    ...(query.includeReceipt === false ? plain : record.result),
    ...(chain && last?.hash !== undefined && { receipt: { id: last.id, hash: last.hash }, receipts: chain.receipts }),
    ...(query.includeTerminalEvents && { terminal_events: await terminalEvents(db, actionRef(record)) }),
  };
  return { result, tenantId: record.tenant_id };
}

async function terminalEvents(db: Queryable, { actionId, tenantId }: ActionRef): Promise<Event[]> {
  const { rows } = await db.query<{ record: string }>({
    name: 'runtime.events.terminal',
    text: TERMINAL_EVENTS,
    values: [actionId, TERMINAL_KINDS, tenantId],
  });
  return rows.map((row) => parseJson(row.record) as Event);
}
