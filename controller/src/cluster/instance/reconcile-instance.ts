import type { ConnectorInstance } from '../../api/connector-instance.js';
import { replicaName } from '../../api/names.js';
import { reconcile } from '../../reconcile/reconcile.js';
import { surroundings } from '../steps/shared-objects.js';
import { carryOut } from './execute-plan.js';
import { failureOf } from './failure.js';
import { nextRoundMs } from './next-reconcile.js';
import { observeInstance } from './observe.js';
import { removeLeftovers } from './orphans.js';
import type { RoundDeps } from './reconcile-context.js';
import type { FailedRound } from './status.js';
import type { ClusterView } from './view.js';
import { tellInstance, tellNotBegun, tellReplicas } from './write-status.js';

/** How a round ended: another one is due after `againMs`, if given. */
export interface RoundResult {
  againMs?: number | undefined;
}

/**
 * One round of one instance: observe, decide, carry out, tell. Throws the error that a part of it failed with, after its status was written, so
 * that the queue brings the instance back with growing pauses.
 */
export async function instanceRound(key: string, given: RoundDeps, signal: AbortSignal): Promise<RoundResult> {
  const { view, machine } = given;
  const found = view.instance(key);
  if (!found) {
    await removeLeftovers(view.replicasOf(key), machine);
    return {};
  }
  // Nothing can be made there any more; the instance is deleted in its turn.
  const terminating = isTerminating(found, view);
  if (terminating && !found.metadata.deletionTimestamp) return {};
  const deps: RoundDeps = terminating ? { ...given, events: { record: () => undefined } } : given;

  const { inputs, subject, marks, admission, unasked } = await observeInstance(found, deps).catch(
    async (error: unknown) => {
      await tellNotBegun(found, failureOf(error), deps);
      throw error;
    },
  );
  const { instance, replicas } = subject;
  const { name } = instance.metadata;
  const plan = reconcile(inputs, (template, ordinal) => replicaName(name, template, ordinal));
  const isForgotten = plan.steps.some((step) => step.do === 'forget-instance');
  if (inputs.desired.forced && plan.steps.length > 0)
    deps.events.record(instance, {
      type: 'Warning',
      reason: 'RemovalForced',
      note: `removes ${name} without waiting for its hosts: the deadline is past, or an annotation says so`,
      action: 'Remove',
    });

  let failure: { cause: unknown; said: FailedRound } | undefined;
  const fail = (cause: unknown, step?: FailedRound['step']): void => {
    failure = { cause, said: { ...failureOf(cause), step } };
  };
  if (unasked !== undefined) fail(unasked);
  else {
    const carried = await carryOut(plan.steps, subject, deps, signal);
    if (carried.ended === 'aborted') return {};
    if (carried.ended === 'failed') fail(carried.cause, carried.at);
    else if (isForgotten) return {};
    else if (instance.spec.hosting === 'Managed' && !inputs.desired.deleted && replicas.size > 0)
      await surroundings(instance, machine).catch((error: unknown) => fail(error));
  }

  await tellInstance(instance, { plan, failure: failure?.said, admission, marks }, deps);
  const going = new Set(plan.steps.flatMap((step) => (step.do === 'remove' ? [step.replica] : [])));
  const staying = [...replicas.values()].filter((replica) => !going.has(replica.metadata.name));
  await tellReplicas(inputs, staying, deps);
  if (failure) throw failure.cause;
  return { againMs: nextRoundMs(inputs, { hasSteps: plan.steps.length > 0, pods: subject.pods }) };
}

/** Is the instance's namespace being deleted? */
function isTerminating({ metadata }: ConnectorInstance, view: ClusterView): boolean {
  return view.namespace(metadata.namespace)?.metadata.deletionTimestamp !== undefined;
}
