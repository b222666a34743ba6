import { getAction } from '@aip/runtime/client/actions.js';
import { isNotFound } from '@aip/runtime/client/errors.js';
import type { Gateway } from '@aip/runtime/client/gateway.js';
import type { Submitted } from '@aip/runtime/client/submit.js';

/** Does the gateway know the action that it answered? A failure found before anything was stored leaves no action behind. */
export async function isStored(gateway: Gateway, submitted: Submitted): Promise<boolean> {
  if (submitted.result?.status !== 'failed') return true;
  try {
    return (await getAction(gateway, submitted.actionId)).state !== 'unknown';
  } catch (error) {
    return !isNotFound(error);
  }
}
