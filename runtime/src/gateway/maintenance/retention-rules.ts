import type { Env } from '../../transport/settings/env.js';

const DAY_MS = 86_400_000;
const MAX_DAYS = 36_500;

/** How long things are kept after they ended, in milliseconds; absent: forever. */
export interface RetentionRules {
  /** Events, by the time they came into the log; one that is dated ahead by its own time. */
  eventsMs?: number;
  /** Dead-lettered actions with their chunks. */
  deadLettersMs?: number;
  /** Other terminal actions with their chunks. Their receipts and audit stay. */
  actionsMs?: number;
  /** Settled route assignments of the registry. An action cannot be asked about at its host any more without its own. */
  assignmentsMs?: number;
}

/** The periods when nothing is configured (docs/protocol/records.md#retention). */
export const DEFAULT_RETENTION: RetentionRules = {
  eventsMs: 30 * DAY_MS,
  deadLettersMs: 90 * DAY_MS,
  assignmentsMs: 30 * DAY_MS,
};

/** Reads RETENTION_EVENTS_DAYS (30), RETENTION_DEAD_LETTERS_DAYS (90), RETENTION_ACTIONS_DAYS (0) and RETENTION_ASSIGNMENTS_DAYS (30); 0 keeps forever. Throws StartupRefused. */
export function readRetentionRules(env: Env): RetentionRules {
  const days = (name: string, fallbackMs = 0): number =>
    env.int(name, fallbackMs / DAY_MS, { min: 0, max: MAX_DAYS }) * DAY_MS;
  const eventsMs = days('RETENTION_EVENTS_DAYS', DEFAULT_RETENTION.eventsMs);
  const deadLettersMs = days('RETENTION_DEAD_LETTERS_DAYS', DEFAULT_RETENTION.deadLettersMs);
  const actionsMs = days('RETENTION_ACTIONS_DAYS', DEFAULT_RETENTION.actionsMs);
  const assignmentsMs = days('RETENTION_ASSIGNMENTS_DAYS', DEFAULT_RETENTION.assignmentsMs);
  return {
    ...(eventsMs > 0 && { eventsMs }),
    ...(deadLettersMs > 0 && { deadLettersMs }),
    ...(actionsMs > 0 && { actionsMs }),
    ...(assignmentsMs > 0 && { assignmentsMs }),
  };
}
