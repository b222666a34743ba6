import { plainJson, toNumber } from '../../protocol/json.js';
import { MAX_TIMER_MS } from '../../protocol/limits.js';
import type { Action, Capability, ConnectorRoute, Envelope, Principal } from '../../protocol/types.js';
import type { HostConfig } from '../config/config.js';

/** An action that passed the gate, with what it came in and how it is pinned. */
export interface Work {
  envelope: Envelope;
  action: Action;
  route: ConnectorRoute;
  /** The gateway under the DID that it signed the action with. */
  gateway: Principal;
}

/** Time of an action that names none, neither itself nor in its contract, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 300_000;

/** Milliseconds that the action may take. */
export function timeoutOf({ timeout_ms: own }: Action, { contract }: Capability): number {
  return Math.min(toNumber(own ?? contract?.sla?.timeout_ms ?? DEFAULT_TIMEOUT_MS), MAX_TIMER_MS);
}

/** The action as the connector sees it: the host's own identity in the place of the payload's, no transport members, plain numbers. */
export function projectedAction(
  { tenant, externalAccount, credential }: HostConfig,
  { action, gateway }: Work,
): Action {
  const { callback: _, ...rest } = action;
  return {
    ...rest,
    input: plainJson(action.input),
    identity: {
      tenant,
      ...(externalAccount && { external_account: externalAccount }),
      service_account: gateway,
      ...(credential && {
        credential_ref: { id: credential.id, issuer: credential.issuer, scopes: credential.scopes },
      }),
    },
  };
}
