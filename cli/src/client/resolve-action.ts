import { getAction, listActions } from '@aip/runtime/client/actions.js';
import { isNotFound } from '@aip/runtime/client/errors.js';
import type { Gateway } from '@aip/runtime/client/gateway.js';
import { checkId } from '@aip/runtime/client/ids.js';
import type { ActionStatus } from '@aip/runtime/protocol/types.js';
import { UsageError } from './errors.js';

/** An id that the gateway or this program made; anything else that begins like one may be the beginning of one. */
const WHOLE = /^act_[0-9a-f]{32}$/;
/** Pages of 1,000 actions in which the beginning of an id is looked for, the newest first. */
const PAGES = 10;

/** The action id that the user meant: a whole id, or the beginning of exactly one that the caller may see. Throws UsageError, IdInvalid. */
export async function resolveActionId(gateway: Gateway, text: string): Promise<string> {
  checkId('action', text);
  if (WHOLE.test(text) || (await isKnown(gateway, text))) return text;
  const found: ActionStatus[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const { actions, cursor: next } = await listActions(gateway, { order: 'newest', limit: 1000, cursor });
    found.push(...actions.filter(({ action_id }) => action_id.startsWith(text)));
    cursor = next;
    if (cursor === undefined || found.length > 1) break;
  }
  const [only, ...others] = found;
  if (!only)
    throw new UsageError(`There is no action ${text} that you may see.`, '`aip actions list` shows those you may.');
  if (others.length === 0) return only.action_id;
  const ids = found.slice(0, 4).map(({ action_id }) => action_id);
  throw new UsageError(
    `${text} is the beginning of several actions: ${ids.join(', ')}${found.length > 4 ? ', …' : ''}.`,
    'Give more of the id.',
  );
}

/** Clients may choose ids of their own, so any text may be whole. */
async function isKnown(gateway: Gateway, id: string): Promise<boolean> {
  try {
    return (await getAction(gateway, id)).state !== 'unknown';
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
