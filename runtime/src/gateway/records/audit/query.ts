import type { Queryable } from '../../../postgres/pool.js';
import { parseJson, plainJson } from '../../../protocol/json.js';
import { parseTime } from '../../../protocol/time.js';
import type { AuditEvent, AuditQueryResult, ReceiptChain } from '../../../protocol/types.js';
import type { Identity } from '../../edge/identity.js';
import { equals, openValues, reachedRows } from '../../edge/lists/conditions.js';
import { type CursorBinding, listCursors } from '../../edge/lists/cursors.js';
import { pageRows, withinBytes } from '../../edge/lists/page.js';
import { type Access, authorizeQuery, reaches, seesSensitive } from '../../edge/query-authorization.js';
import { ownedChains } from '../receipts/read-chains.js';

/** Scopes with which a query that names no principal covers those of others. */
const CROSS_PRINCIPAL = ['audit:read:any', 'audit:export', 'audit:export:any', 'principal:read:any', '*'];

/** The filters of an audit query; absent ones do not filter. Times are RFC 3339, both ends included. */
export interface AuditFilters {
  readonly actionId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly principalId?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly transactionId?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** A page of audit events. */
export interface AuditQuery extends AuditFilters {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly includeReceipts?: boolean | undefined;
  /** Includes the receipts and needs the right to export, as includeReceipts does. */
  readonly export?: boolean | undefined;
}

interface AuditRow {
  readonly xid: string;
  readonly seq: number;
  /** No event that is not committed yet can come before it. */
  readonly settled: boolean;
  readonly record: string;
}

/**
 * A page of the audit events that the caller may see, in the order in which they were written (scope audit:read, or audit:export with
 * receipts). Without a cross-principal scope it is narrowed to the caller's own. Data is left out of events and receipts for readers
 * without a sensitive scope. Throws `audit.not_authorized`, `auth.tenant_required`, `auth.tenant_mismatch`, CursorInvalid.
 */
export async function queryAudit(
  db: Queryable,
  identity: Identity,
  query: AuditQuery,
  nowMs: number,
): Promise<AuditQueryResult> {
  const { cursor, limit, includeReceipts, export: exports, ...filters } = query;
  const exported = exports === true || includeReceipts === true;
  const access = accessOf(identity, filters, exported, nowMs);
  const binding: CursorBinding = { operation: 'audit', identity, filters: { ...filters, exported } };
  const cursors = await listCursors(db, binding);
  const after = cursor === undefined ? START : positionOf(cursors.read(cursor));
  const size = pageRows(limit);
  const found = await readPage(db, access, filters, after, size + 1);
  const fitting = withinBytes(found.slice(0, size), ({ record }) => Buffer.byteLength(record));
  const rows = fitting.length < found.length ? pageOf(fitting) : fitting;
  const events = rows.map(({ record }) => parseJson(record) as AuditEvent);
  const chains = exported ? await chainsOf(db, access, events) : [];
  const last = rows.at(-1);
  const shown = seesSensitive(identity, 'audit');
  return {
    events: shown ? events : events.map(({ data: _data, ...event }) => event),
    ...(chains.length > 0 && { receipt_chains: shown ? chains : chains.map(withoutData) }),
    ...(last && found.length > rows.length ? { cursor: cursors.write(`${last.xid}-${last.seq}`) } : {}),
  };
}

/** What a query may touch: principals of others only with a cross-principal scope, or by a live grant for the one it names. */
function accessOf(identity: Identity, filters: AuditFilters, exported: boolean, nowMs: number): Access {
  const { principalId, tenantId } = filters;
  const operation = exported ? 'export' : 'read';
  const own = `audit:${operation}`;
  const holds = [own, `${own}:any`, '*'].some((scope) => identity.scopes.has(scope));
  const crosses = holds && CROSS_PRINCIPAL.some((scope) => identity.scopes.has(scope));
  const named = crosses ? {} : { principalId: principalId ?? identity.principal.id };
  const access = authorizeQuery(identity, { object: 'audit', operation, tenantId, ...named }, nowMs);
  if (!crosses) return access;
  return { ...access, principals: principalId === undefined ? 'any' : [principalId] };
}

interface Position {
  readonly xid: string;
  readonly seq: number;
}

const START: Position = { xid: '0', seq: 0 };

function positionOf(text: string): Position {
  const [xid, seq] = text.split('-');
  return { xid: xid as string, seq: Number(seq) };
}

// The events behind a position; those that are settled stand before everything that may still be committed. They are in two tables, with
// numbers of one sequence; each is read in its own order.
async function readPage(
  db: Queryable,
  access: Access,
  filters: AuditFilters,
  after: Position,
  limit: number,
): Promise<AuditRow[]> {
  const { values, bind } = openValues();
  const { actionId: action_id, sessionId: session_id, transactionId: transaction_id, from, to } = filters;
  const clauses = [
    `(a.xid, a.seq) > (${bind(after.xid)}::text::xid8, ${bind(after.seq)}::bigint)`,
    ...reachedRows('a', access, bind),
    ...equals('a', { action_id, session_id }, bind),
  ];
  if (from !== undefined) clauses.push(`a.occurred_at >= ${bind(parseTime(from))}`);
  if (to !== undefined) clauses.push(`a.occurred_at <= ${bind(parseTime(to))}`);
  const rows = bind(limit);
  const rowsOf = (table: string, record: string, further: readonly string[]): string => `(
    SELECT a.xid, a.seq, ${record} AS record FROM ${table} a
    WHERE ${[...clauses, ...further].join(' AND ')} ORDER BY a.xid, a.seq LIMIT ${rows})`;
  const tables = [rowsOf('runtime.audit', 'a.record', equals('a', { transaction_id }, bind))];
  // Results of transactions are in the table of audit events.
  if (transaction_id === undefined) {
    const ended = (id: string): string =>
      `a.xid IN (SELECT t.ended_xid FROM runtime.actions t WHERE t.action_id = ${bind(id)})`;
    tables.push(
      rowsOf('runtime.events', 'a.audit', [
        'a.audit IS NOT NULL',
        ...(action_id === undefined ? [] : [ended(action_id)]),
      ]),
    );
  }
  const text = `SELECT l.xid::text AS xid, l.seq, l.xid < pg_snapshot_xmin(pg_current_snapshot()) AS settled, l.record::text AS record
    FROM (${tables.join(' UNION ALL ')}) l ORDER BY l.xid, l.seq LIMIT ${rows}`;
  return (await db.query<AuditRow>({ text, values })).rows;
}

/**
 * The part of a page that a cursor may stand behind: what commits late would be passed over behind an event that is not settled. A page
 * without a settled event is kept whole, so that a reader makes progress.
 */
function pageOf(rows: readonly AuditRow[]): readonly AuditRow[] {
  const settled = rows.filter((row) => row.settled);
  return settled.length > 0 ? settled : rows;
}

/** The receipt chains that the events name, as far as the caller's access reaches. */
async function chainsOf(db: Queryable, access: Access, events: readonly AuditEvent[]): Promise<ReceiptChain[]> {
  const ids = new Set(events.map(chainIdOf).filter((id) => id !== undefined));
  const chains = await ownedChains(db, [...ids]);
  return chains.filter(({ owner }) => reaches(access, owner)).map(({ chain }) => chain);
}

function chainIdOf({ data }: AuditEvent): string | undefined {
  const { chain_id, receipt_chain_id } = (plainJson(data) ?? {}) as Record<string, unknown>;
  const id = chain_id ?? receipt_chain_id;
  return typeof id === 'string' ? id : undefined;
}

function withoutData(chain: ReceiptChain): ReceiptChain {
  return { ...chain, receipts: chain.receipts.map(({ data: _data, ...receipt }) => receipt) };
}
