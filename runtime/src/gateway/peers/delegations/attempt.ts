import type { Pool } from '../../../postgres/pool.js';
import type { Clock } from '../../../protocol/clock.js';
import { samePrincipal } from '../../../protocol/identity/principal.js';
import type { DelegationRequest, Principal } from '../../../protocol/types.js';
import { afterDelivery, type DelegateLink, type DeliveryEnd, deliver } from './deliver.js';
import { writeEnd } from './end.js';
import type { StoredDelegation } from './record.js';

/** The way to a delegation's delegate, undefined for one that is not configured. */
export type LinkTo = (request: Pick<DelegationRequest, 'delegate' | 'child_action'>) => DelegateLink | undefined;

/** What attempts need. */
export interface AttemptDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  /** Absent without routes. */
  readonly linkTo: LinkTo | undefined;
  /** Called after a message to a callback may have been stored. */
  readonly callbackStored?: (() => void) | undefined;
}

/** Delivers a delegation to its delegate once and writes what came of it; nothing where the delegate is not configured any more. */
export async function attempt(deps: AttemptDeps, delegation: StoredDelegation): Promise<void> {
  const link = deps.linkTo?.(delegation.request);
  if (link) await finish(deps, delegation, await deliver(link, delegation, deps.clock));
}

/** Writes the end of an attempt with its event; what another gateway ended meanwhile is unchanged. */
export async function finish(
  { pool, clock, callbackStored }: AttemptDeps,
  delegation: StoredDelegation,
  end: DeliveryEnd,
): Promise<void> {
  const now = clock();
  const after = afterDelivery(end, now);
  await pool.tx((client) => writeEnd(client, delegation, after, now));
  callbackStored?.();
}

/** Whether the sender is the delegate of a delegation, under its name or that of the way to it. */
export function isDelegate(
  { linkTo }: AttemptDeps,
  sender: Principal,
  { delegate_id, delegate_kind, request }: StoredDelegation,
): boolean {
  return (
    samePrincipal(sender, { id: delegate_id, kind: delegate_kind }) ||
    samePrincipal(sender, linkTo?.(request)?.principal)
  );
}
