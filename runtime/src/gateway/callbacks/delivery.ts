import { chunkCallbackMessageId } from '../../protocol/content/chunk-ids.js';
import { MESSAGE_TYPES } from '../../protocol/envelope.js';
import { deliveryId } from '../../protocol/hashes.js';
import { newId } from '../../protocol/ids.js';
import { plainJson } from '../../protocol/json.js';
import { CALLBACK_TIMEOUT_MS } from '../../protocol/limits.js';
import type {
  Action,
  ActionMode,
  ActionResult,
  Body,
  Callback,
  CallbackDeliveryPolicy,
  StreamChunk,
} from '../../protocol/types.js';

/** Attempts of one delivery, and the pauses between them in milliseconds (docs/protocol/records.md#callback-deliveries). */
const MAX_ATTEMPTS = 3;
const BACKOFF_MS = [250, 1000];

/** A message to a callback, to be stored with what it reports. Times in ms since the epoch. */
export interface NewDelivery {
  readonly delivery_id: string;
  readonly tenant_id: string | null;
  readonly principal_id: string;
  readonly principal_kind: string;
  readonly action_id: string | null;
  readonly session_id: string | null;
  readonly correlation_id: string | null;
  readonly message_id: string;
  readonly message_type: string;
  readonly policy: CallbackDeliveryPolicy;
  readonly body: Body;
  readonly created_at: number;
}

/** Whom a delivery belongs to and what it is about; no action for a delegation's result. */
export type DeliverySubject = Pick<
  NewDelivery,
  'action_id' | 'tenant_id' | 'principal_id' | 'principal_kind' | 'session_id' | 'correlation_id'
>;

/** A message with this body to a callback. One message is delivered to one callback under one id. */
export function deliveryOf(
  subject: DeliverySubject,
  callback: Callback,
  body: Body,
  nowMs: number,
  messageId: string = newId('message'),
): NewDelivery {
  const id = deliveryId(messageId, callback.profile, callback.target);
  const [key] = Object.keys(body) as (keyof typeof MESSAGE_TYPES)[];
  return {
    delivery_id: id,
    tenant_id: subject.tenant_id,
    principal_id: subject.principal_id,
    principal_kind: subject.principal_kind,
    action_id: subject.action_id,
    session_id: subject.session_id,
    correlation_id: subject.correlation_id,
    message_id: messageId,
    message_type: MESSAGE_TYPES[key as keyof typeof MESSAGE_TYPES],
    policy: {
      delivery_id: id,
      target: callback,
      max_attempts: MAX_ATTEMPTS,
      timeout_ms: CALLBACK_TIMEOUT_MS,
      retry_backoff_ms: BACKOFF_MS,
      idempotency_key: `callback:${id}`,
      sign_payload: true,
      terminal_only: isTerminalOnly(callback),
    },
    body,
    created_at: nowMs,
  };
}

/** Whether a callback gets results alone; its metadata may request the chunks of a stream too. */
export function isTerminalOnly({ metadata }: Callback): boolean {
  return (plainJson(metadata) as { terminal_only?: unknown } | undefined)?.terminal_only !== false;
}

/** The delivery of a stream chunk to a callback that requested chunks: the same message, however often the chunk comes. */
export function chunkDelivery(
  subject: DeliverySubject,
  callback: Callback,
  chunk: StreamChunk,
  nowMs: number,
): NewDelivery | undefined {
  if (isTerminalOnly(callback)) return undefined;
  const messageId = chunkCallbackMessageId(chunk.action_id, chunk.sequence);
  return deliveryOf(subject, callback, { stream_chunk: chunk } as Body, nowMs, messageId);
}

/** What decides whether the result of an action is delivered: nobody waited for it here. */
interface ResultSubject extends DeliverySubject {
  readonly mode: ActionMode;
  readonly approval_id: string | null;
  readonly request: Action;
}

/**
 * The delivery of an action's result to its callback: for an action whose caller did not wait for it, because it was queued, streamed or
 * resumed after an approval.
 */
export function resultDelivery(record: ResultSubject, result: ActionResult, nowMs: number): NewDelivery | undefined {
  const { callback } = record.request;
  if (!callback || (record.mode === 'sync' && record.approval_id === null)) return undefined;
  return deliveryOf(record, callback, { action_result: result } as Body, nowMs);
}
