import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#runtime/protocol/canonical.js';
import { normalForm } from '#runtime/protocol/decode/normal-form.js';
import {
  decodeEnvelope,
  type Envelope,
  MESSAGE_TYPES,
  replyEnvelope,
  signEnvelope,
  verifyEnvelope,
} from '#runtime/protocol/envelope.js';
import { parseJson } from '#runtime/protocol/json.js';
import type { Definition } from '#runtime/protocol/schema/dsl/dsl.js';
import { BODIES } from '#runtime/protocol/schema/envelope.js';
import { DEFINITIONS } from '#runtime/protocol/schema/index.js';
import { normalTime } from '#runtime/protocol/time.js';
import type { SchemaName } from '#runtime/protocol/validate.js';
import { central, clock, envelopeOf, sampleOf } from '../support.ts';

const NORMAL = '2026-07-09T00:00:00.25Z';
const LARGEST = '18446744073709551615';

describe('the one form of a time', () => {
  test.each([
    ['2026-07-09T00:00:00.000Z', '2026-07-09T00:00:00Z'],
    ['2026-07-09T00:00:00.120Z', '2026-07-09T00:00:00.12Z'],
    ['2026-07-09t00:00:00.25z', NORMAL],
    ['2026-07-09T00:00:00.250+00:00', NORMAL],
    ['2026-07-09T00:00:00-00:00', '2026-07-09T00:00:00Z'],
    ['2026-07-09T02:00:00.100+02:00', '2026-07-09T02:00:00.1+02:00'],
    ['2026-07-09T00:00:00.123456789Z', '2026-07-09T00:00:00.123456789Z'],
    ['2026-07-09T00:00:00.1234567899Z', '2026-07-09T00:00:00.123456789Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:60Z'],
  ])('%s becomes %s', (text, normal) => {
    expect(normalTime(text)).toBe(normal);
    expect(normalTime(normal)).toBe(normal);
  });
});

/** Each message type with the text of an envelope that has every member of its body. */
const TEXTS = Object.entries(MESSAGE_TYPES).map(([key, messageType]) => {
  const definition = (BODIES as Record<string, readonly [string, Definition]>)[key]?.[1] as Definition;
  return [messageType, JSON.stringify(envelopeOf(messageType, { [key]: sampleOf(definition, true) }))] as const;
});
const decode = (text: string): Envelope => decodeEnvelope(parseJson(text));

describe('what is decoded and signed again', () => {
  test.each(TEXTS)(
    '%s: times of any form are signed in their one form, and verified as they came',
    async (_type, text) => {
      for (const odd of ['2026-07-09t00:00:00.250Z', '2026-07-09T00:00:00.25+00:00', '2026-07-09T00:00:00.2500000z']) {
        const received = text.replaceAll(NORMAL, odd);
        const decoded = decode(received);
        expect(canonicalJson(decoded)).toBe(canonicalJson(decode(text)));
        const signed = await signEnvelope(decoded, { id: 'service:central', kind: 'service' }, central);
        expect(JSON.stringify(signed)).not.toContain(odd);
        expect(await verifyEnvelope(decode(JSON.stringify(signed)))).toBe(central.did);
        const reply = replyEnvelope(decoded, decoded.body, { clock });
        expect(JSON.stringify(reply)).not.toContain(odd);
      }
    },
  );

  const withIntegers = TEXTS.filter(([, text]) => text.includes(':7'));
  test.each(withIntegers)('%s: an integer of 64 bits keeps its token', (_type, text) => {
    for (let at = text.indexOf(':7'); at >= 0; at = text.indexOf(':7', at + 1)) {
      const large = `${text.slice(0, at)}:${LARGEST}${text.slice(at + 2)}`;
      let decoded: Envelope;
      try {
        decoded = decode(large);
      } catch (error) {
        expect((error as Error).message).toContain('at most 32 bits');
        continue;
      }
      expect(JSON.stringify(decoded)).toContain(`:${LARGEST}`);
      expect(canonicalJson(decoded)).toContain(`:${LARGEST}`);
    }
  });

  test('every record alone: the normal form of odd times is that of normal ones', () => {
    for (const [name, definition] of DEFINITIONS) {
      const text = JSON.stringify(sampleOf(definition, true));
      if (!text.includes(NORMAL)) continue;
      const odd = parseJson(text.replaceAll(NORMAL, '2026-07-09T00:00:00.250Z'));
      expect(canonicalJson(normalForm(name as SchemaName, odd)), name).toBe(
        canonicalJson(normalForm(name as SchemaName, parseJson(text))),
      );
    }
  });
});
