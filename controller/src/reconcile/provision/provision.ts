import { restarts } from '../heal/heal.js';
import { isWaking } from '../idle/idle.js';
import type { InstanceInputs } from '../inputs.js';
import { rollout } from '../rollout/rollout.js';
import type { Decision, Step } from '../step.js';

/** Has every replica that should be there its key and registry record, and does it run? */
export function provision(inputs: InstanceInputs, nameOf: (template: string, ordinal: number) => string): Decision {
  const { desired, replicas } = inputs;
  if (desired.deleted) return { steps: [], proceed: true };
  const steps: Step[] = [];
  if (desired.hosting === 'External') {
    const known = new Set(replicas.filter((replica) => replica.record !== 'absent').map((replica) => replica.name));
    for (const [ordinal, replica] of desired.external.entries()) {
      if (known.has(replica)) continue;
      steps.push({
        do: 'provision',
        replica,
        ordinal,
        template: desired.template,
        managed: false,
        reason: 'ReplicaUnknown',
        message: `Registering ${replica} as offline; its host runs elsewhere`,
      });
    }
    return { steps, proceed: true };
  }
  const { create, live, staying, current, stalled, canary } = rollout(inputs);
  for (const replica of staying) {
    if (replica.record === 'absent')
      steps.push({
        do: 'provision',
        replica: replica.name,
        ordinal: replica.ordinal,
        template: replica.template,
        managed: true,
        reason: 'RecordMissing',
        message: `Registering ${replica.name} as offline`,
      });
  }
  steps.push(...restarts(staying));
  for (const ordinal of create) {
    const replica = nameOf(desired.template, ordinal);
    const reason = live.length > current.length ? 'Surge' : isWaking(inputs) ? 'Waking' : 'TooFewReplicas';
    steps.push({
      do: 'provision',
      replica,
      ordinal,
      template: desired.template,
      managed: true,
      reason,
      message: `Registering ${replica} as offline with a key of its own`,
    });
    steps.push({ do: 'start', replica, reason, message: `Starting ${replica}` });
  }
  const stuck = current.find(({ record, trouble }) => record !== 'ready' && trouble !== undefined);
  if (stalled) {
    const why = stuck ? `${stuck.name}: ${stuck.trouble}` : 'their logs say why';
    return {
      steps,
      observation: {
        type: 'Progressing',
        status: 'False',
        reason: 'ProgressDeadlineExceeded',
        message:
          live.length > current.length
            ? `the new replicas did not become ready in time and the old ones keep serving; ${why}`
            : `the replicas did not become ready in time; ${why}`,
      },
      proceed: true,
    };
  }
  if (stuck)
    return {
      steps,
      observation: {
        type: 'Progressing',
        status: 'Unknown',
        reason: 'HostTrouble',
        message: `${stuck.name}: ${stuck.trouble}`,
      },
      proceed: true,
    };
  const old = live.length - current.length;
  if (canary?.state === 'failed' && desired.rolledBack === undefined)
    return {
      steps,
      observation: { type: 'Progressing', status: 'False', reason: 'CanaryFailed', message: canary.message },
      proceed: true,
    };
  if (canary?.state === 'open' && desired.canary)
    return {
      steps,
      observation: {
        type: 'Progressing',
        status: 'Unknown',
        reason: 'Canary',
        message: `${canary.replicas} of ${desired.replicas} replicas are tried for ${desired.canary.durationMs / 1000} s before the others are replaced`,
      },
      proceed: true,
    };
  if (old > 0 && desired.paused)
    return {
      steps,
      observation: {
        type: 'Progressing',
        status: 'Unknown',
        reason: 'RolloutPaused',
        message: `${old} replicas are not replaced while spec.rollout.paused is true`,
      },
      proceed: true,
    };
  if (desired.rolledBack !== undefined)
    return {
      steps,
      observation: { type: 'Progressing', status: 'False', reason: 'RolledBack', message: desired.rolledBack },
      proceed: true,
    };
  if (old > 0)
    return {
      steps,
      observation: {
        type: 'Progressing',
        status: 'Unknown',
        reason: 'RollingOut',
        message: `${old} replicas are still to be replaced`,
      },
      proceed: true,
    };
  return { steps, proceed: true };
}
