import { newId } from '../../../protocol/ids.js';
import { formatTime } from '../../../protocol/time.js';
import type { Event, Principal } from '../../../protocol/types.js';
import type { NewEvent } from '../../events/log/append.js';
import type { ActionRecord } from './record.js';

/** What an event says of its action. */
export type EventSubject = Pick<
  ActionRecord,
  'action_id' | 'tenant_id' | 'principal_id' | 'session_id' | 'correlation_id'
>;

/** The principal that submitted an action, as its record keeps it. */
export function submitterOf(record: Pick<ActionRecord, 'principal_id' | 'principal_kind'>): Principal {
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
