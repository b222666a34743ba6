/** What has to be done; the order in a plan is the order of doing. Every step may be repeated without harm. */
export type Action =
  | { do: 'describe' }
  | { do: 'admit-version'; versionId: string }
  | { do: 'put-instance'; versionId: string; configRevision: number; enabled: boolean; keepsRoutes?: boolean }
  | { do: 'put-canary'; canary: { versionId: string; percent: number } | undefined }
  | {
      do: 'put-binding';
      capabilityId: string;
      priority: number;
      quotaPolicy?: string | undefined;
      credentialRevision?: string | undefined;
      enabled: boolean;
    }
  | { do: 'put-scaling'; scaling: { idleAfterMs: number; wakeTimeoutMs: number } | undefined }
  | { do: 'begin-idle' }
  | { do: 'end-wake' }
  | { do: 'provision'; replica: string; ordinal: number; template: string; managed: boolean }
  | { do: 'start'; replica: string }
  | { do: 'drain'; replica: string; timeoutMs: number }
  | { do: 'stop'; replica: string; timeoutMs: number }
  | { do: 'remove'; replica: string }
  | { do: 'forget-instance' };

/** One action with the CamelCase reason and the message that people read. */
export type Step = Action & { reason: string; message: string };

/** An observation about the instance. */
export interface Observation {
  type: 'Admitted' | 'Bound' | 'Progressing';
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
}

/** What one decision found: steps in order, at most one observation, and whether later decisions may act. */
export interface Decision {
  steps: Step[];
  observation?: Observation;
  /** False stops the decisions that build on this one. */
  proceed: boolean;
  /** The instance stays at its version while hosts of that take new work. */
  moveAwaited?: boolean;
}
