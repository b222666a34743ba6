import type { TrustBundle } from '../bundle.js';
import type { Certificate } from '../certificates/certificate.js';
import type { KeyRole } from '../names.js';
import type { LeafNames } from './inputs.js';

/** What is rotated. */
export type Subject = 'ca' | KeyRole;

/** Where a new key or authority goes: into use at once, or beside the active one until all know it. */
export type Slot = 'active' | 'next';

/** What has to be done; the order in a plan is the order of doing. Every step may be repeated without harm. */
export type TrustAction =
  | { do: 'create-ca'; slot: Slot; previous: readonly Certificate[] }
  | { do: 'create-key'; role: KeyRole; slot: Slot; previousDids: readonly string[] }
  | { do: 'add-next'; subject: Subject; handled: string | undefined }
  | { do: 'stamp'; subject: Subject; at: number }
  | { do: 'unstamp'; subject: Subject }
  | { do: 'promote'; subject: Subject }
  | { do: 'drop'; subject: Subject }
  | ({ do: 'issue-leaf'; role: KeyRole } & LeafNames)
  | { do: 'adopt-leaf'; role: KeyRole }
  | { do: 'publish'; namespace: string; bundle: TrustBundle };

/** One action, the object it changes, the CamelCase reason and the message that people read. */
export type TrustStep = TrustAction & { object: string; reason: string; message: string };

/** How one object stands. Stalled: only a person can fix it, and the message says how. */
export interface TrustObservation {
  readonly object: string;
  readonly type: 'Ready' | 'Rotating' | 'Stalled';
  readonly reason: string;
  readonly message: string;
}

/** What one decision found. `wakeAt`: when something becomes due, in ms since the epoch. */
export interface TrustDecision {
  readonly steps: readonly TrustStep[];
  readonly observations: readonly TrustObservation[];
  readonly wakeAt?: number | undefined;
}

/** Several decisions as one, in order, with the earliest time to look again. */
export function joined(decisions: readonly TrustDecision[]): TrustDecision {
  const times = decisions.flatMap(({ wakeAt }) => (wakeAt === undefined ? [] : [wakeAt]));
  return {
    steps: decisions.flatMap(({ steps }) => steps),
    observations: decisions.flatMap(({ observations }) => observations),
    wakeAt: times.length === 0 ? undefined : Math.min(...times),
  };
}
