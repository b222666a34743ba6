import {
  REMOTE_ACTION_BYTES,
  REMOTE_ACTIVE,
  REMOTE_ACTIVE_PER_TENANT,
  REMOTE_QUEUE_MS,
  REMOTE_QUEUED,
  REMOTE_QUEUED_BYTES,
  REMOTE_QUEUED_PER_TENANT,
} from '../../protocol/limits.js';
import { StartupRefused } from '../../transport/startup.js';

/** Bounds of remote work in one process (spec 05 §4.2). Sizes in bytes, times in milliseconds. */
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

/** The bounds when nothing is configured (contract 1 "Limits"). */
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

/** Bytes of a tenant identifier that has a weight. */
const MAX_TENANT_BYTES = 256;

/**
 * The bounds with their defaults, checked: all positive whole numbers, per tenant not above global, weights as
 * `tenantWeights` takes them. Throws StartupRefused (connector.request_rejected).
 */
export function schedulerLimits(given: Partial<SchedulerLimits> = {}): SchedulerLimits {
  const limits = { ...DEFAULT_SCHEDULER_LIMITS, ...given };
  const { weights, ...numbers } = limits;
  for (const [name, value] of Object.entries(numbers))
    if (!isPositive(value)) throw refused(`${name} must be a whole number above 0`);
  if (limits.maxInFlightPerTenant > limits.maxInFlight)
    throw refused('maxInFlightPerTenant must not be above maxInFlight');
  if (limits.maxQueuedPerTenant > limits.maxQueued) throw refused('maxQueuedPerTenant must not be above maxQueued');
  return { ...limits, weights: tenantWeights([...weights]) };
}

/**
 * Weights by tenant: identifiers of 1 to 256 bytes, each once, weights positive whole numbers. Throws StartupRefused.
 */
export function tenantWeights(pairs: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const [tenantId, weight] of pairs) {
    const bytes = Buffer.byteLength(tenantId);
    if (bytes < 1 || bytes > MAX_TENANT_BYTES)
      throw refused(`a weighted tenant must have 1 to ${MAX_TENANT_BYTES} bytes, not ${bytes}`);
    if (!isPositive(weight)) throw refused(`the weight of ${tenantId} must be a whole number above 0`);
    if (weights.has(tenantId)) throw refused(`the tenant ${tenantId} has two weights`);
    weights.set(tenantId, weight);
  }
  return weights;
}

/** Reads weights from text: TENANT=WEIGHT, separated by comma, semicolon or line end. Throws StartupRefused. */
export function parseTenantWeights(text: string): ReadonlyMap<string, number> {
  const entries = text.split(/[,;\n]/).filter((entry) => entry.trim() !== '');
  return tenantWeights(
    entries.map((entry) => {
      const at = entry.lastIndexOf('=');
      if (at < 0) throw refused(`the tenant weight ${entry.trim()} must be TENANT=WEIGHT`);
      const weight = entry.slice(at + 1).trim();
      return [entry.slice(0, at).trim(), /^[+-]?\d+$/.test(weight) ? Number(weight) : Number.NaN] as const;
    }),
  );
}

function isPositive(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function refused(what: string): StartupRefused {
  return new StartupRefused('connector.request_rejected', `the remote scheduler: ${what}`);
}
