/** The channel on which gateways tell each other about work: `work` (something became due) or `cancel <action id>`. */
export const WORK_CHANNEL = 'aip_work';

const CANCEL = 'cancel ';

/** The action that a notification asks to stop, or undefined when it only says that there is work. */
export function cancelledBy(payload: string): string | undefined {
  return payload.startsWith(CANCEL) ? payload.slice(CANCEL.length) : undefined;
}
