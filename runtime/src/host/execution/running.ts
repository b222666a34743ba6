import { AipError } from '../../protocol/errors.js';
import type { ActionResult } from '../../protocol/types.js';
import { type Deadline, openDeadline } from '../../time/deadline.js';
import type { Work } from './work.js';

/** An action that this process executes. */
export interface RunningAction {
  readonly work: Work;
  readonly requestDigest: string;
  /** The one result for everybody who waits; rejects when the execution was refused. */
  readonly done: Promise<ActionResult>;
  /** Fires `reason` in the action's signal. */
  abort(reason: Error): void;
}

/** What one execution comes to: its result, and when the connector call is really over, which may be later. */
export interface Outcome {
  result: ActionResult;
  ended?: Promise<unknown>;
}

/** The actions that run here, and the slots they hold; both follow the action, not the connection that brought it. */
export interface RunningActions {
  get(actionId: string): RunningAction | undefined;
  has(actionId: string): boolean;
  inFlight(): number;
  free(): number;
  /** Whether every slot is held by a call that continues although its action is over: the connector heeds no signal. */
  isHeldUp(): boolean;
  /** Takes a slot and begins; throws `connector_host.capacity` when none is free. The action must not run already. */
  start(
    action: Pick<RunningAction, 'work' | 'requestDigest'>,
    run: (deadline: Deadline) => Promise<Outcome>,
  ): RunningAction;
}

/** Opens the registry with `slots` places. */
export function openRunningActions(slots: number): RunningActions {
  const actions = new Map<string, RunningAction>();
  let taken = 0;

  return {
    get: (actionId) => actions.get(actionId),
    has: (actionId) => actions.has(actionId),
    inFlight: () => taken,
    free: () => slots - taken,
    isHeldUp: () => taken >= slots && actions.size === 0,
    start: (action, run) => {
      if (taken >= slots) throw new AipError('connector_host.capacity');
      taken += 1;
      const { id } = action.work.action;
      const deadline = openDeadline();
      const outcome = run(deadline);
      const release = (): void => {
        taken -= 1;
      };
      const done = outcome
        .then(({ result }) => result)
        .finally(() => {
          actions.delete(id);
        });
      outcome.then(({ ended }) => ended).then(release, release);
      done.catch(() => undefined);
      const running = { ...action, done, abort: deadline.abort };
      actions.set(id, running);
      return running;
    },
  };
}
