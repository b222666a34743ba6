import type { Step } from '../../reconcile/step.js';
import { type Failure, failureOf } from './failure.js';
import type { ReconcileFailure } from './status.js';

/** Something that failed in a reconcile: a step, or work outside of one. */
export interface Failed {
  step?: Step;
  cause: unknown;
  /** Without it gateways may not reach the hosts. */
  reaches?: true | undefined;
}

/** Failures that are named in one message at most. */
const MAX_NAMED = 3;

/**
 * What is reported of everything that failed: the first that only a change can fix, else the first that is not over by the next reconcile, with the
 * others beside it. `cause` is the error behind the reported one. Undefined when nothing failed.
 */
export function worstOf(failed: readonly Failed[]): { cause: unknown; said: ReconcileFailure } | undefined {
  const known = failed.map(({ step, cause }) => ({ cause, step, failure: failureOf(cause) }));
  const unreachable = failed.some(({ reaches, cause }) => reaches && failureOf(cause).stalled);
  const rank = ({ failure }: { failure: Failure }): number => (failure.passing ? 2 : failure.stalled ? 0 : 1);
  const [first, ...others] = known.toSorted((a, b) => rank(a) - rank(b));
  if (!first) return undefined;
  const told = [first, ...others.filter(({ failure }) => !failure.passing)].map(({ step, failure: { message } }) =>
    step && 'replica' in step ? `${step.replica}: ${message}` : message,
  );
  const messages = [...new Set(told)];
  const more = messages.length - MAX_NAMED;
  const message = [...messages.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join('; ');
  const steps = known.flatMap(({ step }) => (step ? [step.do] : []));
  return { cause: first.cause, said: { ...first.failure, message, steps, unreachable } };
}

/** What steps of single replicas failed with, by the replica's name; the first of each. */
export function failuresOfReplicas(failed: readonly Failed[]): Map<string, Failure> {
  const found = new Map<string, Failure>();
  for (const { step, cause } of failed)
    if (step && 'replica' in step && !found.has(step.replica)) found.set(step.replica, failureOf(cause));
  return found;
}
