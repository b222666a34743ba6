import type { Action, Capability } from '../../protocol/types.js';
import type { Admission } from '../journal/journal.js';
import { isSafeToRepeat, mayRunAgain } from './results.js';

/**
 * What to do with a delivery of an action: call the connector for the first time or again, answer what is recorded, ask the provider what
 * became of the first call, or say that nobody knows.
 */
export type Resumption = 'run' | 'run_again' | 'answer' | 'reconcile' | 'unknown';

/**
 * Decides from the journal alone. A recorded result is answered again without a call, unless a new message retries a failure that left
 * nothing behind. An execution that a former process began runs again only where the contract says that this is safe; the same
 * idempotency key goes with it.
 */
export function resumption(
  admission: Exclude<Admission, { kind: 'forged' }>,
  action: Action,
  capability: Capability,
  canReconcile: boolean,
): Resumption {
  if (admission.kind === 'fresh') return 'run';
  const { kind, record } = admission;
  if (record.result) return kind === 'known' && mayRunAgain(record.result) ? 'run_again' : 'answer';
  if (isSafeToRepeat(capability, action)) return 'run_again';
  return canReconcile ? 'reconcile' : 'unknown';
}
