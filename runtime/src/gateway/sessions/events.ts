import { newId } from '../../protocol/ids.js';
import { formatTime } from '../../protocol/time.js';
import type { Principal } from '../../protocol/types.js';
import type { NewEvent } from '../events/log/append.js';
import type { SessionRow } from './record.js';

/** A new event of a session, visible to its owner. */
export function sessionEvent(
  session: Pick<SessionRow, 'session_id' | 'tenant_id' | 'principal_id'>,
  kind: string,
  actor: Principal,
  data: Record<string, unknown>,
  nowMs: number,
): NewEvent {
  return {
    event: {
      id: newId('event'),
      kind,
      occurred_at: formatTime(nowMs),
      session_id: session.session_id,
      actor: { id: actor.id, kind: actor.kind },
      data,
    },
    ...(session.tenant_id === null ? {} : { tenantId: session.tenant_id }),
    principalId: session.principal_id,
  };
}
