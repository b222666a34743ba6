import { canonicalJson } from '../../../protocol/canonical.js';
import { finiteLife } from '../../../protocol/content/finite-life.js';
import { IdempotencyScopeMissing } from '../../../protocol/errors.js';
import { idempotencyInputHash } from '../../../protocol/hashes.js';
import { isRawJson, toNumber } from '../../../protocol/json.js';
import { MAX_TIMER_MS } from '../../../protocol/limits.js';
import type { Action, ActionResult, CapabilityContract } from '../../../protocol/types.js';
import { DEFAULT_TIMEOUT_MS } from '../record/plan.js';

/** Added to the timeout for the life of a reservation (docs/protocol/actions.md#idempotency). */
const RESERVATION_MARGIN_MS = 60_000;
/** The partition is bounded by the tenant, so that no key ever reaches into another one. */
type Partition = readonly (string | null)[];

/** What an action reserves before it runs. Times in ms since the epoch; `ttl_ms` null keeps a settled key forever. */
export interface Reservation {
  readonly stored_key: string;
  readonly input_hash: string;
  readonly reserved_until: number;
  readonly ttl_ms: number | null;
}

/** Who submits the action that makes the reservation. */
export interface KeyOwner {
  readonly principalId: string;
  readonly tenantId: string | null;
}

/**
 * The reservation that an action's idempotency key makes under its contract, or undefined without a key. The key's
 * scope is that of the contract, `action` when it has none. Throws IdempotencyScopeMissing when the scope's partition
 * is not known.
 */
export function reservationOf(
  action: Action,
  contract: CapabilityContract | undefined,
  owner: KeyOwner,
  nowMs: number,
): Reservation | undefined {
  const key = action.idempotency_key;
  if (key === undefined) return undefined;
  const scope = contract?.idempotency.key_scope ?? 'action';
  const partition = partitionOf(scope, action, owner);
  const timeoutMs = toNumber(action.timeout_ms ?? contract?.sla?.timeout_ms ?? DEFAULT_TIMEOUT_MS);
  return {
    stored_key: canonicalJson([owner.tenantId, scope, ...partition, key]),
    input_hash: idempotencyInputHash(action),
    reserved_until: nowMs + Math.min(timeoutMs, MAX_TIMER_MS) + RESERVATION_MARGIN_MS,
    ttl_ms: finiteLife(contract?.idempotency.ttl_ms) ?? null,
  };
}

/** A stored result as it is given to a repeat: its output says so, and becomes an object when it was none. */
export function replayedResult(result: ActionResult): ActionResult {
  const output = result.output;
  const members =
    typeof output === 'object' && output !== null && !Array.isArray(output) && !isRawJson(output)
      ? (output as Record<string, unknown>)
      : output === undefined
        ? {}
        : { value: output };
  return { ...result, output: { ...members, idempotent_replay: true } };
}

function partitionOf(scope: string, action: Action, owner: KeyOwner): Partition {
  switch (scope) {
    case 'capability':
      return [action.capability_id];
    case 'principal':
      return [owner.principalId];
    case 'tenant':
      if (owner.tenantId === null) throw new IdempotencyScopeMissing('the idempotency key needs a tenant');
      return [];
    case 'external_account': {
      const account = action.identity?.external_account;
      if (account) return [account.system, account.id];
      // The gateway does not know the account of the connector. A key that is unique in the tenant is unique in each of its accounts.
      if (owner.tenantId === null)
        throw new IdempotencyScopeMissing('the idempotency key needs a tenant or an external account');
      return [];
    }
    default:
      return [action.id];
  }
}
