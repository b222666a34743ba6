import { type ActionFilter, getAction, listActions } from '@aip/runtime/internal/client';
import type { Gateway } from '@aip/runtime/internal/gateway';
import type { ActionStatus, ProtocolError } from '@aip/runtime/internal/protocol';

/** An action with what went wrong, where something did. */
export interface ListedAction {
  status: ActionStatus;
  error?: ProtocolError;
}

/** The newest actions, and how many there are in all. */
export interface ActionsPage {
  actions: ListedAction[];
  total: number;
  /** Where older ones continue. */
  cursor?: string;
}

const UNSUCCESSFUL: ReadonlySet<string> = new Set(['failed', 'dead_lettered', 'expired', 'cancelled']);
/** Results read at once. */
const TOGETHER = 8;

/**
 * The newest actions, accepted no longer ago than `sinceMs`. With `errors` the results of those that ended badly are read too: only theirs, because
 * the output of an action may be large.
 */
export async function newestActions(
  gateway: Gateway,
  filter: ActionFilter,
  options: { sinceMs?: number | undefined; errors?: boolean; now?: number } = {},
): Promise<ActionsPage> {
  const page = await listActions(gateway, { ...filter, order: filter.order ?? 'newest' });
  const oldest = options.sinceMs === undefined ? undefined : (options.now ?? Date.now()) - options.sinceMs;
  const recent = page.actions.filter(
    ({ started_at, updated_at }) => oldest === undefined || Date.parse(started_at ?? updated_at) >= oldest,
  );
  const cut = recent.length < page.actions.length;
  const actions = options.errors ? await withErrors(gateway, recent) : recent.map((status) => ({ status }));
  return {
    actions,
    total: cut ? recent.length : page.total_size,
    ...(page.cursor !== undefined && !cut ? { cursor: page.cursor } : {}),
  };
}

async function withErrors(gateway: Gateway, actions: readonly ActionStatus[]): Promise<ListedAction[]> {
  const listed: ListedAction[] = actions.map((status) => ({ status }));
  const waiting = listed.filter(({ status }) => UNSUCCESSFUL.has(status.state));
  const read = async (): Promise<void> => {
    for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
      const { result } = await getAction(gateway, entry.status.action_id, { result: true });
      if (result?.error) entry.error = result.error;
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, read));
  return listed;
}
