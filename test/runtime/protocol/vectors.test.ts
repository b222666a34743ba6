import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '#runtime/protocol/canonical.js';
import { chunkCallbackMessageId, chunkEventId } from '#runtime/protocol/content/chunk-ids.js';
import { normalForm } from '#runtime/protocol/decode/normal-form.js';
import { sha256Hex } from '#runtime/protocol/digest.js';
import { decodeEnvelope, type Envelope, signEnvelope, verifyEnvelope } from '#runtime/protocol/envelope.js';
import { SignatureInvalid } from '#runtime/protocol/errors.js';
import {
  actionInputHash,
  approvalPolicyHash,
  deliveryId,
  idempotencyInputHash,
  planInputHash,
} from '#runtime/protocol/hashes.js';
import { parseJson, toNumber } from '#runtime/protocol/json.js';
import type { Principal } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';
import { copy, keyOf, signed } from './support.ts';

const withoutSignature = (envelope: Envelope) => {
  const { signature: _, ...security } = envelope.security as Record<string, unknown>;
  return { ...envelope, security };
};
const parsed = (text: string) => parseJson(text) as Envelope;
const securityOf = (envelope: Envelope) => envelope.security as Record<string, string>;
const vector = (start: string) => {
  const found = signed.envelopes.find(({ name }) => name.startsWith(start));
  if (found === undefined) throw new Error(`no vector ${start}`);
  return found;
};

describe.each(signed.envelopes)('signed envelope: $name', ({ name, bytes, sha256, text }) => {
  it('F-015 N-020 passes the 1.0 schema and decode unchanged and verifies as it stands', async () => {
    const value = parsed(text);
    expect(check('Envelope', value)).toEqual([]);
    expect(decodeEnvelope(value)).toBe(value);
    expect(await verifyEnvelope(decodeEnvelope(value))).toBe(securityOf(value).did);
  });

  it('has the canonical bytes of the vector', () => {
    const canonical = canonicalJson(withoutSignature(parsed(text)));
    expect(Buffer.byteLength(canonical)).toBe(bytes);
    expect(sha256Hex(canonical)).toBe(sha256);
  });

  it('N-020 gets the same signature when signed again', async () => {
    const value = parsed(text);
    const { from, ...rest } = value;
    const again = await signEnvelope(rest as Envelope, from as Principal, keyOf(securityOf(value).did as string));
    expect(again).toEqual(value);
  });

  it('verifies with members in any order and fails with any byte of the signed text changed', async () => {
    const value = parsed(text);
    const reversed = Object.fromEntries(Object.entries(value).reverse()) as unknown as Envelope;
    expect(await verifyEnvelope(reversed)).toBe(securityOf(value).did);
    const signature = securityOf(value).signature as string;
    const wire = JSON.stringify(value);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (position, difference) => {
        const spoilt = Buffer.from(wire);
        const at = position % spoilt.length;
        spoilt[at] = (spoilt[at] as number) ^ difference;
        let changed: Envelope;
        try {
          changed = parsed(spoilt.toString('utf8'));
        } catch {
          return;
        }
        if (canonicalJson(changed) === canonicalJson(value)) return;
        await expect(verifyEnvelope(changed)).rejects.toThrow(SignatureInvalid);
      }),
      { numRuns: 60 },
    );
    const other = `${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`;
    await expect(verifyEnvelope({ ...value, security: { ...value.security, signature: other } })).rejects.toThrow(
      SignatureInvalid,
    );
    expect(name).not.toBe('');
  });
});

describe('changes that must break a signature', () => {
  it('V3: a nested member named signature is covered, and a null inside an opaque value too', async () => {
    const v3 = parsed(vector('V3').text);
    const nested = copy(v3) as unknown as { body: { stream_chunk: { data: { signature: string } } } };
    nested.body.stream_chunk.data.signature = 'other';
    await expect(verifyEnvelope(nested as unknown as Envelope)).rejects.toThrow(SignatureInvalid);
    const nulls = copy(v3);
    delete (nulls.security as { connector_callback: Record<string, unknown> }).connector_callback
      .credential_revision_ref;
    await expect(verifyEnvelope(nulls)).rejects.toThrow(SignatureInvalid);
  });

  it.each([
    [
      'sent_at spelled with a trailing zero',
      (e: Record<string, unknown>) => ({ ...e, sent_at: '2026-01-02T03:04:05.120Z' }),
    ],
    ['correlation_id added as null', (e: Record<string, unknown>) => ({ ...e, correlation_id: null })],
    ['from.did removed', (e: Record<string, unknown>) => ({ ...e, from: { id: 'service:alpha', kind: 'service' } })],
  ])('V1: %s', async (_, change) => {
    const changed = change(parsed(vector('V1').text) as unknown as Record<string, unknown>);
    await expect(verifyEnvelope(changed as unknown as Envelope)).rejects.toThrow(SignatureInvalid);
    await expect(verifyEnvelope(decodeEnvelope(changed))).rejects.toThrow(SignatureInvalid);
  });

  it('V2: a defaulted boolean left out', async () => {
    const changed = copy(parsed(vector('V2').text)) as unknown as { body: { action_status_request: object } };
    delete (changed.body.action_status_request as Record<string, unknown>).include_chunks;
    await expect(verifyEnvelope(decodeEnvelope(changed))).rejects.toThrow(SignatureInvalid);
  });

  it('an envelope is verified over the number tokens that were received', async () => {
    const key = keyOf('did:key:z6MkgAnvkP45uNxwCKeNdt6wrYkEjpYX4f7Nrd8MQqFL8Fbn');
    const unsigned = parsed(
      '{"aip_version":"1.0","message_type":"aip.core.v1.action","message_id":"msg_1","sent_at":"2026-01-02T03:04:05Z","body":{"action":{"id":"act_1","capability_id":"c","input":{"one":1.0,"big":18446744073709551615},"timeout_ms":18446744073709551615}}}',
    );
    const envelope = await signEnvelope(unsigned, { id: 'service:central', kind: 'service' }, key);
    const wire = JSON.stringify(envelope);
    expect(wire).toContain('"one":1.0,"big":18446744073709551615');
    const decoded = decodeEnvelope(parseJson(wire));
    expect(toNumber((decoded.body as { action: { timeout_ms: number } }).action.timeout_ms)).toBe(2 ** 64);
    expect(await verifyEnvelope(decoded)).toBe(key.did);
    await expect(verifyEnvelope(decodeEnvelope(parseJson(wire.replace('1.0,', '1,'))))).rejects.toThrow(
      SignatureInvalid,
    );
  });
});

describe('hash vectors', () => {
  const action = { capability_id: 'cap:billing:refund', input: { amount_minor: 1250, order: 'A-17' } };
  const actionHash = '74d2bab54fb36e27ac0a2bf1a8da813000ca3eaae5bdb962ce1ddfa9c0b4dd36';

  it('of action and plan inputs', () => {
    expect(actionInputHash(action)).toBe(actionHash);
    expect(planInputHash(action)).toBe('be2eb7232eebd665b214d56f1e432690bd37473d8a790f6be0a0d3bdc7975b39');
    expect(idempotencyInputHash(action)).toBe(actionHash);
    const planned = { ...action, transaction: { mode: 'plan' as const, transaction_id: 'txn_1' } };
    expect(idempotencyInputHash(planned)).toBe(actionInputHash({ ...action, transaction: { mode: 'plan' } }));
    expect(actionInputHash(planned)).not.toBe(idempotencyInputHash(planned));
  });

  it('of an approval policy', () => {
    const policy = normalForm('ApprovalPolicy', {
      required: true,
      approver_selector: { type: 'role', name: 'finance-lead' },
      ttl_ms: 3600000,
      evidence_requirements: ['reason', 'input_snapshot'],
      separation_of_duties: { requester_must_differ: true },
      policy_version: 'refunds/3',
    });
    expect(
      approvalPolicyHash({
        policy,
        action_id: 'act_0197a1c2d3e47f508192a3b4c5d6e7f1',
        capability_id: action.capability_id,
        requester_id: 'agent:desk-7',
        subject_id: null,
        input_hash: actionHash,
      }),
    ).toBe('18d2547993cd603352f8b8137fa03b435fa76e7946e230f844c511377430cab4');
  });

  it('of chunk ids and delivery ids', () => {
    const actionId = 'act_0197a1c2d3e47f508192a3b4c5d6e7f1';
    expect(chunkEventId(actionId, 3)).toBe(
      'evt_stream_169a5b580c38116d9046dc5a92ca3e259368dd14de8ba729e29bf6711e74cfb3',
    );
    expect(chunkCallbackMessageId(actionId, 3)).toBe(
      'msg_stream_82f8369d5babe80d74f624190c2b8e2acf01090cb0ea9f7ddfc648972cf2e3fe',
    );
    expect(chunkEventId('act_0001', 7)).toBe(
      'evt_stream_b3a2a0bd4c426644d774300f697fc6990429b0bafd811bfd073f14b6f168cd13',
    );
    expect(chunkCallbackMessageId('act_0001', 7)).toBe(
      'msg_stream_372e90f541bfcb929a30cd9bbf8e5785bc7b397a1a5948a97554fc47e413e04d',
    );
    const target = 'https://client.example/aip/callback';
    expect(deliveryId('msg_0197a1c2d3e47f508192a3b4c5d6e7a1', 'aip.native.http.v1', target)).toBe(
      'cb:7e0a12e39e0592e4f70a70a138534b2be3c2c881f766120441006638dd00adbc',
    );
  });
});
