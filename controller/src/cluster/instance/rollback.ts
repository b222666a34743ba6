import type { ConnectorInstance } from '../../api/connector-instance.js';
import { ANNOTATIONS } from '../../api/group.js';
import { addRevision, type Revision, revisionsOf, withRevision } from '../../api/revisions.js';
import type { InstanceInputs } from '../../reconcile/inputs.js';
import type { Plan } from '../../reconcile/reconcile.js';
import { ready } from '../../reconcile/rollout/rollout.js';
import { currentTemplate } from '../objects/template.js';

/** The newest revision that is made from something else than the spec asks for. */
function lastGood(instance: ConnectorInstance, runtimeImage: string): Revision | undefined {
  const failed = currentTemplate(instance, runtimeImage);
  return revisionsOf(instance).find((each) => currentTemplate(withRevision(instance, each), runtimeImage) !== failed);
}

/**
 * The instance as it must run: with the members of the newest revision where its own template missed the deadline and `onDeadline` is Rollback.
 * The spec itself is its writer's, and is never changed.
 */
export function effectiveInstance(
  instance: ConnectorInstance,
  runtimeImage: string,
): { instance: ConnectorInstance; rolledBack?: string } {
  const failed = instance.metadata.annotations?.[ANNOTATIONS.rolledBack];
  if (failed === undefined || instance.spec.rollout.onDeadline !== 'Rollback') return { instance };
  if (failed !== currentTemplate(instance, runtimeImage)) return { instance };
  const good = lastGood(instance, runtimeImage);
  if (!good) return { instance };
  const { version } = instance.spec.connector;
  const message = `version ${version} (template ${failed}) did not become ready in time, so revision ${good.revision} runs: change the spec, or remove the annotation ${ANNOTATIONS.rolledBack} to try again`;
  return { instance: withRevision(instance, good), rolledBack: message };
}

/** Annotations that this reconcile changes: the history after a completed rollout, and the template that is rolled back. Pure. */
export function historyAnnotations(
  found: ConnectorInstance,
  running: ConnectorInstance,
  { inputs, plan, runtimeImage }: { inputs: InstanceInputs; plan: Plan; runtimeImage: string },
): Record<string, string | null> {
  const { desired } = inputs;
  if (desired.deleted || desired.suspend || desired.hosting === 'External') return {};
  const changed: Record<string, string | null> = {};
  const history = running.metadata.annotations?.[ANNOTATIONS.revisions];
  const live = inputs.replicas.filter(({ managed, retiring }) => managed && !retiring);
  const complete =
    live.length === desired.replicas && live.every((each) => each.template === desired.template && ready(each));
  if (complete && desired.enabled && live.length > 0 && revisionsOf(running)[0]?.template !== desired.template) {
    const next = addRevision(running, desired.template);
    if (next !== history && !(next === '[]' && history === undefined)) changed[ANNOTATIONS.revisions] = next;
  }
  const noted = found.metadata.annotations?.[ANNOTATIONS.rolledBack];
  const failed = currentTemplate(found, runtimeImage);
  const late = plan.conditions.some(({ type, reason }) => type === 'Stalled' && reason === 'ProgressDeadlineExceeded');
  if (noted !== undefined && noted !== failed) changed[ANNOTATIONS.rolledBack] = null;
  else if (noted === undefined && late && found.spec.rollout.onDeadline === 'Rollback' && lastGood(found, runtimeImage))
    changed[ANNOTATIONS.rolledBack] = failed;
  return changed;
}
