import { checkId } from '@aip/runtime/internal/client';
import { type Gateway, GatewayRefused, isNotFound } from '@aip/runtime/internal/gateway';
import type {
  ActionList,
  ActionStatus,
  ApprovalList,
  AuditQueryResult,
  CallbackDeliveryList,
  SessionList,
} from '@aip/runtime/internal/protocol';
import { UsageError } from './errors.js';
import { read, segment } from './read.js';

/** Pages of 1,000 records in which the beginning of an id is searched. */
const PAGES = 10;

/** Records that are named by their id or its beginning. */
export type NamedKind = 'action' | 'approval' | 'session' | 'transaction' | 'delivery' | 'receipt';

interface Kind {
  /** One record is below it. */
  path: string;
  /** Where ids are listed, and in which order, when that is not the path itself. */
  listed?: { path: string; query: Readonly<Record<string, string>> };
  /** An id that the gateway or this program made. */
  whole: RegExp;
  ids(page: unknown): (string | undefined)[];
  /** An answer about a record that is stored. */
  stored?(answer: unknown): boolean;
  plural: string;
  list: string;
}

const NEWEST = { path: '/aip/v1/actions', query: { order: 'newest' } };

const KINDS: Readonly<Record<NamedKind, Kind>> = {
  action: {
    path: '/aip/v1/actions',
    listed: NEWEST,
    whole: /^act_[0-9a-f]{32}$/,
    ids: (page) => (page as ActionList).actions.map(({ action_id }) => action_id),
    stored: (answer) => (answer as ActionStatus).state !== 'unknown',
    plural: 'actions',
    list: '`aip actions list`',
  },
  approval: {
    path: '/aip/v1/approvals',
    whole: /^appr_[0-9a-f]{32}$/,
    ids: (page) => (page as ApprovalList).approvals.map(({ request }) => request.id),
    plural: 'approvals',
    list: '`aip approvals list`',
  },
  session: {
    path: '/aip/v1/sessions',
    whole: /^sess_[0-9a-f]{32}$/,
    ids: (page) => (page as SessionList).sessions.map(({ session_id }) => session_id),
    plural: 'sessions',
    list: '`aip sessions list`',
  },
  // Transactions have no list; their actions do.
  transaction: {
    path: '/aip/v1/transactions',
    listed: NEWEST,
    whole: /^txn_[0-9a-f]{32}$/,
    ids: (page) => (page as ActionList).actions.map(({ transaction_id }) => transaction_id),
    plural: 'transactions',
    list: '`aip actions list -o wide`',
  },
  // Receipts have no list; audit events carry their chains.
  receipt: {
    path: '/aip/v1/receipts/by-receipt',
    listed: { path: '/aip/v1/audit/events', query: { include_receipts: 'true' } },
    whole: /^rcpt_[0-9a-f]{32}$/,
    ids: (page) =>
      ((page as AuditQueryResult).receipt_chains ?? []).flatMap(({ receipts }) => receipts.map(({ id }) => id)),
    plural: 'receipts',
    list: '`aip receipts get ACTION -o name`',
  },
  delivery: {
    path: '/aip/v1/callback-deliveries',
    whole: /^cb:[0-9a-f]{64}$/,
    ids: (page) => (page as CallbackDeliveryList).deliveries.map(({ delivery_id }) => delivery_id),
    plural: 'deliveries',
    list: '`aip deliveries list`',
  },
};

/** The id that the user meant: a whole one, or the beginning of exactly one that the caller may see. Throws UsageError, IdInvalid. */
export async function resolveId(gateway: Gateway, kind: NamedKind, text: string): Promise<string> {
  const id = await idOf(gateway, kind, text);
  if (id !== undefined) return id;
  throw new UsageError(`There is no ${kind} ${text} that you may see.`, `${KINDS[kind].list} shows those.`);
}

/** The same for a filter: one that may be absent, and that finds nothing when it names nothing. Throws UsageError, IdInvalid. */
export async function resolveFilter(
  gateway: Gateway,
  kind: NamedKind,
  text: string | undefined,
): Promise<string | undefined> {
  if (text === undefined) return undefined;
  try {
    return (await idOf(gateway, kind, text)) ?? text;
  } catch (error) {
    // Who may use a filter may not be allowed to read what it names.
    if (error instanceof GatewayRefused) return text;
    throw error;
  }
}

async function idOf(gateway: Gateway, kind: NamedKind, text: string): Promise<string | undefined> {
  const { path, listed = { path, query: {} }, whole, ids, stored = () => true, plural } = KINDS[kind];
  if (kind !== 'delivery') checkId(kind, text);
  if (whole.test(text) || (await exists(gateway, `${path}/${segment(text)}`, stored))) return text;
  const found = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const answer = await read<{ cursor?: string }>(gateway, listed.path, { ...listed.query, limit: 1000, cursor });
    for (const id of ids(answer)) if (id?.startsWith(text)) found.add(id);
    cursor = answer.cursor;
    if (cursor === undefined || found.size > 1) break;
  }
  if (found.size <= 1) return [...found][0];
  throw new UsageError(
    `${text} is the beginning of several ${plural}: ${[...found].slice(0, 4).join(', ')}${found.size > 4 ? ', …' : ''}.`,
    'Give more of the id.',
  );
}

/** Clients may choose ids of their own, so any text may be whole. */
async function exists(gateway: Gateway, path: string, stored: (answer: unknown) => boolean): Promise<boolean> {
  try {
    return stored(await read(gateway, path));
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
