import type { Logger } from 'pino';
import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import type { Principal } from '../../protocol/types.js';
import { appendEvents } from '../events/log/append.js';
import { type Loop, startLoop } from '../maintenance/loop.js';
import { sessionEvent } from './events.js';
import type { SessionRow } from './record.js';

/** Pause between passes and after failures, in milliseconds, and sessions of one pass. */
const RULE = { intervalMs: 10_000, firstBackoffMs: 1000, maxBackoffMs: 30_000 };
const MAX_PER_PASS = 500;
const REASON = 'expired';

// Ends sessions whose token was not used in time, past those that another gateway is ending.
const EXPIRE = `
UPDATE runtime.sessions SET status = 'cancelled', close_reason = $2, closed_at = $1, updated_at = $1
WHERE session_id IN (SELECT session_id FROM runtime.sessions WHERE closed_at IS NULL AND expires_at <= $1
  ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED)
RETURNING session_id, tenant_id, principal_id`;

/** What the expiry of sessions needs. */
export interface SessionExpiryDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Logger;
  readonly gateway: Principal;
}

/** Closes sessions that were not resumed in time, every ten seconds. Several gateways may do it at once. */
export function startSessionExpiry(deps: SessionExpiryDeps): Loop {
  return startLoop(
    async () => void (await expireSessions(deps)),
    RULE,
    (error) => deps.log.warn({ err: error }, 'session expiry failed'),
  );
}

/** One pass. Returns how many sessions ended. */
export function expireSessions(deps: SessionExpiryDeps): Promise<number> {
  return deps.pool.tx(async (client) => {
    const nowMs = deps.clock();
    const { rows } = await client.query<Pick<SessionRow, 'session_id' | 'tenant_id' | 'principal_id'>>({
      name: 'runtime.session.expire',
      text: EXPIRE,
      values: [nowMs, REASON, MAX_PER_PASS],
    });
    const closed = (session: (typeof rows)[number]) =>
      sessionEvent(
        session,
        'aip.session.closed',
        deps.gateway,
        { session_id: session.session_id, reason: REASON },
        nowMs,
      );
    await appendEvents(client, rows.map(closed));
    return rows.length;
  });
}
