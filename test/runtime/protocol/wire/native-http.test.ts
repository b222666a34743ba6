import { describe, expect, it } from 'vitest';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { JsonInvalid } from '#runtime/protocol/errors.js';
import { parseJson } from '#runtime/protocol/json.js';
import { decodeFrame, encodeFrame, NATIVE_HTTP_PROFILE } from '#runtime/protocol/wire/native-http.js';
import { withCode } from '../../../support/with-code.js';
import { clock, type Envelope, signed } from '../support.ts';

describe('the native HTTP codec', () => {
  it('N-438 is the profile aip.native.http.v1', () => {
    expect(NATIVE_HTTP_PROFILE).toBe('aip.native.http.v1');
  });

  it.each(signed.envelopes)('N-439 gives the complete envelope back: $name', ({ text }) => {
    const envelope = parseJson(text) as Envelope;
    expect(decodeFrame(encodeFrame(envelope))).toEqual(envelope);
  });

  it('N-439 keeps number tokens that plain numbers lose', () => {
    const input = parseJson('{"one":1.0,"big":18446744073709551615}');
    const envelope = newEnvelope({ action: { id: 'act_1', capability_id: 'c', input } }, {}, { clock });
    const { bytes } = encodeFrame(decodeFrame(encodeFrame(envelope)));
    expect(Buffer.from(bytes).toString()).toContain('{"one":1.0,"big":18446744073709551615}');
  });

  it('N-440 N-441 sets content-type application/aip+json and the exact message type', () => {
    const envelope = newEnvelope({ event_stream: { events: [] } }, {}, { clock });
    expect(encodeFrame(envelope).metadata).toEqual({
      'content-type': 'application/aip+json',
      'aip-message-type': 'aip.discovery.v1.event_stream_response',
    });
  });

  it('refuses bytes that are not JSON and JSON that is not an envelope', () => {
    expect(() => decodeFrame({ bytes: Buffer.from('{') })).toThrow(JsonInvalid);
    expect(() => decodeFrame({ bytes: Buffer.from('{}') })).toThrow(withCode('schema.envelope.invalid'));
  });
});
