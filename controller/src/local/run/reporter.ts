import { shownName } from '../../api/metadata.js';
import type { ReconcileFailure } from '../../cluster/instance/status.js';
import type { Step } from '../../reconcile/step.js';
import { problemOf } from '../state/dev-info.js';
import type { InstanceOutcome } from '../state/instance-outcome.js';
import type { OnNote } from '../state/note.js';
import type { Publisher } from '../state/published.js';

/** Reports what happens to instances: as events of status.json, and as notes for people, each once. */
export interface Reporter {
  step(instance: string, step: Pick<Step, 'reason' | 'message'>): void;
  failed(instance: string, failure: ReconcileFailure): void;
  /** Reports what is wrong with the instances after a reconcile, and when it is over. */
  reconciled(outcomes: ReadonlyMap<string, InstanceOutcome>): void;
  /** The contract of a capability changed and was taken over. */
  redefined(instance: string, note: string): void;
}

/** Opens a reporter; steps are noted once `noteSteps` says so, as events always. */
export function openReporter(options: { publisher: Publisher; onNote: OnNote; noteSteps: () => boolean }): Reporter {
  const { publisher, onNote, noteSteps } = options;
  /** The last failure that was noted, by instance. */
  const noted = new Map<string, string>();
  /** What is wrong now, by instance. */
  const problems = new Map<string, string>();
  const recovered = (key: string, entry: InstanceOutcome): void => {
    if (!entry.conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) return;
    problems.delete(key);
    onNote(`${shownName(key)}: ready`, 'good');
  };
  const problemOfOne = (key: string, entry: InstanceOutcome): void => {
    const problem = problemOf(entry);
    if (problem === problems.get(key)) return;
    if (problem === undefined) {
      recovered(key, entry);
      return;
    }
    problems.set(key, problem);
    const [reason = '', ...rest] = problem.split(': ');
    publisher.event({ type: 'Warning', reason, instance: key, note: rest.join(': ') });
    const text = `${shownName(key)}: ${problem}`;
    if (noted.get(key) !== text) onNote(text);
  };
  return {
    step: (instance, { reason, message }) => {
      noted.delete(instance);
      publisher.event({ type: 'Normal', reason, instance, note: message });
      if (noteSteps()) onNote(`${shownName(instance)}: ${message}`, 'step');
    },
    failed: (instance, { reason, message }) => {
      publisher.event({ type: 'Warning', reason, instance, note: message });
      const text = `${instance === '' ? '' : `${shownName(instance)}: `}${reason}: ${message}`;
      if (noted.get(instance) !== text) onNote(text);
      noted.set(instance, text);
    },
    reconciled: (outcomes) => {
      noted.delete('');
      for (const [key, entry] of outcomes) problemOfOne(key, entry);
    },
    redefined: (instance, note) => {
      publisher.event({ type: 'Normal', reason: 'ContractChanged', instance, note });
      onNote(`${shownName(instance)}: ${note}`);
    },
  };
}
