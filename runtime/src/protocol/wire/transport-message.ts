import { AipError } from '../errors/aip-error.js';
import type { Envelope } from '../types.js';
import type { RawFrame } from './native-http.js';

/** One complete envelope with what a transport carries beside it; metadata is trusted for nothing. */
export interface TransportMessage {
  readonly envelope: Envelope;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A TransportMessage before its envelope is decoded. */
export interface ReceivedTransportMessage {
  readonly envelope: unknown;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The message as JSON; `metadata` is left out when it is empty. */
export function encodeTransportMessage({ envelope, metadata }: TransportMessage): string {
  return JSON.stringify(Object.keys(metadata).length === 0 ? { envelope } : { envelope, metadata });
}

/**
 * Reads parsed JSON as a TransportMessage, or as a raw envelope, whose metadata are then the given headers. Throws
 * `envelope.decode.invalid` for what is neither; the envelope itself is not decoded.
 */
export function decodeTransportMessage(
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): ReceivedTransportMessage {
  if (!isObject(value)) throw neither();
  if ('aip_version' in value || 'message_type' in value) return { envelope: value, metadata: headers };
  const { envelope, metadata = {}, ...rest } = value;
  if (!isObject(envelope)) throw neither();
  if (Object.keys(rest).length > 0)
    throw new AipError('envelope.decode.invalid', `a TransportMessage has no member ${Object.keys(rest)[0]}`);
  if (!isStringMap(metadata))
    throw new AipError('envelope.decode.invalid', 'metadata must be a map of string to string');
  return { envelope, metadata };
}

function neither(): AipError {
  return new AipError('envelope.decode.invalid', 'the JSON is neither a TransportMessage nor an AIP 1.0 envelope');
}

/** The serialized envelope, unchanged, with the metadata of its message. */
export function rawFrameOf(envelopeBytes: Uint8Array, { metadata }: Pick<TransportMessage, 'metadata'>): RawFrame {
  return { bytes: envelopeBytes, metadata: { ...metadata } };
}

/** Metadata as every transport carries it: names in lower case, the first value of each. */
export function normalizedMetadata(headers: Iterable<readonly [string, readonly string[]]>): Record<string, string> {
  const metadata: Record<string, string> = {};
  for (const [name, [value]] of headers) {
    const lower = name.toLowerCase();
    if (value !== undefined && !Object.hasOwn(metadata, lower)) metadata[lower] = value;
  }
  return metadata;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStringMap(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((each) => typeof each === 'string');
}
