import type { ActionRef } from '../../../protocol/content/action-ref.js';

/** The channel, and the topic within a process, on which gateways learn of work: `work` (something became due), LATE_LEASE or a cancelNotice. */
export const WORK_CHANNEL = 'aip_work';

/** The notification of the database that a lease was stored after its end (migration ends-without-indexes). */
export const LATE_LEASE = 'late lease';

const CANCEL = 'cancel ';

/** The notification that asks whoever executes an action to stop. */
export function cancelNotice({ actionId, tenantId }: ActionRef): string {
  return `${CANCEL}${JSON.stringify([actionId, tenantId])}`;
}

/** The action that a notification asks to stop, or undefined when it only says that there is work. */
export function cancelledBy(payload: string): ActionRef | undefined {
  // A gateway of the release before names no tenant; the renewal of the lease reports its cancellations.
  if (!payload.startsWith(`${CANCEL}[`)) return undefined;
  const [actionId, tenantId] = JSON.parse(payload.slice(CANCEL.length)) as [string, string | null];
  return { actionId, tenantId };
}
