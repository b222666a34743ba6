import type { Queryable } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../protocol/limits.js';
import type { ActionEvents, ActionEventsRequest, EventStream, EventStreamRequest } from '../../protocol/types.js';
import type { Identity } from '../edge/identity.js';
import { authorizeQuery } from '../edge/query-authorization.js';
import { queryMembers } from '../edge/query-members.js';
import { actionEventsBody, eventStreamBody } from './answers.js';
import { cursorsOf } from './cursor.js';
import { startOf } from './follow/resume.js';
import type { Stream } from './follow/stream.js';
import { type Page, readPage } from './page.js';
import type { EventsRoute, Selection } from './selection.js';

/**
 * Finds an action that the caller may read. Throws NotAuthorized, `auth.tenant_required`, `auth.tenant_mismatch`, QueryInvalid, `action.not_found`.
 */
export type FindAction = (
  db: Queryable,
  identity: Identity,
  request: { readonly actionId: string; readonly tenantId?: string | undefined },
  nowMs: number,
) => Promise<{ readonly action_id: string; readonly tenant_id: string | null }>;

/** What event queries need. */
export interface EventQueryDeps {
  readonly pool: Queryable;
  readonly clock: Clock;
  readonly findAction: FindAction;
}

/** One query for events. Limits are clamped; kinds may repeat and are in any order. */
export interface EventQuery {
  readonly route: EventsRoute;
  /** The action of an action-bound query. */
  readonly actionId?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly cursor?: string | undefined;
  readonly lastEventId?: string | undefined;
  readonly limit?: number | undefined;
  readonly kinds?: readonly string[] | undefined;
  readonly includeChunks?: boolean | undefined;
}

/**
 * Authorizes a query and finds where it begins: an action-bound one needs action:read and the action's owner and
 * tenant, the global one events:read, narrowed to the caller's tenant and principals. Throws NotAuthorized,
 * `auth.tenant_required`, `auth.tenant_mismatch`, `action.not_found`, CursorInvalid, StorageUnavailable.
 */
export async function openStream(deps: EventQueryDeps, identity: Identity, query: EventQuery): Promise<Stream> {
  const selection = await selectionOf(deps, identity, query);
  const cursors = await cursorsOf(deps.pool, selection, identity);
  return { selection, cursors, at: await startOf(deps.pool, selection, cursors, query) };
}

/** Reads the page at which a stream begins, with the cursor that continues it. */
export async function readStream(
  deps: EventQueryDeps,
  { selection, cursors, at }: Stream,
): Promise<{ page: Page; cursor: string }> {
  const page = await readPage(deps.pool, selection, at);
  return { page, cursor: cursors.write(page.next) };
}

/** Answers the body action_events_request; `follow` is for streams and means nothing here. */
export async function actionEvents(
  deps: EventQueryDeps,
  identity: Identity,
  request: ActionEventsRequest,
): Promise<ActionEvents> {
  const stream = await openStream(deps, identity, {
    ...queryMembers(request),
    route: 'action_events',
  });
  const { page, cursor } = await readStream(deps, stream);
  return actionEventsBody(request.action_id, page, cursor);
}

/** Answers the body event_stream_request. */
export async function eventStream(
  deps: EventQueryDeps,
  identity: Identity,
  request: EventStreamRequest,
): Promise<EventStream> {
  const { cursor: from, limit, kinds } = request;
  const stream = await openStream(deps, identity, { route: 'events', cursor: from, limit, kinds });
  const { page, cursor } = await readStream(deps, stream);
  return eventStreamBody(page, cursor);
}

async function selectionOf(deps: EventQueryDeps, identity: Identity, query: EventQuery): Promise<Selection> {
  const { route, actionId, tenantId } = query;
  const shared = { route, kinds: kindsOf(query.kinds), limit: limitOf(query.limit), events: route !== 'action_chunks' };
  if (actionId === undefined) {
    const access = authorizeQuery(identity, { object: 'events', operation: 'read' }, deps.clock());
    return { ...shared, access, chunks: false };
  }
  const record = await deps.findAction(deps.pool, identity, { actionId, tenantId }, deps.clock());
  return {
    ...shared,
    action: { id: record.action_id, tenantId: record.tenant_id },
    access: { tenant: record.tenant_id, principals: 'any' },
    chunks: route === 'action_chunks' || query.includeChunks === true,
  };
}

/** Rows of a page: 100 by default, clamped to 1 through 1000 (docs/protocol/limits.md). */
function limitOf(asked: number | undefined): number {
  return Math.min(MAX_PAGE_SIZE, Math.max(1, asked ?? DEFAULT_PAGE_SIZE));
}

/** Kinds sorted and without repeats; none means every kind. */
function kindsOf(asked: readonly string[] | undefined): readonly string[] | undefined {
  return asked === undefined || asked.length === 0 ? undefined : [...new Set(asked)].sort();
}
