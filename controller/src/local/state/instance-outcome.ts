import type { Condition } from '../../api/status.js';
import type { Admission } from '../../fleet/admission.js';
import type { Plan } from '../../reconcile/reconcile.js';

/** An instance after a reconcile: its plan, and how far it is. */
export interface InstanceOutcome {
  key: string;
  plan: Plan;
  /** As a cluster's controller would write them, with what failed. */
  conditions: Condition[];
  admission: Admission | undefined;
  /** When hosts that still hold work are killed at the latest, in ms since the epoch, by replica key. */
  endsAt: ReadonlyMap<string, number>;
}
