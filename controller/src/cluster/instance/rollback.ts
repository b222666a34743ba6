import type { ConnectorInstance } from '../../api/connector-instance.js';
import { ANNOTATIONS } from '../../api/group.js';
import { addRevision, type Revision, revisionsOf, withRevision } from '../../api/revisions.js';
import type { InstanceInputs } from '../../reconcile/inputs.js';
import type { Plan } from '../../reconcile/reconcile.js';
import { canaryOf } from '../../reconcile/rollout/canary.js';
import { ready } from '../../reconcile/rollout/ready.js';
import { currentTemplate } from '../objects/template.js';

/** The newest revision that is made from something else than what the spec requests. */
function lastGood(instance: ConnectorInstance, runtimeImage: string): Revision | undefined {
  const failed = currentTemplate(instance, runtimeImage);
  return revisionsOf(instance).find((each) => currentTemplate(withRevision(instance, each), runtimeImage) !== failed);
}

/** The template that is replaced by an earlier one, with the reason of a canary that failed. */
function rolledBackOf({ metadata }: ConnectorInstance): { template: string; why: string | undefined } | undefined {
  const noted = metadata.annotations?.[ANNOTATIONS.rolledBack];
  if (noted === undefined) return undefined;
  const [template = '', ...why] = noted.split(': ');
  return { template, why: why.length === 0 ? undefined : why.join(': ') };
}

/**
 * The instance as it must run: with the members of the newest revision where its own template missed the deadline and `onDeadline` is Rollback, or failed as
 * a canary.
 * The spec itself is its writer's, and is never changed.
 */
export function effectiveInstance(
  instance: ConnectorInstance,
  runtimeImage: string,
): { instance: ConnectorInstance; rolledBack?: string } {
  const { template: failed, why } = rolledBackOf(instance) ?? {};
  const { onDeadline, canary } = instance.spec.rollout;
  const asked = why === undefined ? onDeadline === 'Rollback' : canary !== undefined;
  if (failed === undefined || !asked || failed !== currentTemplate(instance, runtimeImage)) return { instance };
  const good = lastGood(instance, runtimeImage);
  if (!good) return { instance };
  const { version } = instance.spec.connector;
  const message = `version ${version} (template ${failed}) ${why === undefined ? 'did not become ready in time' : `failed its trial (${why})`}, so revision ${good.revision} runs: change the spec, or remove the annotation ${ANNOTATIONS.rolledBack} to try again`;
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
  const noted = rolledBackOf(found);
  const wanted = currentTemplate(found, runtimeImage);
  const stalled = (why: string): string | undefined =>
    plan.conditions.find(({ type, reason }) => type === 'Stalled' && reason === why)?.message;
  const late = stalled('ProgressDeadlineExceeded') !== undefined && found.spec.rollout.onDeadline === 'Rollback';
  const failed = stalled('CanaryFailed');
  if (noted && noted.template !== wanted) changed[ANNOTATIONS.rolledBack] = null;
  else if (!noted && (late || failed) && lastGood(found, runtimeImage))
    changed[ANNOTATIONS.rolledBack] = failed === undefined ? wanted : `${wanted}: ${failed}`;
  const passed = found.metadata.annotations?.[ANNOTATIONS.canaryPassed];
  if (canaryOf(inputs)?.state === 'passed') changed[ANNOTATIONS.canaryPassed] = wanted;
  else if (passed !== undefined && passed !== wanted) changed[ANNOTATIONS.canaryPassed] = null;
  return changed;
}
