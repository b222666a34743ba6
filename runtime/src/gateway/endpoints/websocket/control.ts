import { AipError, QueryInvalid } from '../../../protocol/errors.js';
import { isId, isPlainId } from '../../../protocol/ids.js';
import { idExpected } from '../../edge/query-parameters.js';
import type { EventQuery } from '../../events/queries.js';

/** One subscription as a client requested it. */
export interface Subscribe {
  readonly subscriptionId: string;
  readonly sessionId?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly query: EventQuery;
  readonly follow: boolean;
}

/** Whether a frame is meant as a control object and not as an envelope. */
export function isControl(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return 'type' in value && !('aip_version' in value) && !('body' in value);
}

/** The subscription_id of a control object, also of one that is refused. */
export function subscriptionIdOf(control: Record<string, unknown>): string | undefined {
  const { subscription_id: id } = control;
  return typeof id === 'string' && isPlainId(id) ? id : undefined;
}

/**
 * Reads a subscribe object (docs/protocol/client-api.md#websocket); members that it does not know are ignored. With action_id it
 * requests the events of that action, else for all events, where tenant_id has no meaning. Throws `ws.invalid_message`,
 * `ws.decode_failed`, `ws.invalid_session_id`, QueryInvalid.
 */
export function subscribeOf(control: Record<string, unknown>): Subscribe {
  if (control.type !== 'subscribe')
    throw new AipError('ws.invalid_message', 'the type of a control object must be subscribe');
  const subscriptionId = subscriptionIdOf(control);
  if (subscriptionId === undefined)
    throw new AipError(
      'ws.invalid_message',
      'subscription_id must be 1 to 256 bytes of text without control characters',
    );
  const actionId = textOf(control, 'action_id');
  if (actionId !== undefined && !isId('action', actionId)) throw new QueryInvalid(idExpected('action_id', 'action'));
  const sessionId = textOf(control, 'session_id');
  if (sessionId !== undefined && !isId('session', sessionId)) throw new AipError('ws.invalid_session_id');
  const tenantId = textOf(control, 'tenant_id');
  const kind = textOf(control, 'kind');
  const kinds = textsOf(control, 'kinds');
  return {
    subscriptionId,
    sessionId,
    tenantId,
    follow: flagOf(control, 'follow'),
    query: {
      route: actionId === undefined ? 'events' : 'action_events',
      actionId,
      tenantId: actionId === undefined ? undefined : tenantId,
      cursor: textOf(control, 'cursor'),
      limit: countOf(control, 'limit'),
      kinds: kind === undefined ? kinds : [kind, ...(kinds ?? [])],
      includeChunks: flagOf(control, 'include_chunks'),
    },
  };
}

function textOf(control: Record<string, unknown>, name: string): string | undefined {
  const value = control[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw wrong(name, 'text');
  if (Buffer.byteLength(value) > 2048 || value.includes('\0')) throw wrong(name, 'text of at most 2048 bytes');
  return value;
}

function textsOf(control: Record<string, unknown>, name: string): readonly string[] | undefined {
  const value = control[name] ?? undefined;
  if (value === undefined) return undefined;
  if (
    !Array.isArray(value) ||
    value.length > 100 ||
    !value.every((each) => typeof each === 'string' && isPlainId(each))
  )
    throw wrong(name, 'an array of at most 100 texts of 1 to 256 bytes');
  return value;
}

function flagOf(control: Record<string, unknown>, name: string): boolean {
  const value = control[name] ?? false;
  if (typeof value !== 'boolean') throw wrong(name, 'true or false');
  return value;
}

function countOf(control: Record<string, unknown>, name: string): number | undefined {
  const value = control[name] ?? undefined;
  if (value === undefined) return undefined;
  if (!Number.isSafeInteger(value)) throw wrong(name, 'a whole number');
  return value as number;
}

function wrong(name: string, form: string): AipError {
  return new AipError('ws.decode_failed', `${name} of the subscribe object must be ${form}`);
}
