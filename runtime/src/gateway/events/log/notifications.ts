import { randomUUID } from 'node:crypto';
import type { Pool } from '../../../postgres/pool.js';
import { every, openTimer } from '../../../time/timer.js';
import type { Logger } from '../../../transport/process/logger.js';
import { EVENTS_CHANNEL } from './append.js';

/** A commit that notifies takes a lock of the whole server, so one process does it at most this often, in milliseconds. */
const NOTIFY_EVERY_MS = 25;
/** How often a process with followers reports that it has some, and how long the others rely on it. */
const FOLLOWS_EVERY_MS = 10_000;
const FOLLOWED_MS = 30_000;

/** What a notification says: new events, or that its sender has followers. */
type Kind = 'events' | 'follows';

// Notifies every process and waits for no disk: a notification that is lost costs the wait for the next poll.
const NOTIFY = `SELECT pg_notify('${EVENTS_CHANNEL}', $1), set_config('synchronous_commit', 'off', true)`;

/** The notifications that shorten the poll of every gateway's tail. They are never relied on. */
export interface Notifications {
  /** This process has followers, until the returned function is called. */
  follow(): () => void;
  close(): Promise<void>;
}

/**
 * Calls `onEvents` for events that this process or another one has committed. Its own are announced in memory; others are notified by
 * one statement for all events of 25 ms, and only while one of them has reported followers within the last 30 s.
 */
export async function openNotifications(deps: {
  readonly pool: Pool;
  readonly log: Logger;
  readonly onEvents: () => void;
}): Promise<Notifications> {
  const { pool, log, onEvents } = deps;
  const id = randomUUID();
  let followedUntil = 0;
  let notifiedAt = Number.NEGATIVE_INFINITY;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let stopReports = (): void => undefined;

  const notify = (kind: Kind): void => {
    const text = { name: `runtime.events.notify`, text: NOTIFY, values: [`${kind} ${id}`] };
    pool.query(text).catch((error) => log.debug({ err: error }, 'other gateways were not notified of events'));
  };
  const report = (): void => {
    reportedAt = performance.now();
    notify('follows');
  };
  const send = (): void => {
    notifiedAt = performance.now();
    notify('events');
  };
  const pending = openTimer(send);
  const spread = (): void => {
    if (pending.isSet() || performance.now() > followedUntil) return;
    const waitMs = notifiedAt + NOTIFY_EVERY_MS - performance.now();
    if (waitMs <= 0) send();
    else pending.start(waitMs);
  };

  const unobserve = pool.observe(EVENTS_CHANNEL, () => {
    onEvents();
    spread();
  });
  const unlisten = await pool.listen(EVENTS_CHANNEL, (payload) => {
    const [kind, from] = payload.split(' ');
    if (from === id) return;
    if (kind === ('follows' satisfies Kind)) followedUntil = performance.now() + FOLLOWED_MS;
    else onEvents();
  });

  return {
    follow: () => {
      if (performance.now() - reportedAt >= FOLLOWS_EVERY_MS) report();
      stopReports = every(FOLLOWS_EVERY_MS, report);
      return stopReports;
    },
    close: async () => {
      pending.stop();
      stopReports();
      unobserve();
      await unlisten();
    },
  };
}
