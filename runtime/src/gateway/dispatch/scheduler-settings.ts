import type { Env } from '../../transport/settings/env.js';
import {
  DEFAULT_SCHEDULER_LIMITS,
  parseTenantWeights,
  SchedulerLimitInvalid,
  type SchedulerLimits,
  schedulerLimits,
} from './scheduler-limits.js';

/** The variable of each bound. */
const VARIABLES: Record<keyof SchedulerLimits, string> = {
  maxInFlight: 'CONNECTOR_FLEET_MAX_IN_FLIGHT',
  maxInFlightPerTenant: 'CONNECTOR_FLEET_MAX_IN_FLIGHT_PER_TENANT',
  maxQueued: 'CONNECTOR_FLEET_MAX_QUEUED',
  maxQueuedPerTenant: 'CONNECTOR_FLEET_MAX_QUEUED_PER_TENANT',
  maxQueueBytes: 'CONNECTOR_FLEET_MAX_QUEUE_BYTES',
  maxRequestBytes: 'CONNECTOR_FLEET_MAX_REQUEST_BYTES',
  maxQueueAgeMs: 'CONNECTOR_FLEET_MAX_QUEUE_AGE_MS',
  weights: 'CONNECTOR_FLEET_TENANT_WEIGHTS',
};

/** Reads the bounds of the remote scheduler. Throws StartupRefused that names the variable to change. */
export function readSchedulerLimits(env: Env): SchedulerLimits {
  const { weights: _, ...defaults } = DEFAULT_SCHEDULER_LIMITS;
  const given = Object.entries(defaults).map(([limit, fallback]) => [
    limit,
    env.int(VARIABLES[limit as keyof SchedulerLimits], fallback, { min: 1 }),
  ]);
  try {
    const weights = parseTenantWeights(env.text(VARIABLES.weights) ?? '');
    return schedulerLimits({ ...Object.fromEntries(given), weights });
  } catch (error) {
    if (error instanceof SchedulerLimitInvalid) throw env.refuse(VARIABLES[error.limit], error.problem);
    throw error;
  }
}
