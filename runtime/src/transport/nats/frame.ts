import { headers, Match, type Msg, type MsgHdrs } from '@nats-io/transport-node';
import type { Envelope } from '../../protocol/envelope.js';
import { BrokerDecodeFailed } from '../../protocol/errors.js';
import { parseJsonBytes } from '../../protocol/json.js';
import {
  decodeTransportMessage,
  encodeTransportMessage,
  normalizedMetadata,
  type ReceivedTransportMessage,
  rawFrameOf,
} from '../../protocol/wire/transport-message.js';
import { traceHeader } from '../telemetry/telemetry.js';
import { parseTraceparent, type TraceContext } from '../telemetry/trace-context.js';

/** What is published for an envelope. */
export interface BrokerFrame {
  readonly payload: string;
  readonly headers: MsgHdrs;
}

/** The frame of an envelope: a JSON TransportMessage, and headers that name it for tools on the way. */
export function frameOf(envelope: Envelope): BrokerFrame {
  const named = headers();
  named.set('AIP-Version', envelope.aip_version);
  named.set('AIP-Message-Type', envelope.message_type);
  named.set('AIP-Message-Id', headerText(envelope.message_id));
  if (envelope.session_id !== undefined) named.set('AIP-Session-Id', headerText(envelope.session_id));
  if (envelope.correlation_id !== undefined) named.set('AIP-Correlation-Id', headerText(envelope.correlation_id));
  return { payload: encodeTransportMessage({ envelope, metadata: {} }), headers: named };
}

/**
 * The message of a payload: a TransportMessage or a raw envelope, whose metadata are then the headers. Throws
 * BrokerDecodeFailed for bytes that are neither.
 */
export function messageOf(message: Pick<Msg, 'data' | 'headers'>): ReceivedTransportMessage {
  try {
    const metadata = message.headers ? normalizedMetadata(message.headers) : {};
    const frame = rawFrameOf(message.data, { metadata });
    return decodeTransportMessage(parseJsonBytes(frame.bytes), frame.metadata);
  } catch (error) {
    throw decodeFailure(error);
  }
}

/** A failure to read a message as the error that a broker message is answered with. */
export function decodeFailure(error: unknown): BrokerDecodeFailed {
  if (error instanceof BrokerDecodeFailed) return error;
  return new BrokerDecodeFailed(`the message cannot be decoded: ${(error as Error).message}`, { cause: error });
}

/** The headers of a frame, with those that let the peer continue the trace which this code runs in. */
export function withTrace(named: MsgHdrs): MsgHdrs {
  for (const [name, value] of Object.entries(traceHeader())) named.set(name, value);
  return named;
}

/** The trace context that a message came with; undefined for none or an invalid one. */
export function traceOf({ headers: named }: Pick<Msg, 'headers'>): TraceContext | undefined {
  return parseTraceparent(named?.values('traceparent', Match.IgnoreCase)[0]);
}

/** Text as a header can carry it. */
function headerText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text);
}
