import type { Queryable } from '../../postgres/pool.js';
import { DeliveryNotFound } from '../../protocol/errors.js';
import type { CallbackDeliveryList, CallbackDeliveryRecord } from '../../protocol/types.js';
import { type CursorBinding, rowCursors } from '../edge/cursors/list.js';
import type { Identity } from '../edge/identity.js';
import { type Access, authorizeQuery, ofOneTenant, reaches } from '../edge/query-authorization.js';
import { PAGE } from '../edge/query-parameters.js';
import { deliveryChainId } from '../records/receipts/action-chain.js';
import { type ChainRef, readChain, readChains } from '../records/receipts/read-chains.js';
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  type DeliveryStatus,
  decodedDelivery,
  deliveryView,
  type StoredDelivery,
} from './record.js';

/** The filters of the delivery list; absent ones do not filter. */
export interface DeliveryFilters {
  readonly actionId?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly profile?: string | undefined;
  readonly target?: string | undefined;
  readonly tenantId?: string | undefined;
}

/** A page of the delivery list. */
export interface DeliveryListQuery extends DeliveryFilters {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly includeReceipts?: boolean | undefined;
}

// The deliveries of an id, one a tenant.
const READ = `SELECT ${DELIVERY_COLUMNS} FROM runtime.callback_deliveries d WHERE d.delivery_id = $1`;

/**
 * A page of the deliveries that the caller may see, in the order in which they were made (scope callback:read; without a cross-principal
 * scope the caller's own). Throws NotAuthorized, TenantRequired, TenantMismatch, CursorInvalid.
 */
export async function listDeliveries(
  db: Queryable,
  identity: Identity,
  query: DeliveryListQuery,
  nowMs: number,
): Promise<CallbackDeliveryList> {
  const { cursor, limit, includeReceipts, ...filters } = query;
  const { tenantId } = filters;
  const access = authorizeQuery(identity, { object: 'callback', operation: 'read', tenantId }, nowMs);
  const binding: CursorBinding = { operation: 'callback-deliveries', identity, filters: { ...filters } };
  const cursors = await rowCursors(db, binding);
  const after = cursor === undefined ? 0 : cursors.read(cursor);
  const size = Math.min(PAGE.max, Math.max(PAGE.min, limit ?? PAGE.default));
  const { where, values } = conditions(access, filters);
  // The rows behind a position; one more than requested says whether more follow.
  const text = `SELECT ${DELIVERY_COLUMNS} FROM runtime.callback_deliveries d WHERE ${where} AND d.seq > $${values.length + 1}
    ORDER BY d.seq LIMIT $${values.length + 2}`;
  const { rows } = await db.query<DeliveryRow>({ text, values: [...values, after, size + 1] });
  const page = rows.slice(0, size).map(decodedDelivery);
  const chains = includeReceipts ? await readChains(db, page.map(chainOf)) : undefined;
  const last = page.at(-1);
  return {
    deliveries: page.map((each) => deliveryView(each, chains?.(chainOf(each)))),
    ...(last && rows.length > page.length ? { cursor: cursors.write(last.seq) } : {}),
  };
}

/** One delivery that the caller may see. Throws what listDeliveries throws, and DeliveryNotFound. */
export async function findDelivery(
  db: Queryable,
  identity: Identity,
  query: { deliveryId: string; tenantId?: string | undefined; includeReceipts?: boolean | undefined },
  nowMs: number,
): Promise<CallbackDeliveryRecord> {
  const { deliveryId, tenantId } = query;
  const access = authorizeQuery(identity, { object: 'callback', operation: 'read', tenantId }, nowMs);
  const { rows } = await db.query<DeliveryRow>({ name: 'runtime.callbacks.read', text: READ, values: [deliveryId] });
  const reached = rows.filter((row) => reaches(access, { tenantId: row.tenant_id, principalId: row.principal_id }));
  const [found] = ofOneTenant(reached, deliveryId).map(decodedDelivery);
  if (!found) throw new DeliveryNotFound(undefined, { details: { delivery_id: deliveryId } });
  return deliveryView(found, query.includeReceipts ? await readChain(db, chainOf(found)) : undefined);
}

function chainOf({ delivery_id, tenant_id }: StoredDelivery): ChainRef {
  return { chainId: deliveryChainId(delivery_id), tenantId: tenant_id };
}

/** The WHERE clause of what an access and the filters leave, with its values from $1. */
function conditions(access: Access, filters: DeliveryFilters): { where: string; values: unknown[] } {
  const values: unknown[] = [];
  const clauses: string[] = [];
  const equal = (column: string, value: unknown): void => {
    if (value === undefined) return;
    values.push(value);
    clauses.push(`d.${column} = $${values.length}`);
  };
  if (access.tenant === null) clauses.push('d.tenant_id IS NULL');
  else if (access.tenant !== 'any') equal('tenant_id', access.tenant);
  if (access.principals !== 'any') {
    values.push(access.principals);
    clauses.push(`d.principal_id = ANY($${values.length})`);
  }
  equal('action_id', filters.actionId);
  equal('status', filters.status);
  equal('profile', filters.profile);
  equal('target', filters.target);
  return { where: clauses.length === 0 ? 'true' : clauses.join(' AND '), values };
}
