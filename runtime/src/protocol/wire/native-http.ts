import { decodeEnvelope, type Envelope } from '../envelope.js';
import { parseJsonBytes } from '../json.js';

/** Profile of envelopes over HTTP. */
export const NATIVE_HTTP_PROFILE = 'aip.native.http.v1';

/** Media type of an encoded envelope in the codec; routes answer `application/json` (docs/protocol/README.md#versioning). */
export const ENVELOPE_MEDIA_TYPE = 'application/aip+json';

/** Serialized bytes with the metadata a transport carries beside them. */
export interface RawFrame {
  bytes: Uint8Array;
  metadata: Record<string, string>;
}

/** The complete envelope as JSON, with its media type and exact message type. */
export function encodeFrame(envelope: Envelope): RawFrame & { bytes: Buffer } {
  return {
    bytes: Buffer.from(JSON.stringify(envelope), 'utf8'),
    metadata: { 'content-type': ENVELOPE_MEDIA_TYPE, 'aip-message-type': envelope.message_type },
  };
}

/** The envelope of a frame; metadata is not trusted for anything. Throws JsonInvalid and what `decodeEnvelope` throws. */
export function decodeFrame(frame: Pick<RawFrame, 'bytes'>): Envelope {
  return decodeEnvelope(parseJsonBytes(frame.bytes));
}
