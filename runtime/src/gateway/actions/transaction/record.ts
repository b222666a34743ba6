import type { Queryable } from '../../../postgres/pool.js';
import { parseJson } from '../../../protocol/json.js';
import type {
  Action,
  ActionResult,
  ActionTransaction,
  ProviderOperationRef,
  TransactionPlan,
} from '../../../protocol/types.js';

/** The durable states of a transaction (docs/protocol/records.md#transactions). */
export const TRANSACTION_STATUSES = [
  'dry_run_completed',
  'planned',
  'prepared',
  'committing',
  'committed',
  'compensating',
  'compensated',
  'rollback_not_supported',
  'failed',
  'outcome_unknown',
  'reconciling',
  'reconciled',
] as const;

export type DurableStatus = (typeof TRANSACTION_STATUSES)[number];
export type TransactionMode = ActionTransaction['mode'];

/** One row of runtime.transactions. Times in ms since the epoch. */
export interface TransactionRecord {
  readonly tenant_key: string;
  readonly transaction_id: string;
  readonly tenant_id: string | null;
  readonly principal_id: string;
  readonly principal_kind: string;
  /** The action that planned it, or that holds it since. */
  readonly action_id: string;
  readonly capability_id: string;
  readonly mode: TransactionMode;
  readonly status: DurableStatus;
  /** The action whose effect it is about, as it was submitted. */
  readonly request: Action;
  readonly plan: TransactionPlan | null;
  readonly plan_id: string | null;
  readonly plan_expires_at: number | null;
  readonly result: ActionResult | null;
  /** Whether the provider has the effect, once that is known. */
  readonly effect: boolean | null;
  readonly provider_operation: ProviderOperationRef | null;
  readonly reconciliation_cursor: string | null;
  /** The earliest automatic reconciliation; null: none. */
  readonly reconcile_after: number | null;
  readonly reconcile_action_id: string | null;
  readonly reconcile_attempts: number;
  readonly compensation_for: string | null;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A row as the database gives it: documents are still text. */
type Stored = Omit<TransactionRecord, 'request' | 'plan' | 'result' | 'provider_operation'> & {
  readonly request: string;
  readonly plan: string | null;
  readonly result: string | null;
  readonly provider_operation: string | null;
};

const COLUMNS = `t.tenant_key, t.transaction_id, t.tenant_id, t.principal_id, t.principal_kind, t.action_id, t.capability_id, t.mode,
  t.status, t.request::text AS request, t.plan::text AS plan, t.plan_id, t.plan_expires_at, t.result::text AS result, t.effect,
  t.provider_operation::text AS provider_operation, t.reconciliation_cursor, t.reconcile_after, t.reconcile_action_id,
  t.reconcile_attempts, t.compensation_for, t.revision, t.created_at, t.updated_at`;

// One transaction of a tenant; locked where it is about to change.
const READ = `SELECT ${COLUMNS} FROM runtime.transactions t WHERE t.tenant_key = $1 AND t.transaction_id = $2`;

// The transaction of a plan of a tenant.
const READ_BY_PLAN = `SELECT ${COLUMNS} FROM runtime.transactions t WHERE t.tenant_key = $1 AND t.plan_id = $2`;

/** The part of a transaction's key that names its tenant. */
export function tenantKeyOf(tenantId: string | null | undefined): string {
  return tenantId ?? '';
}

/** Reads one transaction of a tenant; `lock` keeps it from changing until the transaction of `db` ends. */
export async function readTransaction(
  db: Queryable,
  tenantId: string | null,
  transactionId: string,
  lock = false,
): Promise<TransactionRecord | undefined> {
  const { rows } = await db.query<Stored>({
    name: lock ? 'runtime.transactions.lock' : 'runtime.transactions.read',
    text: lock ? `${READ} FOR UPDATE` : READ,
    values: [tenantKeyOf(tenantId), transactionId],
  });
  return rows[0] && decoded(rows[0]);
}

/** Reads the transaction of a plan of a tenant. */
export async function readTransactionOfPlan(
  db: Queryable,
  tenantId: string | null,
  planId: string,
): Promise<TransactionRecord | undefined> {
  const { rows } = await db.query<Stored>({
    name: 'runtime.transactions.by_plan',
    text: READ_BY_PLAN,
    values: [tenantKeyOf(tenantId), planId],
  });
  return rows[0] && decoded(rows[0]);
}

/** Reads transactions by a condition over the table's alias `t`, for the statement of this name. */
export async function readTransactions(
  db: Queryable,
  name: string,
  condition: string,
  values: readonly unknown[],
): Promise<TransactionRecord[]> {
  const text = `SELECT ${COLUMNS} FROM runtime.transactions t WHERE ${condition}`;
  const { rows } = await db.query<Stored>({ name, text, values });
  return rows.map(decoded);
}

// Writes every member of a row that may change; a row with another revision is left as it is.
const UPDATE = `
UPDATE runtime.transactions SET action_id = $4, capability_id = $5, mode = $6, status = $7, request = $8::json, plan = $9::json,
  plan_id = $10, plan_expires_at = $11, result = $12::json, effect = $13, provider_operation = $14::json,
  reconciliation_cursor = $15, reconcile_after = $16, reconcile_action_id = $17, reconcile_attempts = $18, compensation_for = $19,
  revision = revision + 1, updated_at = $20
WHERE tenant_key = $1 AND transaction_id = $2 AND revision = $3`;

const INSERT = `
INSERT INTO runtime.transactions (tenant_key, transaction_id, revision, action_id, capability_id, mode, status, request, plan,
  plan_id, plan_expires_at, result, effect, provider_operation, reconciliation_cursor, reconcile_after, reconcile_action_id,
  reconcile_attempts, compensation_for, updated_at, tenant_id, principal_id, principal_kind, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8::json, $9::json, $10, $11, $12::json, $13, $14::json, $15, $16, $17, $18, $19, $20, $21, $22,
  $23, $24)`;

/** What changes of a transaction, whose row is locked. */
export type TransactionChange = Partial<
  Omit<
    TransactionRecord,
    'tenant_key' | 'transaction_id' | 'tenant_id' | 'principal_id' | 'principal_kind' | 'revision'
  >
>;

/** Writes a change of a locked row and returns the row as it is now. Throws when the row was changed meanwhile. */
export async function updateTransaction(
  client: Queryable,
  record: TransactionRecord,
  change: TransactionChange,
): Promise<TransactionRecord> {
  const next = { ...record, ...change };
  const written = await client.query({ name: 'runtime.transactions.update', text: UPDATE, values: shared(next) });
  if (written.rowCount !== 1) throw new Error(`the transaction ${record.transaction_id} was changed meanwhile`);
  return { ...next, revision: record.revision + 1 };
}

/** Writes a new row. A transaction, plan or compensation of the same name makes the statement fail. */
export async function insertTransaction(client: Queryable, record: TransactionRecord): Promise<void> {
  const values = [...shared(record), record.tenant_id, record.principal_id, record.principal_kind, record.created_at];
  await client.query({ name: 'runtime.transactions.insert', text: INSERT, values });
}

function shared(record: TransactionRecord): unknown[] {
  return [
    record.tenant_key,
    record.transaction_id,
    record.revision,
    record.action_id,
    record.capability_id,
    record.mode,
    record.status,
    JSON.stringify(record.request),
    jsonOrNull(record.plan),
    record.plan_id,
    record.plan_expires_at,
    jsonOrNull(record.result),
    record.effect,
    jsonOrNull(record.provider_operation),
    record.reconciliation_cursor,
    record.reconcile_after,
    record.reconcile_action_id,
    record.reconcile_attempts,
    record.compensation_for,
    record.updated_at,
  ];
}

function jsonOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

function decoded(row: Stored): TransactionRecord {
  const document = <T>(text: string | null): T | null => (text === null ? null : (parseJson(text) as T));
  return {
    ...row,
    request: parseJson(row.request) as Action,
    plan: document<TransactionPlan>(row.plan),
    result: document<ActionResult>(row.result),
    provider_operation: document<ProviderOperationRef>(row.provider_operation),
  };
}

/** Who a new transaction belongs to: the action that begins it, as far as the row keeps it. */
export type TransactionOwner = Pick<TransactionRecord, 'tenant_id' | 'principal_id' | 'principal_kind'>;

/** What is known of a transaction when a step begins it. */
export type TransactionBegin = TransactionChange &
  Pick<TransactionRecord, 'action_id' | 'capability_id' | 'mode' | 'status' | 'request' | 'updated_at'>;

/** A row that does not exist yet, with what is known of it. */
export function newTransaction(
  owner: TransactionOwner,
  transactionId: string,
  known: TransactionBegin & Pick<TransactionRecord, 'created_at'>,
): TransactionRecord {
  return {
    tenant_key: tenantKeyOf(owner.tenant_id),
    transaction_id: transactionId,
    tenant_id: owner.tenant_id,
    principal_id: owner.principal_id,
    principal_kind: owner.principal_kind,
    plan: null,
    plan_id: null,
    plan_expires_at: null,
    result: null,
    effect: null,
    provider_operation: null,
    reconciliation_cursor: null,
    reconcile_after: null,
    reconcile_action_id: null,
    reconcile_attempts: 0,
    compensation_for: null,
    revision: 1,
    ...known,
  };
}
