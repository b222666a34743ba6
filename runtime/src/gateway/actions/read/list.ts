import type { Queryable } from '../../../postgres/pool.js';
import { MAX_TOTAL_SIZE } from '../../../protocol/limits.js';
import type { ActionList } from '../../../protocol/types.js';
import type { Identity } from '../../edge/identity.js';
import { equals, openValues, reachedRows } from '../../edge/lists/conditions.js';
import { type CursorBinding, rowCursors } from '../../edge/lists/cursors.js';
import { pageRows, withinBytes } from '../../edge/lists/page.js';
import { type Access, authorizeQuery } from '../../edge/query-authorization.js';
import { actionChainId } from '../../records/receipts/action-chain.js';
import { type ChainRef, readChains } from '../../records/receipts/read-chains.js';
import { ACTION_COLUMNS, type StoredActionRecord } from '../record/columns.js';
import { decodeAction } from '../record/read.js';
import type { ActionRecord } from '../record/record.js';
import { settledLeases } from '../record/settled-leases.js';
import { type ActionState, isTerminal, LIVE_STATES, TERMINAL_STATES } from '../record/states.js';
import { actionView } from './view.js';

/** The filters of the action list; absent ones do not filter. */
export interface ActionFilters {
  readonly state?: ActionState | 'unknown' | undefined;
  readonly capabilityId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly principalId?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly approvalId?: string | undefined;
  readonly transactionId?: string | undefined;
}

/** Whether a list begins with the oldest or the newest rows. */
export type ListOrder = 'oldest' | 'newest';

/** A page of the action list. */
export interface ListQuery extends ActionFilters {
  /** Order of acceptance; by default the oldest come first. */
  readonly order?: ListOrder | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly includeResults?: boolean | undefined;
  readonly includeReceipts?: boolean | undefined;
}

/**
 * A page of the actions that the caller may see, in the order in which they were accepted (scope action:read; without a
 * cross-principal scope the caller's own). Throws NotAuthorized, `auth.tenant_required`, `auth.tenant_mismatch`, CursorInvalid.
 */
export async function listActions(
  db: Queryable,
  identity: Identity,
  query: ListQuery,
  nowMs: number,
): Promise<ActionList> {
  const { cursor, limit, order = 'oldest', includeResults, includeReceipts, ...filters } = query;
  const { principalId, tenantId } = filters;
  const access = authorizeQuery(identity, { object: 'action', operation: 'read', principalId, tenantId }, nowMs);
  const binding: CursorBinding = {
    operation: 'actions',
    identity,
    filters: { ...filters, ...(order === 'oldest' ? {} : { order }) },
  };
  const cursors = await rowCursors(db, binding);
  const after = cursor === undefined ? undefined : cursors.read(cursor);
  const size = pageRows(limit);
  const { where, values } = conditions(access, filters, await openActions(db, filters));
  const total = await countActions(db, where, values);
  const found = await pageOf(db, { where, values }, order, after, size + 1);
  const rows = withinBytes(found.slice(0, size), bytesOf);
  const records = rows.map(decodeAction);
  const chains = includeReceipts ? await readChains(db, records.map(chainOf)) : undefined;
  const last = records.at(-1);
  return {
    actions: records.map((record) =>
      actionView(record, {
        includeResult: includeResults,
        receiptChain: chains?.(chainOf(record)),
      }),
    ),
    total_size: total,
    ...(last && found.length > rows.length ? { cursor: cursors.write(last.seq) } : {}),
  };
}

function chainOf({ action_id, tenant_id }: ActionRecord): ChainRef {
  return { chainId: actionChainId(action_id), tenantId: tenant_id };
}

/** The WHERE clause of what an access and the filters leave, with its values from $1. */
function conditions(
  access: Access,
  filters: ActionFilters,
  open: readonly string[],
): { where: string; values: unknown[] } {
  const { values, bind } = openValues();
  const clauses = [...reachedRows('a', access, bind), ...open];
  if (filters.state !== undefined) clauses.push(inState(filters.state));
  const { capabilityId: capability_id, sessionId: session_id, approvalId: approval_id } = filters;
  const columns = { capability_id, session_id, approval_id, transaction_id: filters.transactionId };
  clauses.push(...equals('a', columns, bind));
  return { where: clauses.length === 0 ? 'true' : clauses.join(' AND '), values };
}

/** The state as a literal of ours: a plan that is made once for all values cannot use an index of some states. */
function inState(wanted: string): string {
  const state = [...LIVE_STATES, ...TERMINAL_STATES].find((each) => each === wanted);
  if (state === undefined) return 'false';
  if (state === 'completed') return `a.state = 'completed'`;
  return isTerminal(state) ? `a.unsuccessful_state = '${state}'` : `a.state = '${state}' AND a.completed_at IS NULL`;
}

/** What finds the actions of a live state by an index: each has a lease or waits for a worker, unless it waits for an approval. */
async function openActions(db: Queryable, { state: wanted }: ActionFilters): Promise<string[]> {
  const state = LIVE_STATES.find((each) => each === wanted);
  if (state === undefined || state === 'pending_approval') return [];
  return [`(a.lease_expires_at > ${await settledLeases(db)} OR a.next_attempt_at IS NOT NULL)`];
}

// How many actions the filters leave before paging, up to MAX_TOTAL_SIZE.
async function countActions(db: Queryable, where: string, values: unknown[]): Promise<number> {
  const { rows } = await db.query<{ total: number }>({
    text: `SELECT count(*) AS total FROM (SELECT FROM runtime.actions a WHERE ${where} LIMIT ${MAX_TOTAL_SIZE}) AS counted`,
    values,
  });
  return rows[0]?.total ?? 0;
}

/** The comparison with the last position, the order, and the position before the first row. */
const ORDERS = {
  oldest: { behind: '>', by: 'ASC', start: 0 },
  newest: { behind: '<', by: 'DESC', start: Number.MAX_SAFE_INTEGER },
} as const;

// The rows behind a position, in the order of acceptance or against it.
async function pageOf(
  db: Queryable,
  { where, values }: { where: string; values: unknown[] },
  order: ListOrder,
  after: number | undefined,
  limit: number,
): Promise<StoredActionRecord[]> {
  const { behind, by, start } = ORDERS[order];
  const text = `SELECT ${ACTION_COLUMNS} FROM runtime.actions a WHERE ${where} AND a.seq ${behind} $${values.length + 1}
    ORDER BY a.seq ${by} LIMIT $${values.length + 2}`;
  return (await db.query<StoredActionRecord>({ text, values: [...values, after ?? start, limit] })).rows;
}

function bytesOf({ request, result }: StoredActionRecord): number {
  return request.length + (result?.length ?? 0);
}
