/** The states of a session. */
export const SESSION_STATES = [
  'new',
  'active',
  'queued',
  'processing',
  'streaming',
  'waiting_for_human',
  'completed',
  'failed',
  'cancelled',
  'settled',
] as const;
export type SessionStatus = (typeof SESSION_STATES)[number];

const TRANSITIONS: Readonly<Record<SessionStatus, readonly SessionStatus[]>> = {
  new: ['active'],
  active: ['queued', 'processing', 'cancelled'],
  queued: ['processing', 'cancelled', 'failed'],
  processing: ['streaming', 'waiting_for_human', 'completed', 'failed', 'cancelled'],
  streaming: ['completed', 'failed', 'cancelled', 'waiting_for_human'],
  waiting_for_human: ['processing', 'completed', 'cancelled', 'failed'],
  completed: ['settled'],
  failed: ['settled'],
  cancelled: ['settled'],
  settled: [],
};

const CLOSED: readonly SessionStatus[] = ['completed', 'failed', 'cancelled', 'settled'];

/** Whether a session may go from one state straight to another. */
export function mayBecome(from: SessionStatus, to: SessionStatus): boolean {
  return TRANSITIONS[from].includes(to);
}

/** Whether a session in this state is over: it can be neither resumed nor closed. */
export function isClosed(status: SessionStatus): boolean {
  return CLOSED.includes(status);
}
