import type { Env } from '../../transport/settings/env.js';

const DAY_MS = 86_400_000;
const MAX_DAYS = 36_500;

/** How long things are kept after they ended, in milliseconds; absent: forever. */
export interface RetentionRules {
  /** Events, by the time they came into the log; one that is dated ahead by its own time. */
  eventsMs?: number;
  /** Dead-lettered actions with their chunks. */
  deadLettersMs?: number;
  /** Callback deliveries that ended. Their receipts stay. */
  callbackDeliveriesMs?: number;
  /** Replay claims, counted from the end of their window; absent: not beyond it. */
  replayClaimsMs?: number;
  /** Other terminal actions with their chunks. Their receipts and audit stay. */
  actionsMs?: number;
  /** Route assignments of the registry that stayed after their actions ended. An action cannot be asked about at its host any more without its own. */
  assignmentsMs?: number;
  /** Delegations that ended. Their receipts stay. */
  outboxMs?: number;
  /** Documents beside results. Their actions stay, with the digest. */
  documentsMs?: number;
  /** Closed sessions, and escalations by the time they were received. */
  sessionsMs?: number;
  /** Approvals that ended, with their votes, unless their action is live. Their receipts and audit stay. */
  approvalsMs?: number;
  /** Receipt chains and batch settlements that clients submitted. */
  reportsMs?: number;
  /** Audit events, by the time that they name. */
  auditMs?: number;
}

/** The periods when nothing is configured (docs/protocol/records.md#retention). */
export const DEFAULT_RETENTION: RetentionRules = {
  eventsMs: 30 * DAY_MS,
  deadLettersMs: 90 * DAY_MS,
  callbackDeliveriesMs: 30 * DAY_MS,
  assignmentsMs: 30 * DAY_MS,
  outboxMs: 7 * DAY_MS,
  documentsMs: 7 * DAY_MS,
  sessionsMs: 30 * DAY_MS,
  approvalsMs: 90 * DAY_MS,
};

/** Whether no audit event is removed before the event of its time is. */
export function keepsAuditLonger({ auditMs, eventsMs }: RetentionRules): boolean {
  return auditMs === undefined || (eventsMs !== undefined && auditMs >= eventsMs);
}

/** The variable of each period that is given in days; 0 keeps forever. */
const VARIABLES: Record<Exclude<keyof RetentionRules, 'replayClaimsMs'>, string> = {
  eventsMs: 'RETENTION_EVENTS_DAYS',
  deadLettersMs: 'RETENTION_DEAD_LETTERS_DAYS',
  callbackDeliveriesMs: 'RETENTION_CALLBACK_DELIVERIES_DAYS',
  actionsMs: 'RETENTION_ACTIONS_DAYS',
  assignmentsMs: 'RETENTION_ASSIGNMENTS_DAYS',
  outboxMs: 'RETENTION_OUTBOX_DAYS',
  documentsMs: 'RETENTION_DOCUMENTS_DAYS',
  sessionsMs: 'RETENTION_SESSIONS_DAYS',
  approvalsMs: 'RETENTION_APPROVALS_DAYS',
  reportsMs: 'RETENTION_REPORTS_DAYS',
  auditMs: 'RETENTION_AUDIT_DAYS',
};

/**
 * Reads the periods of VARIABLES, in days with the defaults above, and RETENTION_REPLAY_CLAIMS_MINUTES (0): how long replay claims stay
 * after their window. Throws StartupRefused.
 */
export function readRetentionRules(env: Env): RetentionRules {
  const rules: RetentionRules = {};
  for (const [name, variable] of Object.entries(VARIABLES) as [keyof typeof VARIABLES, string][]) {
    const days = env.int(variable, (DEFAULT_RETENTION[name] ?? 0) / DAY_MS, { min: 0, max: MAX_DAYS });
    if (days > 0) rules[name] = days * DAY_MS;
  }
  const minutes = env.int('RETENTION_REPLAY_CLAIMS_MINUTES', 0, { min: 0, max: MAX_DAYS * 1440 });
  if (minutes > 0) rules.replayClaimsMs = minutes * 60_000;
  return rules;
}
