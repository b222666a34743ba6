import type { Queryable } from '../../postgres/pool.js';
import { AipError } from '../../protocol/errors.js';
import type { CallbackDeliveryList, CallbackDeliveryRecord } from '../../protocol/types.js';
import type { Identity } from '../edge/identity.js';
import { equals, openValues, reachedRows } from '../edge/lists/conditions.js';
import { type CursorBinding, rowCursors } from '../edge/lists/cursors.js';
import { pageRows } from '../edge/lists/page.js';
import { authorizeQuery, ofOneTenant, reaches } from '../edge/query-authorization.js';
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
 * scope the caller's own). Throws NotAuthorized, `auth.tenant_required`, `auth.tenant_mismatch`, CursorInvalid.
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
  const size = pageRows(limit);
  const { values, bind } = openValues();
  const { actionId: action_id, status, profile, target } = filters;
  const clauses = [
    ...reachedRows('d', access, bind),
    ...equals('d', { action_id, status, profile, target }, bind),
    `d.seq > ${bind(after)}`,
  ];
  // One row more than requested says whether more follow.
  const text = `SELECT ${DELIVERY_COLUMNS} FROM runtime.callback_deliveries d WHERE ${clauses.join(' AND ')}
    ORDER BY d.seq LIMIT ${bind(size + 1)}`;
  const { rows } = await db.query<DeliveryRow>({ text, values });
  const page = rows.slice(0, size).map(decodedDelivery);
  const chains = includeReceipts ? await readChains(db, page.map(chainOf)) : undefined;
  const last = page.at(-1);
  return {
    deliveries: page.map((each) => deliveryView(each, chains?.(chainOf(each)))),
    ...(last && rows.length > page.length ? { cursor: cursors.write(last.seq) } : {}),
  };
}

/** One delivery that the caller may see. Throws what listDeliveries throws, and `callback.delivery_not_found`. */
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
  if (!found) throw new AipError('callback.delivery_not_found', undefined, { details: { delivery_id: deliveryId } });
  return deliveryView(found, query.includeReceipts ? await readChain(db, chainOf(found)) : undefined);
}

function chainOf({ delivery_id, tenant_id }: StoredDelivery): ChainRef {
  return { chainId: deliveryChainId(delivery_id), tenantId: tenant_id };
}
