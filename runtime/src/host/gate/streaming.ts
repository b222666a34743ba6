import { isDeepStrictEqual } from 'node:util';
import { AipError } from '../../protocol/errors.js';
import { NATIVE_HTTP_PROFILE } from '../../protocol/wire/native-http.js';
import type { Facts } from './facts.js';

/** Check 6 for modes: a streaming action names the fixed central callback on its own route, any other action names none. */
export function streaming(facts: Facts): AipError | undefined {
  const { action } = facts;
  if (!action) return undefined;
  if (action.mode === 'streaming') return streamingCallback(facts);
  return action.callback === undefined
    ? undefined
    : new AipError('connector_host.route_mismatch', 'only a streaming action has a callback');
}

function streamingCallback({ action, route, envelope, host }: Facts): AipError | undefined {
  const callback = action?.callback;
  if (host.callbackUrl === undefined)
    return new AipError('connector_host.route_mismatch', 'this host has no callback endpoint, so it cannot stream');
  if (!callback) return new AipError('connector_host.route_mismatch', 'a streaming action needs the central callback');
  if (route?.original_mode !== 'streaming')
    return new AipError('connector_host.route_mismatch', 'the route does not belong to a streaming action');
  if (callback.profile !== NATIVE_HTTP_PROFILE || callback.target !== host.callbackUrl) {
    return new AipError('connector_host.route_mismatch', 'the callback is not the central one');
  }
  const { connector_callback, connector_callback_recipient } = (callback.metadata ?? {}) as Record<string, unknown>;
  const { approval_authorization: _, ...withoutApproval } = route;
  if (!isDeepStrictEqual(connector_callback, route) && !isDeepStrictEqual(connector_callback, withoutApproval)) {
    return new AipError('connector_host.route_mismatch', 'the callback carries another route');
  }
  return isDeepStrictEqual(connector_callback_recipient, envelope.from)
    ? undefined
    : new AipError('connector_host.route_mismatch', 'the callback names another recipient');
}
