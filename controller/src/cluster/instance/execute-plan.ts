import { StorageUnavailable } from '@aip/runtime/internal/messages';
import { KubeUnavailable } from '../../kube/client/errors.js';
import type { Step } from '../../reconcile/step.js';
import type { Target } from '../steps/target.js';
import { applyStep } from './apply.js';
import type { ReconcileContext } from './reconcile-context.js';

/** Steps that are reported as events; the others are inner matters of the registry. */
const TOLD = new Set(['admit-version', 'provision', 'start', 'drain', 'stop', 'remove', 'forget-instance']);

/** A step that could not be carried out. */
export interface FailedStep {
  step: Step;
  cause: unknown;
}

/** What became of a plan: the steps that failed, and whether the work was asked to end before all were tried. */
export interface ExecutedPlan {
  aborted: boolean;
  failed: readonly FailedStep[];
}

/**
 * Carries steps out in their order, and reports those that people want to know of. A step that fails keeps only those from running that rest on
 * it; one that fails because the API server or the database is away keeps all.
 */
export async function executePlan(
  steps: readonly Step[],
  target: Target,
  { cluster, events }: Pick<ReconcileContext, 'cluster' | 'events'>,
  signal: AbortSignal,
): Promise<ExecutedPlan> {
  const failed: FailedStep[] = [];
  const undone: Step[] = [];
  for (const step of steps) {
    if (signal.aborted) return { aborted: true, failed };
    if (undone.some((earlier) => restsOn(step, earlier))) {
      undone.push(step);
      continue;
    }
    try {
      await applyStep(step, target, cluster);
    } catch (cause) {
      failed.push({ step, cause });
      undone.push(step);
      if (cause instanceof KubeUnavailable || cause instanceof StorageUnavailable) break;
      continue;
    }
    if (!TOLD.has(step.do)) continue;
    const { reason, message: note } = step;
    events.record(target.instance, { type: 'Normal', reason, note, action: actionOf(step) });
  }
  return { aborted: false, failed };
}

/** Whether a step has no meaning while an earlier one of its plan is undone. */
function restsOn(step: Step, earlier: Step): boolean {
  switch (step.do) {
    case 'put-instance':
      return earlier.do === 'admit-version';
    case 'put-binding':
    case 'put-canary':
    case 'put-scaling':
    case 'provision':
      return earlier.do === 'admit-version' || earlier.do === 'put-instance';
    case 'start':
      return earlier.do === 'provision' && earlier.replica === step.replica;
    case 'forget-instance':
      return true;
    default:
      return false;
  }
}

/** `admit-version` as `AdmitVersion`, as Events want it. */
function actionOf(step: Step): string {
  return step.do.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}
