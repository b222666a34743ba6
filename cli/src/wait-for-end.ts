import { confirmTerminal, followAction, getAction } from '@aip/runtime/internal/client';
import type { Gateway } from '@aip/runtime/internal/gateway';
import type { ActionStatus } from '@aip/runtime/internal/protocol';
import { openDeadline, withDeadline } from '@aip/runtime/internal/time';
import { CliError } from './client/errors.js';
import { interruptible } from './interrupt.js';
import { progress } from './progress/progress.js';
import { sayInterrupted } from './ui/follow/lines.js';

/** Waits until an action has ended or waits for a person. Fails with `cli.gave_up` after `timeoutMs`, and with `cli.interrupted`. */
export async function waitForEnd(gateway: Gateway, actionId: string, timeoutMs?: number): Promise<ActionStatus> {
  progress.about(`Waiting for ${actionId} to end`);
  return interruptible(async (signal) => {
    const limit = timeoutMs === undefined ? openDeadline(signal) : withDeadline(signal, timeoutMs);
    const status = await endedOrWaiting(gateway, actionId, limit.signal).finally(limit.clear);
    if (status) return status;
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

/** The status of an action that has ended or waits for a person; undefined when the signal aborts first. */
async function endedOrWaiting(
  gateway: Gateway,
  actionId: string,
  signal: AbortSignal,
): Promise<ActionStatus | undefined> {
  const now = await getAction(gateway, actionId, { result: true });
  if (now.state === 'pending_approval') return now;
  for await (const item of followAction(gateway, actionId, { signal })) {
    if (item.kind === 'terminal') return confirmTerminal(gateway, actionId);
    if (item.kind === 'event' && item.event.kind === 'aip.approval.requested') {
      const status = await getAction(gateway, actionId, { result: true });
      if (status.state === 'pending_approval') return status;
    }
  }
  return undefined;
}
