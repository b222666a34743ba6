import type { Submitted } from '@aip/runtime/client';
import { getAction } from '@aip/runtime/internal/client';
import { type Gateway, isNotFound } from '@aip/runtime/internal/gateway';

/** Does the gateway know the action that it answered? A failure found before anything was stored leaves no action behind. */
export async function isStored(gateway: Gateway, submitted: Submitted): Promise<boolean> {
  if (submitted.result?.status !== 'failed') return true;
  try {
    return (await getAction(gateway, submitted.actionId)).state !== 'unknown';
  } catch (error) {
    return !isNotFound(error);
  }
}
