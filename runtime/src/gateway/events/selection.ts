import { type Access, reaches } from '../edge/query-authorization.js';
import type { LogRow } from './log/row.js';

/** The operation that a stream or page belongs to: a cursor of one is refused by the others. */
export type EventsRoute = 'events' | 'action_events' | 'action_chunks';

/** What a page or stream shows. */
export interface Selection {
  readonly route: EventsRoute;
  /** The action it is bound to; absent on the global route. */
  readonly action?: { readonly id: string; readonly tenantId: string | null } | undefined;
  /** Which owners' events show. Action-bound streams were authorized by the action itself. */
  readonly access: Access;
  /** The only event kinds that show; absent: every kind. Sorted, without repeats. */
  readonly kinds?: readonly string[] | undefined;
  /** Whether events show. The chunks route shows chunks alone. */
  readonly events: boolean;
  readonly chunks: boolean;
  /** Rows of a page: events and chunks together. */
  readonly limit: number;
}

/** What decides whether an event shows. */
type EventOwner = Pick<LogRow, 'kind' | 'actionId' | 'tenantId' | 'principalId'>;

/** Whether an event of the log belongs to the selection. */
export function selectsEvent(selection: Selection, row: EventOwner): boolean {
  if (!selection.events) return false;
  if (!isVisible(selection, row)) return false;
  return selection.kinds === undefined || selection.kinds.includes(row.kind);
}

/** Whether the chunk that comes with a row of the log belongs to the selection. */
export function selectsChunk(selection: Selection, row: LogRow): boolean {
  return selection.chunks && row.chunk !== undefined && isVisible(selection, row);
}

function isVisible({ action, access }: Selection, row: EventOwner): boolean {
  if (action) return row.actionId === action.id && row.tenantId === action.tenantId;
  return reaches(access, row);
}
