import { shortDuration } from '@aip/runtime/internal/duration';
import { formatTime } from '@aip/runtime/internal/protocol';
import type { RotationAnnotations } from '../material.js';
import type { Subject, TrustDecision, TrustObservation, TrustStep } from './step.js';

/** A key or an authority, as far as its rotation goes. */
export interface RotationView {
  readonly subject: Subject;
  /** Name of the Secret. */
  readonly object: string;
  readonly annotations: RotationAnnotations;
  /** The one that waits to become active. */
  readonly next: string | undefined;
  /** Whether `next` is in every published bundle. */
  readonly published: boolean;
  /** Those that were active and are still trusted. */
  readonly previous: readonly string[];
  /** Why the previous ones cannot be dropped yet. */
  readonly inUse: string | undefined;
  /** Why a rotation is due without anybody asking. */
  readonly due: string | undefined;
}

/**
 * A rotation in three phases, for keys and authorities alike: the next one is published beside the active one; after the overlap it becomes
 * active and the old one stays published; after another overlap, and when nothing uses it any more, the old one goes. Each overlap counts
 * from a mark that is written only once its condition was seen to hold, and taken back when it holds no longer: an interruption at any
 * point makes a phase longer, never shorter.
 */
export function decideRotation(view: RotationView, now: number, overlapMs: number): TrustDecision {
  const { annotations, next, previous } = view;
  if (next !== undefined) {
    const condition = view.published ? undefined : `Waiting until ${next} is published everywhere`;
    return phase(view, now, overlapMs, condition, {
      do: 'promote',
      reason: 'NextPublished',
      doing: `${next} is published and becomes active`,
    });
  }
  if (previous.length > 0) {
    return phase(view, now, overlapMs, view.inUse, {
      do: 'drop',
      reason: 'PreviousStillTrusted',
      doing: `${previous.join(', ')} stays trusted and is removed`,
    });
  }
  if (annotations.requested !== undefined && annotations.requested !== annotations.handled) {
    return start(view, 'RotationRequested', 'rotation requested');
  }
  if (view.due !== undefined) return start(view, 'RotationDue', view.due);
  return { steps: [], observations: [observe(view, 'Ready', 'Active', 'no rotation is under way')] };
}

/** One phase: mark when its condition holds, wait for the overlap, then move on. */
function phase(
  view: RotationView,
  now: number,
  overlapMs: number,
  unmet: string | undefined,
  end: { do: 'promote' | 'drop'; reason: string; doing: string },
): TrustDecision {
  const { subject, object, annotations } = view;
  const { since } = annotations;
  const { reason } = end;
  const rotating = (message: string): TrustObservation[] => [observe(view, 'Rotating', reason, message + queued(view))];
  if (unmet !== undefined) {
    const steps: TrustStep[] = since === undefined ? [] : [{ do: 'unstamp', subject, object, reason, message: unmet }];
    return { steps, observations: rotating(unmet) };
  }
  // A mark from the future was written by a clock that ran ahead, or was before this one was set back.
  if (since === undefined || since > now) {
    const message = `${end.doing} after ${shortDuration(overlapMs)}`;
    const steps: TrustStep[] = [{ do: 'stamp', at: now, subject, object, reason, message }];
    return { steps, observations: rotating(message), wakeAt: now + overlapMs };
  }
  const endsAt = since + overlapMs;
  const message = `${end.doing} at ${formatTime(endsAt)}`;
  const steps: TrustStep[] = now >= endsAt ? [{ do: end.do, subject, object, reason, message }] : [];
  return { steps, observations: rotating(message), wakeAt: endsAt };
}

function start(view: RotationView, reason: string, message: string): TrustDecision {
  const { subject, object, annotations } = view;
  return {
    steps: [{ do: 'add-next', subject, handled: annotations.requested, object, reason, message }],
    observations: [observe(view, 'Rotating', reason, message)],
  };
}

/** A request made while a rotation is under way; several of them become one. */
function queued({ annotations: { requested, handled } }: RotationView): string {
  const waiting = requested !== undefined && requested !== handled;
  return waiting ? '; another rotation is requested and starts afterwards' : '';
}

function observe(
  view: RotationView,
  type: TrustObservation['type'],
  reason: string,
  message: string,
): TrustObservation {
  return { object: view.object, type, reason, message };
}
