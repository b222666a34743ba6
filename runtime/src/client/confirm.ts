import type { ActionStatus } from '../protocol/types.js';
import { waited } from '../time/wait.js';
import { getAction, TERMINAL_STATES } from './actions.js';
import type { Gateway } from './gateway.js';

/**
 * The durable state of an action after its stream said it ended: a stream is delivery, not storage (docs/protocol/client-api.md#following). Reads again for
 * a short while should the view lag behind.
 */
export async function confirmTerminal(
  gateway: Gateway,
  actionId: string,
  pause: (ms: number) => Promise<unknown> = waited,
): Promise<ActionStatus> {
  for (let attempt = 0; ; attempt += 1) {
    const status = await getAction(gateway, actionId, { result: true });
    if (TERMINAL_STATES.has(status.state) || attempt >= 20) return status;
    await pause(50);
  }
}
