import { distinctKeys } from '../../postgres/distinct-keys.js';

/** The rows of one table that wait until they are due, as its index by tenant has them. */
export interface WaitingRows {
  readonly table: string;
  /** The column that names a row within its tenant; tables have `tenant_id` and `seq` too. */
  readonly id: string;
  /** Which rows wait. */
  readonly where: string;
  /** When such a row is due, in milliseconds since the epoch. */
  readonly dueAt: string;
}

/** SQL of a fair claim: the values that it takes. */
export interface FairClaim {
  /** Name of the common table expression with id and `tenant_id` of what is claimed. */
  readonly name: string;
  readonly now: string;
  /** Most rows that are claimed in all. */
  readonly limit: string;
  /** What of `limit` is left for these rows; default: all. */
  readonly left?: string;
  /** What the process runs already: two arrays, tenants (empty outside every tenant) and numbers. */
  readonly running: readonly [tenants: string, numbers: string];
  /** How many of one tenant may run; default: no bound. */
  readonly room?: string;
}

const TENANT = `COALESCE(tenant_id, '')`;

const tenantsOf = ({ table, where }: WaitingRows): string =>
  distinctKeys({ name: 'tenants', table, key: TENANT, where });

/**
 * Common table expressions, to begin with WITH RECURSIVE, which lock due rows of each tenant in turn, first of those that run least, past rows
 * that another process is taking. A tenant's backlog is never read past its turn.
 */
export function fairClaim(rows: WaitingRows, { name, now, limit, left = limit, running, room }: FairClaim): string {
  const { table, id, where, dueAt } = rows;
  const [tenants, numbers] = running;
  // Several times the limit is read, since another process may be taking the same.
  const most = `4 * ${limit}::bigint`;
  const ofTenant = room ? `LEAST(GREATEST(${room} - COALESCE(r.running, 0), 0), ${most})` : most;
  // What is due is read once: as a subquery it could be read again for every row, each time past the rows it has locked, and claim more than
  // the limit.
  return `${tenantsOf(rows)}, waiting AS MATERIALIZED (
  SELECT w.* FROM tenants t LEFT JOIN unnest(${tenants}::text[], ${numbers}::bigint[]) AS r(key, running) ON r.key = t.key, LATERAL (
    SELECT d.*, COALESCE(r.running, 0) + row_number() OVER (ORDER BY d.due_at, d.seq) AS turn FROM (
      SELECT ${id}, tenant_id, ${dueAt} AS due_at, seq FROM ${table}
      WHERE ${where} AND ${TENANT} = t.key AND ${dueAt} <= ${now} ORDER BY ${dueAt}, seq LIMIT ${ofTenant}
    ) d
  ) w
  ORDER BY w.turn, w.due_at, w.seq LIMIT ${most}
), ${name} AS MATERIALIZED (
  SELECT c.${id}, c.tenant_id FROM waiting w JOIN ${table} c ON c.${id} = w.${id} AND c.tenant_id IS NOT DISTINCT FROM w.tenant_id
  WHERE ${where} AND ${dueAt} <= ${now}
  ORDER BY w.turn, w.due_at, w.seq LIMIT ${left} FOR UPDATE OF c SKIP LOCKED
)`;
}

/** A statement that gives, as `at`, when the first of the rows is due; null without one. */
export function firstDue(rows: WaitingRows): string {
  return `
WITH RECURSIVE ${tenantsOf(rows)}
SELECT min(w.at) AS at FROM tenants t, LATERAL (
  SELECT ${rows.dueAt} AS at FROM ${rows.table} WHERE ${rows.where} AND ${TENANT} = t.key ORDER BY ${rows.dueAt} LIMIT 1) w`;
}
