import { newId } from '../../../protocol/ids.js';
import { formatTime } from '../../../protocol/time.js';
import type { Event, Principal } from '../../../protocol/types.js';
import type { NewEvent } from './append.js';

/** What an event says of its action. */
export interface EventSubject {
  readonly action_id: string;
  readonly tenant_id: string | null;
  readonly principal_id: string;
  readonly session_id: string | null;
  readonly correlation_id: string | null;
}

/** The principal that submitted an action, as its record keeps it. */
export function submitterOf(record: { readonly principal_id: string; readonly principal_kind: string }): Principal {
  return { id: record.principal_id, kind: record.principal_kind as Principal['kind'] };
}

/** A new event of an action, to be appended in the transaction that makes it true. */
export function actionEvent(
  record: EventSubject,
  kind: string,
  actor: Principal,
  data: Record<string, unknown>,
  nowMs: number,
): NewEvent {
  const event: Event = {
    id: newId('event'),
    kind,
    occurred_at: formatTime(nowMs),
    ...(record.session_id === null ? {} : { session_id: record.session_id }),
    action_id: record.action_id,
    ...(record.correlation_id === null ? {} : { correlation_id: record.correlation_id }),
    actor,
    data,
  };
  return {
    event,
    ...(record.tenant_id === null ? {} : { tenantId: record.tenant_id }),
    principalId: record.principal_id,
  };
}
