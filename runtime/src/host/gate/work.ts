import { AipError } from '../../protocol/errors.js';
import type { Action, Cancel } from '../../protocol/types.js';
import type { Facts } from './facts.js';

/** Check 6: the action or cancellation is the work of the route. Bodies of other kinds have no business here. */
export function work(facts: Facts): AipError | undefined | Promise<AipError | undefined> {
  if (facts.action) return actionWork(facts.action, facts);
  if (facts.cancel) return cancelWork(facts.cancel, facts);
  return new AipError('connector_host.route_mismatch', 'a host takes actions and cancellations of actions only');
}

function actionWork(action: Action, { route, host }: Facts): AipError | undefined {
  if (route?.action_id !== action.id)
    return new AipError('connector_host.route_mismatch', 'the route belongs to another action');
  if (route.capability_id !== action.capability_id)
    return new AipError('connector_host.route_mismatch', 'the route belongs to another capability');
  if (!host.capabilities.has(action.capability_id))
    return new AipError('connector_host.route_mismatch', 'this host has no such capability');
  return undefined;
}

async function cancelWork({ target }: Cancel, { route, recordedCapability }: Facts): Promise<AipError | undefined> {
  if (!('action' in target))
    return new AipError('connector_host.route_mismatch', 'a host cancels actions, not sessions');
  if (route?.action_id !== target.action)
    return new AipError('connector_host.route_mismatch', 'the route belongs to another action');
  if (typeof route.capability_id !== 'string' || route.capability_id === '') {
    return new AipError('connector_host.route_mismatch', 'the route names no capability');
  }
  const recorded = await recordedCapability(target.action);
  return recorded === undefined || recorded === route.capability_id
    ? undefined
    : new AipError('connector_host.route_mismatch', 'the action runs under another capability');
}
