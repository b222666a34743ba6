/** What the connector said about itself, or why it could not. */
export type Description =
  | { ok: true; versionId: string; manifestDigest: string; capabilityIds: readonly string[] }
  | { ok: false; message: string; reason?: string | undefined };

/** One entry of the desired bindings: capability ids (`*` at the end stands for any ending) and the tenant's policy for them. */
export interface DesiredBinding {
  capabilities: readonly string[];
  priority: number;
  quotaPolicy?: string | undefined;
  credentialRevision?: string | undefined;
}

/** How a new template is tried. */
export interface DesiredCanary {
  /** Share of the replicas, and of the new work where the version is another one. */
  percent: number;
  /** How long it is tried, in ms. */
  durationMs: number;
  /** Ended actions before it may be judged earlier. */
  minActions: number;
  maxFailurePercent: number;
}

/** How the actions of a canary ended. */
export interface CanaryOutcome {
  finished: number;
  failed: number;
}

/** What an instance should be. */
export interface DesiredInstance {
  name: string;
  hosting: 'Managed' | 'External';
  /** The instance was removed; everything that belongs to it must be removed. */
  deleted: boolean;
  suspend: boolean;
  enabled: boolean;
  /** Hosts wanted; means nothing for an External instance. */
  replicas: number;
  /** Names what the replicas are made from; replicas of another template are replaced. */
  template: string;
  configRevision: number;
  bindings: readonly DesiredBinding[];
  maxSurge: number;
  maxUnavailable: number;
  drainTimeoutMs: number;
  progressDeadlineMs: number;
  /** Replicas of another template are not replaced. */
  paused?: boolean | undefined;
  /** Why an earlier revision runs instead of the spec. */
  rolledBack?: string | undefined;
  /** How a new template is tried before it replaces the others; absent where it is not, or was. */
  canary?: DesiredCanary | undefined;
  /** It goes without hosts while no action needs it; how long an action waits for one, in ms. */
  scaleToZero?: { idleAfterMs: number; wakeTimeoutMs: number } | undefined;
  /** Removal waits for nothing any more. */
  forced?: boolean | undefined;
  /** Names of the replicas that the user registered; External only. */
  external: readonly string[];
}

/** A binding as the registry holds it. */
export interface ObservedBinding {
  capabilityId: string;
  priority: number;
  quotaPolicy?: string | undefined;
  credentialRevision?: string | undefined;
  enabled: boolean;
}

/** What the registry holds of an instance; a member is absent when the registry has no such record. */
export interface ObservedRegistry {
  /** The version that the description names. */
  version?: { id: string; active: boolean } | undefined;
  instance?: { versionId: string; configRevision: number; enabled: boolean; keepsRoutes?: boolean } | undefined;
  bindings: readonly ObservedBinding[];
  /** A version that takes a share of the new work. */
  canary?: { versionId: string; percent: number } | undefined;
  /** Whether it is without hosts because no action needs it; absent where it does not go without. Times in ms. */
  scaling?:
    | { state: 'awake' | 'idle' | 'waking'; activeSince: number; idleAfterMs: number; wakeTimeoutMs: number }
    | undefined;
}

/** One replica as it is: registry record and the thing that runs it. */
export interface ObservedReplica {
  name: string;
  ordinal: number;
  template: string;
  managed: boolean;
  /** State of the registry record; `absent` before it is provisioned. */
  record: 'absent' | 'offline' | 'ready' | 'draining' | 'expired';
  /** Version of its registry record. */
  versionId?: string | undefined;
  /** State of what runs it; `absent` for External replicas. */
  runner: 'absent' | 'running' | 'stopping';
  /** Why what runs it does not come up, where something is known. */
  trouble?: string | undefined;
  /** Gateways could not reach its host, and send it no new work for a while. */
  unreachable?: boolean | undefined;
  /** Actions pinned to it that have not ended. */
  inFlight: number;
  /** It was asked to drain and will not come back. */
  retiring: boolean;
  /** It has never held a lease. */
  neverReady?: boolean | undefined;
  /** Until when it was last known to hold a lease, in ms since the epoch, now at the latest; undefined while it never held one. */
  leaseUntil?: number | undefined;
  /** Somebody wants it drained and kept for later: it is not started. */
  cordoned?: boolean | undefined;
  /** When it was made, in ms since the epoch. */
  createdAt: number;
  /** When what runs it is ended whatever it holds, in ms since the epoch; known while that stops. */
  endsAt?: number | undefined;
  /** Since when it is ready, in ms since the epoch, where that is known. */
  readySince?: number | undefined;
}

/** Everything that one reconcile decides from. */
export interface InstanceInputs {
  /** Ms since the epoch. */
  now: number;
  desired: DesiredInstance;
  /** Why the instance may not be admitted here, by a rule outside the registry. */
  refusal?: { reason: string; message: string } | undefined;
  description?: Description | undefined;
  registry: ObservedRegistry;
  replicas: readonly ObservedReplica[];
  /** How actions ended that replicas of the wanted template ran; known while it is tried. */
  canaryOutcome?: CanaryOutcome | undefined;
}
