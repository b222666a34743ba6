import { isNotFound } from '@aip/runtime/client/errors.js';
import type { Gateway } from '@aip/runtime/client/gateway.js';
import { checkId } from '@aip/runtime/client/ids.js';
import type { ApprovalList, SessionList } from '@aip/runtime/protocol/types.js';
import { UsageError } from './errors.js';
import { read, segment } from './read.js';

/** Pages of 1,000 records in which the beginning of an id is searched. */
const PAGES = 10;

interface Kind {
  path: string;
  /** An id that the gateway made. */
  whole: RegExp;
  ids(page: unknown): string[];
  list: string;
}

const KINDS: Readonly<Record<'approval' | 'session', Kind>> = {
  approval: {
    path: '/aip/v1/approvals',
    whole: /^appr_[0-9a-f]{32}$/,
    ids: (page) => (page as ApprovalList).approvals.map(({ request }) => request.id),
    list: '`aip approvals list`',
  },
  session: {
    path: '/aip/v1/sessions',
    whole: /^sess_[0-9a-f]{32}$/,
    ids: (page) => (page as SessionList).sessions.map(({ session_id }) => session_id),
    list: '`aip sessions list`',
  },
};

/** The id that the user meant: a whole one, or the beginning of exactly one that the caller may see. Throws UsageError, IdInvalid. */
export async function resolveId(gateway: Gateway, kind: 'approval' | 'session', text: string): Promise<string> {
  const { path, whole, ids, list } = KINDS[kind];
  checkId(kind, text);
  if (whole.test(text) || (await exists(gateway, `${path}/${segment(text)}`))) return text;
  const found: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const answer = await read<{ cursor?: string }>(gateway, path, { limit: 1000, cursor });
    found.push(...ids(answer).filter((id) => id.startsWith(text)));
    cursor = answer.cursor;
    if (cursor === undefined || found.length > 1) break;
  }
  const [only, ...others] = found;
  if (only === undefined) throw new UsageError(`There is no ${kind} ${text} that you may see.`, `${list} shows those.`);
  if (others.length === 0) return only;
  throw new UsageError(
    `${text} is the beginning of several ${kind}s: ${found.slice(0, 4).join(', ')}${found.length > 4 ? ', …' : ''}.`,
    'Give more of the id.',
  );
}

/** Clients may choose ids of their own, so any text may be whole. */
async function exists(gateway: Gateway, path: string): Promise<boolean> {
  try {
    await read(gateway, path);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
