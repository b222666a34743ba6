import type { ConnectorInstance, ConnectorInstanceStatus } from '../../api/connector-instance.js';
import type { ConnectorReplica, ConnectorReplicaStatus } from '../../api/connector-replica.js';
import { LABELS } from '../../api/group.js';
import { connectorInstanceId } from '../../api/names.js';
import { type Admission, takesWebhooks } from '../../fleet/admission.js';
import type { Observed } from '../../kube/record/conditions.js';
import type { ObservedReplica } from '../../reconcile/inputs.js';
import type { InstanceCondition, Plan } from '../../reconcile/reconcile.js';
import type { Step } from '../../reconcile/step.js';
import type { WebhookEdge } from '../objects/webhook-edge.js';
import { webhookUrl } from '../objects/webhook-objects.js';
import type { Failure } from './failure.js';
import type { VersionStatus } from './held-work/versions.js';
import type { ReplicaReach } from './replica-reach.js';

/** Most bytes of a condition's message. */
const MAX_MESSAGE = 4096;

/** What a reconcile failed with, and the steps that did. */
export type ReconcileFailure = Failure & {
  steps: readonly Step['do'][];
  /** What gateways reach the hosts by could not be made. */
  unreachable?: boolean;
};

/** What a step that failed leaves undone, so that the plan must not claim it. */
const UNDONE: Readonly<Partial<Record<Step['do'], readonly string[]>>> = {
  'admit-version': ['Admitted', 'Bound'],
  'put-instance': ['Admitted', 'Bound'],
  'put-binding': ['Bound'],
};

/**
 * Conditions of an instance after a reconcile. A failure of it, in a step or outside of one, is reported by Stalled or Reconciling, and by
 * Admitted and Bound where they are what failed.
 */
export function instanceConditions(plan: Plan, failure: ReconcileFailure | undefined): Observed[] {
  const said: InstanceCondition[] = plan.conditions;
  if (!failure || failure.passing) return said.map(cut);
  const { reason, message, steps } = failure;
  const undone = steps.flatMap((step) => UNDONE[step] ?? []);
  const status = failure.stalled ? 'False' : 'Unknown';
  const without = said.filter(({ type }) => type !== 'Stalled' && type !== 'Reconciling');
  const out: Observed[] = without.map((condition) => {
    if (undone.includes(condition.type)) return { ...condition, status, reason, message };
    if (condition.type !== 'Ready') return condition;
    if (failure.unreachable) return { ...condition, status: 'False', reason, message };
    return condition.status === 'True' ? condition : { ...condition, reason, message };
  });
  out.push({ type: failure.stalled ? 'Stalled' : 'Reconciling', status: 'True', reason, message });
  return out.map(cut);
}

function cut(condition: Observed): Observed {
  const { message } = condition;
  return message.length <= MAX_MESSAGE ? condition : { ...condition, message: `${message.slice(0, MAX_MESSAGE - 1)}…` };
}

/** Status of an instance without its conditions. */
export function instanceStatus(
  instance: ConnectorInstance,
  {
    plan,
    admission,
    configRevision,
    versions = [],
    webhooks = { from: [] },
  }: {
    plan: Plan;
    admission: Admission | undefined;
    configRevision: number;
    versions?: VersionStatus[];
    webhooks?: WebhookEdge;
  },
): Omit<ConnectorInstanceStatus, 'conditions'> {
  const { counts } = plan;
  return {
    observedGeneration: instance.metadata.generation ?? 0,
    replicas: counts.replicas,
    readyReplicas: counts.ready,
    updatedReplicas: counts.updated,
    drainingReplicas: counts.draining,
    selector: `${LABELS.instance}=${instance.metadata.name},app.kubernetes.io/component=host`,
    instanceId: connectorInstanceId(instance, instance.metadata.uid as string),
    configRevision,
    ...(versions.length > 0 && { versions }),
    ...(admission
      ? {
          versionId: admission.versionId,
          manifestDigest: admission.manifestDigest,
          capabilities: admission.manifest.capabilities?.length ?? 0,
          ...(takesWebhooks(instance, admission.manifest) && { webhookUrl: webhookUrl(instance, webhooks) }),
        }
      : {}),
  };
}

const STATES: Readonly<Record<ObservedReplica['record'], NonNullable<ConnectorReplicaStatus['state']>>> = {
  absent: 'Offline',
  offline: 'Offline',
  ready: 'Ready',
  draining: 'Draining',
  expired: 'Expired',
};

/** Status and conditions of a replica; only changes of state make them differ. */
export function replicaStatus(
  replica: ConnectorReplica,
  seen: ObservedReplica,
  {
    podName,
    failure,
    version,
    reach,
    drain,
  }: {
    podName: string | undefined;
    failure?: Failure | undefined;
    version?: string | undefined;
    reach?: ReplicaReach;
    drain?: ConnectorReplicaStatus['drain'];
  },
): { status: Omit<ConnectorReplicaStatus, 'conditions'>; conditions: Observed[] } {
  const state = STATES[seen.record];
  const condition = (type: string, is: boolean, reason: string, message: string): Observed => ({
    type,
    status: is ? 'True' : 'False',
    reason,
    message,
  });
  const registered = seen.record === 'ready' || seen.record === 'draining';
  const serves = seen.record === 'ready';
  const refused = !serves && failure && !failure.passing ? failure : undefined;
  return {
    status: {
      state,
      observedGeneration: replica.metadata.generation ?? 0,
      ...(podName === undefined ? {} : { podName }),
      ...(version === undefined ? {} : { version }),
      ...reach,
      ...(drain && { drain }),
    },
    conditions: [
      condition(
        'Provisioned',
        seen.record !== 'absent',
        seen.record === 'absent' ? (refused?.reason ?? 'RecordMissing') : 'Provisioned',
        seen.record === 'absent'
          ? (refused?.message ?? 'it is not in the registry yet')
          : 'identity and registry record are there',
      ),
      condition(
        'Registered',
        registered,
        registered ? 'LeaseHeld' : state,
        registered ? 'its host holds a lease' : 'no host holds its lease',
      ),
      condition('Ready', serves, refused?.reason ?? state, refused?.message ?? `the host is ${state.toLowerCase()}`),
    ],
  };
}
