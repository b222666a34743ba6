import type { CapabilityContext } from '../sdk/context.js';
import { traceHeaders } from '../sdk/fetch.js';

/** Headers of every provider request of an action: its id, its trace and, where it can travel as a header, its idempotency key. */
export function sentHeaders({
  action,
  idempotencyKey,
}: Pick<CapabilityContext, 'action' | 'idempotencyKey'>): Record<string, string> {
  const carried = idempotencyKey !== undefined && /^[\x21-\x7e]{1,1024}$/.test(idempotencyKey);
  return { ...traceHeaders(action), ...(carried && { 'idempotency-key': idempotencyKey }) };
}
