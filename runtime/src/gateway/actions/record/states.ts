/** The states of an action (docs/protocol/actions.md#states). */
export const LIVE_STATES = ['accepted', 'queued', 'running', 'streaming', 'pending_approval', 'cancelling'] as const;
export const TERMINAL_STATES = ['completed', 'failed', 'cancelled', 'expired', 'dead_lettered'] as const;

export type LiveState = (typeof LIVE_STATES)[number];
export type TerminalState = (typeof TERMINAL_STATES)[number];
export type ActionState = LiveState | TerminalState;

/** What moves an action from one state to another. */
export type Trigger =
  /** it waits for a worker */
  | 'enqueue'
  /** an execution begins: inline, or by a worker's claim, or by the worker that takes over a lapsed lease */
  | 'start'
  /** its first chunk was stored */
  | 'chunk'
  /** it needs a decision by a human */
  | 'approval_needed'
  /** the decision was given */
  | 'approved'
  | 'denied'
  | 'approval_expired'
  /** its caller asked to cancel it */
  | 'cancel'
  /** the execution it was in has stopped for the cancellation */
  | 'cancelled'
  | 'complete'
  /** a peer reported that it completed a waiting one */
  | 'report_completed'
  | 'fail'
  /** a failure that will be tried again */
  | 'retry'
  /** a queued action failed permanently */
  | 'give_up';

const TRANSITIONS: Record<LiveState, Partial<Record<Trigger, ActionState>>> = {
  accepted: {
    enqueue: 'queued',
    start: 'running',
    approval_needed: 'pending_approval',
    cancel: 'cancelled',
    fail: 'failed',
  },
  queued: {
    report_completed: 'completed',
    start: 'running',
    cancel: 'cancelled',
    fail: 'failed',
    give_up: 'dead_lettered',
  },
  running: {
    start: 'running',
    chunk: 'streaming',
    approval_needed: 'pending_approval',
    cancel: 'cancelling',
    cancelled: 'cancelled',
    complete: 'completed',
    fail: 'failed',
    retry: 'queued',
    give_up: 'dead_lettered',
  },
  streaming: {
    start: 'running',
    chunk: 'streaming',
    cancel: 'cancelling',
    cancelled: 'cancelled',
    complete: 'completed',
    fail: 'failed',
    retry: 'queued',
    give_up: 'dead_lettered',
  },
  pending_approval: {
    approved: 'queued',
    denied: 'failed',
    approval_expired: 'expired',
    cancel: 'cancelled',
  },
  cancelling: { start: 'cancelling', chunk: 'cancelling', cancel: 'cancelling', cancelled: 'cancelled' },
};

/**
 * The state that `trigger` leads to from `from`, or undefined when nothing leads there. A terminal state leads
 * nowhere.
 */
export function nextState(from: ActionState, trigger: Trigger): ActionState | undefined {
  return isTerminal(from) ? undefined : TRANSITIONS[from as LiveState][trigger];
}

/** Whether an action in this state is over: such a record never changes again. */
export function isTerminal(state: ActionState): state is TerminalState {
  return (TERMINAL_STATES as readonly string[]).includes(state);
}
