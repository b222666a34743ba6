import type { ConnectorInstance } from '../../api/connector-instance.js';
import type { ConnectorReplica } from '../../api/connector-replica.js';
import { KINDS } from '../../api/kinds.js';
import { replicaName } from '../../api/names.js';
import { type Plan, reconcile } from '../../reconcile/reconcile.js';
import { type ClusterView, isForeign } from '../observed/view.js';
import { restoreMetadata } from '../steps/restore.js';
import { ensureSharedObjects } from '../steps/shared-objects.js';
import { ensureWebhooks } from '../steps/webhooks.js';
import { executePlan } from './execute-plan.js';
import { failureOf } from './failure.js';
import { type Failed, failuresOfReplicas, worstOf } from './failures.js';
import { leaveOrTakeOver, replaceForeignReplicas, withdrawForeign } from './foreign.js';
import { nextReconcileMs } from './next-reconcile.js';
import { observeInstance } from './observe.js';
import { removeOrphans, removeStrayRecords } from './orphans.js';
import type { ReconcileContext } from './reconcile-context.js';
import { historyAnnotations } from './rollback.js';
import { replicaUpdates, writeInstanceStatus, writeNotStarted, writeReplicaStatuses } from './write-status.js';

/** The history that was written has been read back by then, in ms. */
const AFTER_HISTORY_MS = 500;

/** An instance whose replicas were removed comes again then at the latest, in ms; the end of each is reported before. */
const AFTER_REMOVAL_MS = 1000;

/** How a reconcile ended: another one is due after `againMs`, if given. */
export interface ReconcileResult {
  againMs?: number | undefined;
}

/**
 * One reconcile of one instance: observe, decide, execute, report. Throws the error that a part of it failed with, after its status was written, so
 * that the queue brings the instance back with growing pauses.
 */
export async function reconcileInstance(
  key: string,
  given: ReconcileContext,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { view, cluster } = given;
  const found = view.instance(key);
  if (!found) {
    await removeOrphans(view.replicasOf(key), cluster);
    return {};
  }
  if (isForeign(found, cluster.releaseId)) return { againMs: await leaveOrTakeOver(found, given) };
  // Nothing can be made there any more; the instance is deleted in its turn.
  const terminating = isTerminating(found, view);
  if (terminating && !found.metadata.deletionTimestamp) return {};
  const deps: ReconcileContext = terminating ? { ...given, events: { record: () => undefined } } : given;

  const notStarted = async (error: unknown): Promise<never> => {
    await writeNotStarted(found, failureOf(error), deps);
    throw error;
  };
  const { inputs, target, marks, admission, records, hostFailures, unasked } = await observeInstance(found, deps).catch(
    notStarted,
  );
  const foreignMs = await withdrawForeign(found, deps);
  const isKept = !inputs.desired.deleted && !inputs.desired.suspend;
  if (isKept && (await replaceForeignReplicas(target, cluster).catch(notStarted))) return { againMs: AFTER_REMOVAL_MS };
  const { instance, replicas } = target;
  const { name } = instance.metadata;
  const plan = reconcile(inputs, (template, ordinal) => replicaName(name, template, ordinal));
  const isForgotten = plan.steps.some((step) => step.do === 'forget-instance');
  if (inputs.desired.forced && plan.steps.length > 0)
    deps.events.record(instance, {
      type: 'Warning',
      reason: 'RemovalForced',
      note: `Removing ${name} without waiting for its hosts: the deadline has passed, or an annotation requests it`,
      action: 'Remove',
    });

  const failed: Failed[] = [];
  if (unasked !== undefined) failed.push({ cause: unasked });
  else {
    const executed = await executePlan(plan.steps, target, deps, signal);
    if (executed.aborted) return {};
    failed.push(...executed.failed);
    if (isForgotten && failed.length === 0) return {};
    const others = (work: Promise<void>, reaches?: true): Promise<unknown> =>
      work.catch((cause: unknown) => failed.push({ cause, reaches }));
    if (isKept && instance.spec.hosting === 'Managed' && replicas.size > 0) {
      await others(ensureSharedObjects(instance, cluster), true);
      if (cluster.databases.isOutdated(instance)) await others(target.shared.database());
      await others(ensureWebhooks(instance, admission?.ok ? admission.admission : undefined, cluster));
      await others(restoreMetadata(stayingOf(plan, replicas), target, cluster));
    }
    await others(removeStrayRecords(records, replicas, { registry: cluster.registry, now: inputs.now }));
  }
  const failure = worstOf(failed);

  const facts = { inputs, instance, admission, records, hostFailures, failures: failuresOfReplicas(failed) };
  const updates = replicaUpdates(stayingOf(plan, replicas), facts, deps.clock());
  await writeInstanceStatus(instance, { plan, failure: failure?.said, admission, marks, updates }, deps);
  await writeReplicaStatuses(updates, deps);
  if (failure) throw failure.cause;
  const history = historyAnnotations(found, instance, { inputs, plan, runtimeImage: cluster.runtimeImage });
  if (Object.keys(history).length > 0) {
    await cluster.kube.merge(KINDS.connectorInstance, instance.metadata, { metadata: { annotations: history } });
    return { againMs: AFTER_HISTORY_MS };
  }
  const nextMs = nextReconcileMs(inputs, { hasSteps: plan.steps.length > 0, pods: target.pods });
  return { againMs: foreignMs === undefined ? nextMs : Math.min(foreignMs, nextMs ?? foreignMs) };
}

/** The replicas that the plan does not remove. */
function stayingOf({ steps }: Plan, replicas: ReadonlyMap<string, ConnectorReplica>): ConnectorReplica[] {
  const removed = new Set(steps.flatMap((step) => (step.do === 'remove' ? [step.replica] : [])));
  return [...replicas.values()].filter((replica) => !removed.has(replica.metadata.name));
}

/** Is the instance's namespace being deleted? */
function isTerminating({ metadata }: ConnectorInstance, view: ClusterView): boolean {
  return view.namespace(metadata.namespace)?.metadata.deletionTimestamp !== undefined;
}
