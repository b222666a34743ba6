import type { Pool } from '../../../postgres/pool.js';
import type { Clock } from '../../../protocol/clock.js';
import { type Envelope, newEnvelope } from '../../../protocol/envelope.js';
import { FollowerTooSlow, protocolErrorOf } from '../../../protocol/errors.js';
import type { Body, Principal } from '../../../protocol/types.js';
import { openDeadline } from '../../../time/deadline.js';
import type { Identity } from '../../edge/identity.js';
import { actionEventsText, eventStreamText } from '../../events/answers.js';
import { follow } from '../../events/follow/follow.js';
import type { Followers } from '../../events/follow/followers.js';
import type { Stream, StreamPart } from '../../events/follow/stream.js';
import type { Tail } from '../../events/log/tail.js';
import { readPage } from '../../events/page.js';
import { type FindAction, openStream } from '../../events/queries.js';
import type { Subscribe } from './control.js';
import type { Outbox } from './outbox.js';
import { type Slice, slicesOf } from './slices.js';

/** Name of the part that fails, written into errors. */
export const WEBSOCKET_COMPONENT = 'aip.server.websocket';

/** What subscriptions need. */
export interface SubscriptionDeps {
  readonly pool: Pool;
  readonly findAction: FindAction;
  readonly tail: Tail;
  readonly followers: Followers;
  readonly clock: Clock;
  /** The sender of responses. */
  readonly principal: Principal;
}

/** Member `websocket` of the trace of a response; what does not apply is null. */
interface Trace {
  readonly subscription_id: string | null;
  readonly action_id: string | null;
  readonly session_id: string | null;
  readonly tenant_id: string | null;
  /** The cursor that the response begins at. */
  readonly cursor: string | null;
  readonly next_cursor: string | null;
  readonly terminal: boolean;
  readonly follow: boolean;
}

/**
 * Answers a subscription: once, also when there is nothing; with `follow` again for whatever comes, until the action is
 * terminal. No response has more than `limit` rows; nothing is sent for a poll without news (D-17). Throws what ends it.
 */
export async function runSubscription(
  deps: SubscriptionDeps,
  identity: Identity,
  subscribe: Subscribe,
  outbox: Outbox,
  signal: AbortSignal,
): Promise<void> {
  const stream = await openStream(deps, identity, subscribe.query);
  const gone = openDeadline(signal);
  let cursor = subscribe.query.cursor ?? null;
  let { at } = stream;
  const send = async (part: StreamPart): Promise<void> => {
    for (const slice of slicesOf(part, at, stream.selection.limit)) {
      const next = stream.cursors.write(slice.next);
      const begins = cursor;
      await outbox.send(() => responseText(deps, identity, subscribe, stream, slice, begins, next), gone.signal);
      cursor = next;
    }
    at = part.next;
  };
  try {
    const { events, chunks, next, terminal } = await readPage(deps.pool, stream.selection, stream.at);
    await send({ items: [...events, ...chunks], next, terminal });
    if (!subscribe.follow || terminal) return;
    const drop = (): void => gone.abort(new FollowerTooSlow());
    const place = deps.followers.admit(identity);
    try {
      const sink = { gone: signal, write: send, drop };
      await follow(deps, { stream: { ...stream, at: next }, form: (part) => part, sink }, place.turn);
    } finally {
      place.leave();
    }
  } finally {
    gone.clear();
  }
}

/** The response that informs a client why a subscription ended, or that a frame was refused. */
export function failureText(
  deps: Pick<SubscriptionDeps, 'clock' | 'principal'>,
  error: unknown,
  subscribe: Partial<Subscribe>,
): string {
  const body: Body = { error: { error: protocolErrorOf(error, WEBSOCKET_COMPONENT) } };
  const trace = traceOf(subscribe, { cursor: subscribe.query?.cursor ?? null, next_cursor: null, terminal: true });
  return JSON.stringify(newEnvelope(body, fieldsOf(deps, subscribe, trace), deps));
}

/** A response as text: the stored records are in it as they were written. */
function responseText(
  deps: SubscriptionDeps,
  identity: Identity,
  subscribe: Subscribe,
  { selection }: Stream,
  slice: Slice,
  cursor: string | null,
  next: string,
): string {
  const { actionId } = subscribe.query;
  const { id, kind } = identity.principal;
  const trace = traceOf(subscribe, { cursor, next_cursor: next, terminal: slice.terminal });
  const fields = { ...fieldsOf(deps, subscribe, trace), to: { id, kind } };
  const [empty, key, text]: [Body, string, string] =
    actionId === undefined
      ? [{ event_stream: { events: [] } }, 'event_stream', eventStreamText(slice, next)]
      : [
          { action_events: { action_id: actionId, events: [], terminal: false } },
          'action_events',
          actionEventsText(actionId, slice, next, selection.chunks),
        ];
  const { body: _, ...envelope } = newEnvelope(empty, fields, deps);
  return `${JSON.stringify(envelope).slice(0, -1)},"body":{"${key}":${text}}}`;
}

function traceOf(
  subscribe: Partial<Subscribe>,
  at: Pick<Trace, 'cursor' | 'next_cursor' | 'terminal'>,
): { websocket: Trace } {
  const { subscriptionId, sessionId, tenantId, query, follow: following } = subscribe;
  return {
    websocket: {
      subscription_id: subscriptionId ?? null,
      action_id: query?.actionId ?? null,
      session_id: sessionId ?? null,
      tenant_id: tenantId ?? null,
      ...at,
      follow: following ?? false,
    },
  };
}

function fieldsOf(
  { principal }: Pick<SubscriptionDeps, 'principal'>,
  { sessionId }: Partial<Subscribe>,
  trace: object,
): Partial<Pick<Envelope, 'from' | 'session_id' | 'trace'>> {
  return { from: principal, trace, ...(sessionId !== undefined && { session_id: sessionId }) };
}
