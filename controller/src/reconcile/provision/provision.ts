import { restarts } from '../heal/heal.js';
import { isWaking } from '../idle/idle.js';
import type { InstanceInputs } from '../inputs.js';
import { type Rollout, rollout } from '../rollout/rollout.js';
import type { Decision, Step } from '../step.js';
import { progress } from './progress.js';

/** Has every replica that should be there its key and registry record, and does it run? */
export function provision(inputs: InstanceInputs, nameOf: (template: string, ordinal: number) => string): Decision {
  if (inputs.desired.deleted) return { steps: [], proceed: true };
  if (inputs.desired.hosting === 'External') return { steps: externalReplicas(inputs), proceed: true };
  const decided = rollout(inputs);
  const steps = [
    ...missingRecords(decided),
    ...restarts(decided.staying),
    ...newReplicas(inputs, decided, (ordinal) => nameOf(inputs.desired.template, ordinal)),
  ];
  const observation = progress(inputs, decided);
  return { steps, ...(observation && { observation }), proceed: true };
}

/** Replicas whose hosts run elsewhere are registered and never started. */
function externalReplicas({ desired, replicas }: InstanceInputs): Step[] {
  const known = new Set(replicas.filter((replica) => replica.record !== 'absent').map((replica) => replica.name));
  return desired.external.flatMap((replica, ordinal): Step[] =>
    known.has(replica)
      ? []
      : [
          {
            do: 'provision',
            replica,
            ordinal,
            template: desired.template,
            managed: false,
            reason: 'ReplicaUnknown',
            message: `Registering ${replica} as offline; its host runs elsewhere`,
          },
        ],
  );
}

/** Replicas that stay and whose record was lost. */
function missingRecords({ staying }: Rollout): Step[] {
  return staying
    .filter(({ record }) => record === 'absent')
    .map(({ name, ordinal, template }) => ({
      do: 'provision',
      replica: name,
      ordinal,
      template,
      managed: true,
      reason: 'RecordMissing',
      message: `Registering ${name} as offline`,
    }));
}

function newReplicas(
  inputs: InstanceInputs,
  { create, live, current }: Rollout,
  nameOf: (ordinal: number) => string,
): Step[] {
  const { template } = inputs.desired;
  const reason = live.length > current.length ? 'Surge' : isWaking(inputs) ? 'Waking' : 'TooFewReplicas';
  return create.flatMap((ordinal): Step[] => {
    const replica = nameOf(ordinal);
    const message = `Registering ${replica} as offline with a key of its own`;
    return [
      { do: 'provision', replica, ordinal, template, managed: true, reason, message },
      { do: 'start', replica, reason, message: `Starting ${replica}` },
    ];
  });
}
