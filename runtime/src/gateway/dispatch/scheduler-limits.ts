import {
  MAX_TIMER_MS,
  REMOTE_ACTION_BYTES,
  REMOTE_ACTIVE,
  REMOTE_ACTIVE_PER_TENANT,
  REMOTE_QUEUE_MS,
  REMOTE_QUEUED,
  REMOTE_QUEUED_BYTES,
  REMOTE_QUEUED_PER_TENANT,
} from '../../protocol/limits.js';
import { StartupRefused } from '../../transport/process/startup.js';

/** Bounds of remote work in one process (docs/protocol/registry.md#scheduler). Sizes in bytes, times in milliseconds. */
export interface SchedulerLimits {
  readonly maxInFlight: number;
  readonly maxInFlightPerTenant: number;
  readonly maxQueued: number;
  readonly maxQueuedPerTenant: number;
  /** Of waiting actions together. */
  readonly maxQueueBytes: number;
  /** Of one action in canonical form. */
  readonly maxRequestBytes: number;
  readonly maxQueueAgeMs: number;
  /** Shares of tenants in freed places; a tenant without one has 1. */
  readonly weights: ReadonlyMap<string, number>;
}

/** The bounds when nothing is configured (docs/protocol/limits.md). */
export const DEFAULT_SCHEDULER_LIMITS: SchedulerLimits = {
  maxInFlight: REMOTE_ACTIVE,
  maxInFlightPerTenant: REMOTE_ACTIVE_PER_TENANT,
  maxQueued: REMOTE_QUEUED,
  maxQueuedPerTenant: REMOTE_QUEUED_PER_TENANT,
  maxQueueBytes: REMOTE_QUEUED_BYTES,
  maxRequestBytes: REMOTE_ACTION_BYTES,
  maxQueueAgeMs: REMOTE_QUEUE_MS,
  weights: new Map(),
};

/** A bound of the scheduler that cannot be (connector.request_rejected). */
export class SchedulerLimitInvalid extends StartupRefused {
  readonly limit: keyof SchedulerLimits;
  readonly problem: string;

  constructor(limit: keyof SchedulerLimits, problem: string) {
    super('connector.request_rejected', `the remote scheduler: ${limit} ${problem}`);
    this.limit = limit;
    this.problem = problem;
  }
}

/** Bytes of a tenant identifier that has a weight. */
const MAX_TENANT_BYTES = 256;

/**
 * The bounds with their defaults, checked: all positive whole numbers, per tenant not above global, weights as
 * `tenantWeights` takes them, and an age that a timer can wait for. Throws SchedulerLimitInvalid.
 */
export function schedulerLimits(given: Partial<SchedulerLimits> = {}): SchedulerLimits {
  const limits = { ...DEFAULT_SCHEDULER_LIMITS, ...given };
  const { weights, ...numbers } = limits;
  for (const [name, value] of Object.entries(numbers) as [keyof typeof numbers, number][])
    if (!isPositive(value)) throw new SchedulerLimitInvalid(name, 'must be a whole number above 0');
  if (limits.maxInFlightPerTenant > limits.maxInFlight)
    throw new SchedulerLimitInvalid(
      'maxInFlightPerTenant',
      `must not be above the ${limits.maxInFlight} of all tenants`,
    );
  if (limits.maxQueuedPerTenant > limits.maxQueued)
    throw new SchedulerLimitInvalid('maxQueuedPerTenant', `must not be above the ${limits.maxQueued} of all tenants`);
  if (limits.maxQueueAgeMs > MAX_TIMER_MS)
    throw new SchedulerLimitInvalid('maxQueueAgeMs', `must not be above ${MAX_TIMER_MS}`);
  return { ...limits, weights: tenantWeights([...weights]) };
}

/**
 * Weights by tenant: identifiers of 1 to 256 bytes, each once, weights positive whole numbers. Throws SchedulerLimitInvalid.
 */
export function tenantWeights(pairs: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const [tenantId, weight] of pairs) {
    const bytes = Buffer.byteLength(tenantId);
    if (bytes < 1 || bytes > MAX_TENANT_BYTES)
      throw refused(`name a tenant of ${bytes} bytes instead of 1 to ${MAX_TENANT_BYTES}`);
    if (!isPositive(weight)) throw refused(`tenant ${tenantId}: the weight must be an integer of 1 or more`);
    if (weights.has(tenantId)) throw refused(`name the tenant ${tenantId} twice`);
    weights.set(tenantId, weight);
  }
  return weights;
}

/** Reads weights from text: TENANT=WEIGHT, separated by comma, semicolon or line end. Throws SchedulerLimitInvalid. */
export function parseTenantWeights(text: string): ReadonlyMap<string, number> {
  const entries = text.split(/[,;\n]/).filter((entry) => entry.trim() !== '');
  return tenantWeights(
    entries.map((entry) => {
      const at = entry.lastIndexOf('=');
      if (at < 0) throw refused(`must have the form TENANT=WEIGHT, also ${entry.trim()}`);
      const weight = entry.slice(at + 1).trim();
      return [entry.slice(0, at).trim(), /^[+-]?\d+$/.test(weight) ? Number(weight) : Number.NaN] as const;
    }),
  );
}

function isPositive(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function refused(problem: string): SchedulerLimitInvalid {
  return new SchedulerLimitInvalid('weights', problem);
}
