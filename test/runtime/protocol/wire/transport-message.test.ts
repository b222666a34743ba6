import { expect, test } from 'vitest';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import {
  decodeTransportMessage,
  encodeTransportMessage,
  normalizedMetadata,
  rawFrameOf,
} from '#runtime/protocol/wire/transport-message.js';
import { withCode } from '../../../support/with-code.js';

const envelope = newEnvelope({ heartbeat: { sequence: 1, status: 'busy' } } as never, {}, { clock: Date.now });

test('N-030 a TransportMessage carries one complete envelope', () => {
  const text = encodeTransportMessage({ envelope, metadata: { a: '1' } });
  expect(JSON.parse(text)).toEqual({ envelope, metadata: { a: '1' } });
  expect(decodeTransportMessage(JSON.parse(text))).toEqual({ envelope, metadata: { a: '1' } });
  for (const value of [{}, { envelope: 'text' }, { envelope, more: 1 }, [envelope], null, 'text'])
    expect(() => decodeTransportMessage(value)).toThrow(withCode('envelope.decode.invalid'));
});

test('N-031 metadata is a map of string to string; another value is refused', () => {
  for (const metadata of [{ a: 1 }, { a: null }, { a: ['1'] }, ['a'], 'a', null])
    expect(() => decodeTransportMessage({ envelope, metadata })).toThrow(/map of string to string/);
});

test('N-032 empty metadata is left out, and an absent one reads as empty', () => {
  expect(JSON.parse(encodeTransportMessage({ envelope, metadata: {} }))).toEqual({ envelope });
  expect(decodeTransportMessage({ envelope })).toEqual({ envelope, metadata: {} });
});

test('N-033 N-034 a raw frame has the bytes of the envelope unchanged and the metadata of its message', () => {
  const bytes = Buffer.from(`  ${JSON.stringify(envelope)}\n`);
  const metadata = normalizedMetadata([
    ['AIP-Version', ['1.0', '2.0']],
    ['aip-version', ['3.0']],
    ['Empty', []],
  ]);
  expect(metadata).toEqual({ 'aip-version': '1.0' });
  const frame = rawFrameOf(bytes, { metadata });
  expect(frame.bytes).toBe(bytes);
  expect(frame.metadata).toEqual(metadata);
});

test('a raw envelope is read as a message whose metadata are the headers', () => {
  expect(decodeTransportMessage(envelope, { 'aip-version': '1.0' })).toEqual({
    envelope,
    metadata: { 'aip-version': '1.0' },
  });
});
