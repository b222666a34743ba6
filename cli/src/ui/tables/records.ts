import type {
  AuditEvent,
  AuditQueryResult,
  CallbackDeliveryList,
  CallbackDeliveryRecord,
  Resource,
  ResourceList,
  ResourceReadResult,
  SessionList,
  SessionView,
  TransactionView,
} from '@aip/runtime/internal/protocol';
import { age } from '../age.js';
import { detailLines, jsonLines, pageLine } from '../detail-lines.js';
import { compact } from '../format.js';
import { paint, paintState } from '../paint.js';
import { precise, when } from '../when.js';
import { receiptLines } from './action-details.js';
import { type Column, table } from './table.js';

/** Where a table is shown. */
export interface TableView {
  width?: number | undefined;
  wide?: boolean;
}

function page<Row>(
  rows: readonly Row[],
  columns: Column<Row>[],
  none: string,
  cursor: string | undefined,
  view: TableView,
): string[] {
  if (rows.length === 0) return [none];
  return [...table(rows, columns, view.width, { wide: view.wide === true }).split('\n'), ...pageLine(cursor)];
}

const sessionColumns = (now: number): Column<SessionView>[] => [
  { title: 'SESSION', value: (row) => row.session_id, shrink: 'id' },
  { title: 'STATE', value: (row) => row.status, paint: (text) => paintState(text) },
  { title: 'PRINCIPAL', value: (row) => row.principal.id, shrink: 'middle' },
  { title: 'ACTIONS', value: (row) => String(row.active_action_count), align: 'right', drop: 1 },
  { title: 'AGE', value: (row) => age(row.created_at, now), align: 'right' },
];

/** Sessions for people. */
export function sessionTable({ sessions, cursor }: SessionList, view: TableView): string[] {
  return page(sessions, sessionColumns(Date.now()), 'No sessions.', cursor, view);
}

/** One session for people. */
export function sessionLines(view: SessionView): string[] {
  return detailLines([
    ['session', view.session_id],
    ['state', paintState(view.status)],
    ['principal', view.principal.id],
    ['peer', view.peer.id],
    ['active actions', view.active_action_count],
    ['created', when(view.created_at)],
    ['updated', when(view.updated_at)],
    ['expires', when(view.expires_at)],
  ]);
}

/** One transaction for people. */
export function transactionLines(view: TransactionView, width?: number): string[] {
  return [
    ...detailLines([
      ['transaction', view.transaction_id],
      ['status', paintState(view.status)],
      ['mode', view.transaction.mode],
      ['capability', view.capability_id],
      ['action', view.action_id],
      ['plan', view.plan?.plan_id],
      ['predicted effects', view.plan?.predicted_side_effects?.join(', ')],
      ['created', when(view.created_at)],
      ['updated', when(view.updated_at)],
      ['error', view.result?.error && `${view.result.error.code} ${view.result.error.message}`],
    ]),
    ...jsonLines('output', view.result?.output),
    ...(view.receipt_chain ? receiptLines(view.receipt_chain, width) : []),
  ];
}

const deliveryColumns = (now: number): Column<CallbackDeliveryRecord>[] => [
  { title: 'DELIVERY', value: (row) => row.delivery_id, shrink: 'id' },
  { title: 'STATUS', value: (row) => row.status, paint: (text) => paintState(text) },
  { title: 'TARGET', value: (row) => row.policy.target.target, shrink: 'middle' },
  { title: 'TRIES', value: (row) => String(row.attempts?.length ?? 0), align: 'right', drop: 2 },
  { title: 'AGE', value: (row) => age(row.created_at, now), align: 'right' },
  { title: 'ERROR', value: (row) => row.last_error ?? '', shrink: 'end', drop: 1, paint: (text) => paint.bad(text) },
  { title: 'ACTION', value: (row) => row.action_id ?? '', wide: true },
];

/** Deliveries for people. */
export function deliveryTable({ deliveries, cursor }: CallbackDeliveryList, view: TableView): string[] {
  return page(deliveries, deliveryColumns(Date.now()), 'No deliveries.', cursor, view);
}

/** One delivery for people, with its attempts. */
export function deliveryLines(record: CallbackDeliveryRecord): string[] {
  return [
    ...detailLines([
      ['delivery', record.delivery_id],
      ['status', paintState(record.status)],
      ['target', record.policy.target.target],
      ['profile', record.policy.target.profile],
      ['message', record.message_type],
      ['action', record.action_id],
      ['created', when(record.created_at)],
      ['next attempt', when(record.next_attempt_at)],
      ['completed', when(record.completed_at)],
      ['gave up', record.dead_letter_reason],
    ]),
    ...(record.attempts ?? []).map(
      ({ attempt, started_at, error }) =>
        `${paint.dim(`attempt ${attempt}`)}  ${precise(started_at)}  ${error === undefined ? paint.good('delivered') : paint.bad(error)}`,
    ),
  ];
}

const auditColumns: Column<AuditEvent>[] = [
  { title: 'AT', value: (row) => row.occurred_at.replace(/\.\d+Z$/, 'Z') },
  { title: 'ACTION', value: (row) => row.action, shrink: 'middle' },
  { title: 'ACTOR', value: (row) => row.actor.id, shrink: 'middle' },
  { title: 'DATA', value: (row) => (row.data === undefined ? '' : compact(row.data)), shrink: 'end', drop: 1 },
  { title: 'ID', value: (row) => row.id, wide: true },
];

/** Audit events for people. */
export function auditTable({ events, cursor }: AuditQueryResult, view: TableView): string[] {
  return page(events, auditColumns, 'No audit events.', cursor, view);
}

const resourceColumns: Column<Resource>[] = [
  { title: 'RESOURCE', value: (row) => row.id, shrink: 'middle' },
  { title: 'KIND', value: (row) => row.kind ?? '' },
  { title: 'NAME', value: (row) => row.name, shrink: 'end', drop: 2 },
  { title: 'TYPE', value: (row) => row.mime_type ?? '', drop: 1 },
  { title: 'CAPABILITY', value: (row) => row.capability_id ?? '', wide: true },
];

/** Resources for people. */
export function resourceTable({ resources, cursor }: ResourceList, view: TableView): string[] {
  return page(resources, resourceColumns, 'No resources.', cursor, view);
}

/** One resource with its content for people. */
export function resourceLines({ resource, content, etag, expires_at }: ResourceReadResult): string[] {
  return [
    ...detailLines([
      ['resource', resource.id],
      ['name', resource.name],
      ['kind', resource.kind],
      ['type', resource.mime_type],
      ['description', resource.description],
      ['etag', etag],
      ['expires', when(expires_at)],
    ]),
    ...(content ?? []).flatMap((part) => {
      const { type, text } = part as { type?: string; text?: string };
      return type === 'text' && typeof text === 'string' ? text.split('\n') : [JSON.stringify(part)];
    }),
  ];
}
