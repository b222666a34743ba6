import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bodyKey,
  bodyOf,
  decodeEnvelope,
  type Envelope,
  newEnvelope,
  replyEnvelope,
  signEnvelope,
  verifyEnvelope,
} from '#runtime/protocol/envelope.js';
import { SignatureInvalid } from '#runtime/protocol/errors.js';
import type { Body, Principal } from '#runtime/protocol/types.js';
import { withCode } from '../../support/with-code.js';
import { central, clock, copy, host } from './support.ts';

const ack: Body = { ack: { action_id: 'act_1', status: 'accepted' } };
const principal: Principal = { id: 'service:central', kind: 'service', trust_domain: 'fleet.example' };
const sender: Principal = { id: 'agent:client', kind: 'agent', did: host.did };

describe('a new envelope', () => {
  it('F-325 N-015 N-016 N-017 N-018 N-019 N-499 has version 1.0, its message type, a new id, the time and its body', () => {
    const first = newEnvelope(ack, {}, { clock });
    const second = newEnvelope(ack, {}, { clock });
    expect(first).toMatchObject({
      aip_version: '1.0',
      message_type: 'aip.core.v1.ack',
      sent_at: '2026-07-09T00:00:00.25Z',
      body: ack,
    });
    expect(first.message_id).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(second.message_id).not.toBe(first.message_id);
    expect(decodeEnvelope(copy(first))).toEqual(first);
  });

  it('N-016 takes its message type from the body key where their names differ', () => {
    expect(newEnvelope({ event_stream: { events: [] } }, {}, { clock }).message_type).toBe(
      'aip.discovery.v1.event_stream_response',
    );
  });

  it('takes the fields it is given', () => {
    const fields = { message_id: 'msg_given', correlation_id: 'corr_1', to: sender, security: { trust_domain: 'd' } };
    expect(newEnvelope(ack, fields, { clock })).toMatchObject(fields);
  });

  it('knows its body', () => {
    const envelope = newEnvelope(ack, {}, { clock });
    expect(bodyKey(envelope)).toBe('ack');
    expect(bodyOf(envelope, 'ack')?.status).toBe('accepted');
    expect(bodyOf(envelope, 'action')).toBeUndefined();
  });
});

describe('a reply', () => {
  it('F-325 N-015 N-017 keeps session and correlation, refers to the request and goes to its sender', () => {
    const request = newEnvelope(ack, { session_id: 'sess_1', correlation_id: 'corr_1', from: sender }, { clock });
    const reply = replyEnvelope(request, ack, { clock, from: principal });
    expect(reply).toMatchObject({
      aip_version: '1.0',
      session_id: 'sess_1',
      correlation_id: 'corr_1',
      in_response_to: request.message_id,
      from: principal,
      to: sender,
    });
    expect(reply.message_id).not.toBe(request.message_id);
  });

  it('has no member for what the request lacks', () => {
    const reply = replyEnvelope(newEnvelope(ack, {}, { clock }), ack, { clock });
    for (const member of ['session_id', 'correlation_id', 'from', 'to']) expect(member in reply).toBe(false);
  });
});

describe('the envelope schema', () => {
  it('an envelope with several missing members is refused with all of them named', () => {
    expect(() => decodeEnvelope({ aip_version: '1.0', message_id: 'msg_1' })).toThrow(
      'it lacks the required members message_type, sent_at, body',
    );
    expect(() => decodeEnvelope({})).toThrow('aip_version, message_type, message_id, sent_at, body');
  });

  it('members that are missing inside the body and beside it are named together, 16 at most', () => {
    const action = { action: { mode: 'async', delegation_chain: [{ scope: 'x' }, {}] } };
    const value = { aip_version: '1.0', message_type: 'aip.core.v1.action', from: { id: 'agent:x' }, body: action };
    expect(() => decodeEnvelope(value)).toThrow(
      'it lacks the required members message_id, sent_at, /body/action/id, /body/action/capability_id, /body/action/input, ' +
        '/body/action/delegation_chain/0/from, /body/action/delegation_chain/0/to, /body/action/delegation_chain/0/delegated_at, ' +
        '/body/action/delegation_chain/1/from, /body/action/delegation_chain/1/to, /body/action/delegation_chain/1/scope, ' +
        '/body/action/delegation_chain/1/delegated_at, /from/kind',
    );
    const events = Array.from({ length: 100 }, () => ({}));
    const many = { ...value, body: { event_stream: { events } } };
    let message = '';
    try {
      decodeEnvelope(many);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message.split(', ')).toHaveLength(16);
  });

  it('a message part is read by its type, and one of another type has no members to miss', () => {
    const sent = newEnvelope(ack, {}, { clock });
    const message = (parts: object[]) => ({
      ...sent,
      message_type: 'aip.channel.v1.message_created',
      body: { channel_message: { conversation: {}, sender: {}, parts } },
    });
    expect(() => decodeEnvelope(message([{ type: 'file' }, { type: 'none' }, {}]))).toThrow(
      '/body/channel_message/parts/0/mime_type, /body/channel_message/parts/0/filename, /body/channel_message/parts/2/type',
    );
  });

  const valid = newEnvelope(ack, {}, { clock }) as unknown as Record<string, unknown>;
  it.each([
    ['N-501 without aip_version', { aip_version: undefined }, /aip_version/],
    ['N-501 of version 1.1', { aip_version: '1.1' }, /aip_version must be "1.0"/],
    ['N-501 with version 1.0 as a number', { aip_version: 1 }, /aip_version/],
    ['of an unknown message type', { message_type: 'aip.core.v2.ack' }, /message_type must be one of/],
    ['without message id', { message_id: undefined }, /message_id/],
    ['without time', { sent_at: undefined }, /sent_at/],
    ['N-019 without body', { body: undefined }, /body/],
    ['with an empty body', { body: {} }, /body/],
    ['with two bodies', { body: { ...ack, heartbeat: { sequence: 1 } } }, /body/],
    ['with an unknown body', { body: { nack: {} } }, /unknown member "nack"/],
    ['F-015 with an unknown member', { connector_route: {} }, /unknown member "connector_route"/],
    ['with a sender of unknown kind', { from: { id: 'x', kind: 'robot' } }, /from\/kind must be one of human/],
    ['with a text as sender', { from: 'agent:x' }, /from/],
  ])('refuses an envelope %s', (_, change, reason) => {
    const value = JSON.parse(JSON.stringify({ ...valid, ...change }));
    expect(() => decodeEnvelope(value)).toThrow(withCode('schema.envelope.invalid'));
    expect(() => decodeEnvelope(value)).toThrow(reason);
  });

  it('N-020 takes any security and keeps it', () => {
    const security = { trust_domain: 'd', nonce: null, connector_route: { a: [] } };
    expect(decodeEnvelope({ ...valid, security }).security).toEqual(security);
  });
});

describe('signing', () => {
  const envelope = newEnvelope(ack, { security: { trust_domain: 'd', signature: 'old', did: 'old' } }, { clock });

  it('N-020 replaces from, did and signature, keeps the rest of security, and changes nothing it was given', async () => {
    const before = copy(envelope);
    const signed = await signEnvelope({ ...envelope, from: sender }, principal, central);
    expect(envelope).toEqual(before);
    expect(signed.from).toEqual({ ...principal, did: central.did });
    expect(signed.security).toEqual({
      trust_domain: 'd',
      did: central.did,
      signature: expect.stringMatching(/^[A-Za-z0-9+/]{86}==$/),
    });
    expect(await verifyEnvelope(signed)).toBe(central.did);
  });

  it.each([
    ['no security', (e: Envelope) => ({ ...e, security: undefined })],
    ['a text as security', (e: Envelope) => ({ ...e, security: 'signed' })],
    ['no signature', (e: Envelope) => ({ ...e, security: { did: central.did } })],
    ['a number as signature', (e: Envelope) => ({ ...e, security: { ...e.security, signature: 7 } })],
    ['no DID at all', ({ from: _, ...e }: Envelope) => ({ ...e, security: { signature: e.security?.signature } })],
    ['a DID that is none', (e: Envelope) => ({ ...e, security: { ...e.security, did: 'did:web:x' } })],
    ['the DID of another key', (e: Envelope) => ({ ...e, security: { ...e.security, did: host.did } })],
    ['a member added to security', (e: Envelope) => ({ ...e, security: { ...e.security, trust_domain: 'x' } })],
    ['another recipient', (e: Envelope) => ({ ...e, to: sender })],
    ['another message id', (e: Envelope) => ({ ...e, message_id: 'msg_other' })],
  ])('is refused with %s', async (_, spoil) => {
    const signed = await signEnvelope(envelope, principal, central);
    await expect(verifyEnvelope(spoil(signed) as unknown as Envelope)).rejects.toThrow(SignatureInvalid);
  });

  it('finds the DID in from when security has none', async () => {
    const signed = await signEnvelope(envelope, principal, central);
    const { did: _, ...security } = signed.security as { did: string };
    await expect(verifyEnvelope({ ...signed, security })).rejects.toThrow(/not one of did:key/);
  });

  it('verifies whatever opaque content it carries, through the wire and back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), async (input) => {
        const action: Body = { action: { id: 'act_1', capability_id: 'cap:x', input } };
        const signed = await signEnvelope(newEnvelope(action, {}, { clock }), principal, central);
        expect(await verifyEnvelope(decodeEnvelope(JSON.parse(JSON.stringify(signed))))).toBe(central.did);
      }),
      { numRuns: 50 },
    );
  });
});
