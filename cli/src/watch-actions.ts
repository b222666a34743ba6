import type { ActionFilter } from '@aip/runtime/internal/client';
import { type Gateway, GatewayUnreachable } from '@aip/runtime/internal/gateway';
import { pollLoop } from '@aip/runtime/internal/time';
import { EXIT } from './client/errors.js';
import { type ActionsPage, newestActions } from './client/list-actions.js';
import { interruptible } from './interrupt.js';
import { openFleetView } from './ui/fleet/open.js';
import type { WatchSnapshot } from './ui/fleet/snapshot.js';
import { actionTable } from './ui/tables/actions.js';

/** How often the list is read again, in ms. */
const POLL_MS = 1000;

/** Shows the newest actions and their changes until Ctrl-C; a gateway that does not answer is asked again. Gives the exit code. */
export async function watchActions(
  gateway: Gateway,
  filter: ActionFilter,
  { sinceMs, json }: { sinceMs?: number | undefined; json: boolean },
): Promise<number> {
  const view = await openFleetView('actions', json);
  await interruptible(async (signal) => {
    try {
      await pollLoop(
        async () => view.show(snapshotOf(await newestActions(gateway, filter, { sinceMs, errors: !json }))),
        {
          signal,
          everyMs: () => POLL_MS,
          failed: (error) => {
            if (!(error instanceof GatewayUnreachable)) throw error;
            view.lost(error.message);
          },
        },
      );
    } finally {
      await view.close();
    }
  });
  return EXIT.interrupted;
}

/** What left the page is not gone: it only became older than the rows shown. */
function snapshotOf(page: ActionsPage): WatchSnapshot {
  return {
    table: (width, now) => actionTable(page, { width, now }),
    keepsMissing: true,
    items: new Map(
      [...page.actions].reverse().map(({ status, error }) => [
        status.action_id,
        {
          line: `${status.action_id} ${status.capability_id ?? ''} ${status.state}${error ? ` ${error.code}` : ''}`,
          json: { action: status },
        },
      ]),
    ),
  };
}
