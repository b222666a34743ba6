import type { ActionRecord } from './record.js';

/** A column of runtime.actions. */
interface Column {
  /** Its type in SQL, where accepting an action writes it. */
  readonly accepted?: string;
  /** It is read as text, so that the numbers of a document stay as received. */
  readonly document?: true;
}

/** Every column of an ActionRecord. A new one needs its migration, its member there and its line here. */
const COLUMNS = {
  action_id: { accepted: 'text' },
  seq: {},
  tenant_id: { accepted: 'text' },
  principal_id: { accepted: 'text' },
  principal_kind: { accepted: 'text' },
  capability_id: { accepted: 'text' },
  session_id: { accepted: 'text' },
  correlation_id: { accepted: 'text' },
  message_id: { accepted: 'text' },
  mode: { accepted: 'text' },
  state: { accepted: 'text' },
  request: { accepted: 'json', document: true },
  plan: { accepted: 'json', document: true },
  result: { accepted: 'json', document: true },
  attempts: { accepted: 'integer' },
  last_error: { document: true },
  dead_letter_reason: {},
  worker_id: { accepted: 'text' },
  lease_id: { accepted: 'text' },
  lease_acquired_at: { accepted: 'bigint' },
  lease_expires_at: { accepted: 'bigint' },
  next_attempt_at: { accepted: 'bigint' },
  cancel_requested: {},
  cancel_reason: {},
  receipt_head: { accepted: 'text' },
  receipt_count: { accepted: 'integer' },
  approval_id: { accepted: 'text' },
  transaction_id: { accepted: 'text' },
  idempotency_key: { accepted: 'text' },
  accepted_at: { accepted: 'bigint' },
  resumed_at: {},
  started_at: { accepted: 'bigint' },
  updated_at: {},
  completed_at: {},
  restored: {},
} as const satisfies Record<keyof ActionRecord, Column>;

type Columns = typeof COLUMNS;
type Having<Member extends keyof Column> = {
  [Name in keyof Columns]: Columns[Name] extends { readonly [M in Member]: unknown } ? Name : never;
}[keyof Columns];

/** What accepting an action writes of its record. */
export type AcceptedRecord = Pick<ActionRecord, Having<'accepted'>>;

/** A row as the database gives it: documents are still text. */
export type StoredActionRecord = Omit<ActionRecord, Having<'document'>> & {
  readonly [Name in Having<'document'>]: null extends ActionRecord[Name] ? string | null : string;
};

const ENTRIES: readonly [name: string, column: Column][] = Object.entries(COLUMNS);

/** The columns of an ActionRecord, documents as text; for a SELECT or RETURNING list of table alias `a`. */
export const ACTION_COLUMNS = ENTRIES.map(([name, { document }]) =>
  document ? `a.${name}::text AS ${name}` : `a.${name}`,
).join(', ');

/** The columns that accepting an action writes, each with its type in SQL. */
export const ACCEPTED_COLUMNS: readonly { readonly name: string; readonly type: string }[] = ENTRIES.flatMap(
  ([name, { accepted: type }]) => (type === undefined ? [] : [{ name, type }]),
);
