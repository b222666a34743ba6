import type { Step } from '../../reconcile/step.js';
import { applyStep } from './apply.js';
import type { ReconcileContext } from './reconcile-context.js';
import type { Target } from './target.js';

/** Steps that are told as events; the others are inner matters of the registry. */
const TOLD = new Set(['admit-version', 'provision', 'start', 'drain', 'stop', 'remove', 'forget-instance']);

/** How far steps came: all of them, up to the one that failed, or up to where the work was told to end. */
export type CarriedOut = { ended: 'all' | 'aborted' } | { ended: 'failed'; at: Step['do']; cause: unknown };

/** Carries steps out in their order, and tells those that people want to know of. */
export async function executePlan(
  steps: readonly Step[],
  target: Target,
  { cluster, events }: Pick<ReconcileContext, 'cluster' | 'events'>,
  signal: AbortSignal,
): Promise<CarriedOut> {
  for (const step of steps) {
    if (signal.aborted) return { ended: 'aborted' };
    try {
      await applyStep(step, target, cluster);
    } catch (cause) {
      return { ended: 'failed', at: step.do, cause };
    }
    if (!TOLD.has(step.do)) continue;
    const { reason, message: note } = step;
    events.record(target.instance, { type: 'Normal', reason, note, action: actionOf(step) });
  }
  return { ended: 'all' };
}

/** `admit-version` as `AdmitVersion`, as Events want it. */
function actionOf(step: Step): string {
  return step.do.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}
