import { confirmTerminal, followAction, getAction } from '@aip/runtime/internal/client';
import type { Gateway } from '@aip/runtime/internal/gateway';
import type { ActionStatus } from '@aip/runtime/internal/protocol';
import { CliError } from './client/errors.js';
import { interruptible } from './interrupt.js';
import { progress } from './progress/progress.js';
import { sayInterrupted } from './ui/follow/lines.js';

/** Waits until an action has ended or waits for a person. Fails with `cli.gave_up` after `timeoutMs`, and with `cli.interrupted`. */
export async function waitForEnd(gateway: Gateway, actionId: string, timeoutMs?: number): Promise<ActionStatus> {
  progress.about(`Waiting for ${actionId} to end`);
  return interruptible(async (signal) => {
    const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const until = late ? AbortSignal.any([signal, late]) : signal;
    const now = await getAction(gateway, actionId, { result: true });
    if (now.state === 'pending_approval') return now;
    for await (const item of followAction(gateway, actionId, { signal: until })) {
      if (item.kind === 'terminal') return confirmTerminal(gateway, actionId);
      if (item.kind === 'event' && item.event.kind === 'aip.approval.requested') {
        const status = await getAction(gateway, actionId, { result: true });
        if (status.state === 'pending_approval') return status;
      }
    }
    if (!signal.aborted)
      throw new CliError(
        'cli.gave_up',
        `${actionId} has not ended in time; it continues.`,
        `\`aip actions follow ${actionId}\` comes back to it.`,
      );
    sayInterrupted(actionId);
    throw new CliError('cli.interrupted', 'Interrupted.');
  });
}
