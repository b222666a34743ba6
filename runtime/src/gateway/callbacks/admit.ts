import { AipError } from '../../protocol/errors.js';
import type { Callback } from '../../protocol/types.js';
import { NATIVE_HTTP_PROFILE } from '../../protocol/wire/native-http.js';
import type { DestinationPolicy } from '../../transport/peer/destination.js';
import { DestinationRefused } from '../../transport/peer/errors.js';

/** Decides, when an action is submitted, whether its callback can be delivered to. Throws `callback.target_refused`. */
export type AdmitCallback = (callback: Callback) => Promise<void>;

/** A target has as many bytes at most. */
const MAX_TARGET_BYTES = 2048;

/**
 * Admits callbacks over HTTP to what the destination policy allows. A host whose name cannot be resolved now is admitted: its deliveries
 * are tried again.
 */
export function callbackAdmission(policy: DestinationPolicy): AdmitCallback {
  return async (callback) => {
    const { profile, target } = callback;
    if (JSON.stringify(callback).includes('\\u0000'))
      throw new AipError(
        'callback.target_refused',
        'a callback must not hold a zero character, which the storage does not take',
      );
    if (profile !== NATIVE_HTTP_PROFILE && !/^https?:/i.test(target))
      throw new AipError(
        'callback.target_refused',
        `callbacks of the profile ${JSON.stringify(profile)} are not delivered here; use ${NATIVE_HTTP_PROFILE}`,
      );
    if (Buffer.byteLength(target) > MAX_TARGET_BYTES)
      throw new AipError('callback.target_refused', `a callback target has at most ${MAX_TARGET_BYTES} bytes`);
    try {
      await policy.admit(target);
    } catch (error) {
      if (error instanceof DestinationRefused)
        throw new AipError('callback.target_refused', `the callback target is refused: ${error.message}`, {
          cause: error,
        });
    }
  };
}
