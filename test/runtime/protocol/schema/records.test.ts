import { describe, expect, it } from 'vitest';
import { normalForm } from '#runtime/protocol/decode/normal-form.js';
import { decodeEnvelope } from '#runtime/protocol/envelope.js';
import { parseJson } from '#runtime/protocol/json.js';
import type { Definition, Members } from '#runtime/protocol/schema/dsl/dsl.js';
import { BODIES, DEFINITIONS } from '#runtime/protocol/schema/index.js';
import { check, type SchemaName, validate } from '#runtime/protocol/validate.js';
import { withCode } from '../../../support/with-code.js';
import { bodies, copy, sampleOf } from '../support.ts';

const withSchema = [...DEFINITIONS.values()].filter(({ kind }) => kind !== 'enum');
const name = (definition: Definition) => definition.name as SchemaName;

/** Every form an object of the definition can take, with the members of that form. */
function forms(definition: Definition): { variant?: string; members: Members }[] {
  if (definition.kind === 'record') return [{ members: definition.members }];
  if (definition.kind !== 'tagged') return [];
  return Object.entries(definition.variants).map(([variant, members]) => ({ variant, members }));
}

const MESSAGE_TYPES = `
aip.core.v1.handshake handshake, aip.core.v1.handshake_response handshake_response, aip.core.v1.action action,
aip.core.v1.ack ack, aip.core.v1.stream_chunk stream_chunk, aip.core.v1.action_result action_result,
aip.core.v1.error error, aip.core.v1.cancel cancel, aip.core.v1.heartbeat heartbeat,
aip.core.v1.heartbeat_ack heartbeat_ack, aip.core.v1.escalation escalation,
aip.core.v1.escalation_resolution escalation_resolution,
aip.lifecycle.v1.action_status_request action_status_request, aip.lifecycle.v1.action_status action_status,
aip.lifecycle.v1.action_result_request action_result_request, aip.lifecycle.v1.action_list_request action_list_request,
aip.lifecycle.v1.action_list action_list, aip.lifecycle.v1.action_events_request action_events_request,
aip.lifecycle.v1.action_events action_events, aip.policy.v1.approval_request approval_request,
aip.policy.v1.approval_decision approval_decision, aip.policy.v1.approval_query_request approval_query_request,
aip.policy.v1.approval_list_request approval_list_request, aip.policy.v1.approval_record_view approval_record_view,
aip.policy.v1.approval_list approval_list,
aip.callback.v1.delivery_query_request callback_delivery_query_request,
aip.callback.v1.delivery_list_request callback_delivery_list_request,
aip.callback.v1.delivery_record callback_delivery_record, aip.callback.v1.delivery_list callback_delivery_list,
aip.session.v1.session_request session_request, aip.session.v1.session_view session_view,
aip.session.v1.session_list_request session_list_request, aip.session.v1.session_list session_list,
aip.session.v1.session_close_request session_close_request,
aip.session.v1.session_resume_request session_resume_request, aip.session.v1.session_resume session_resume,
aip.agent.v1.delegation_request delegation_request, aip.agent.v1.delegation_result delegation_result,
aip.transaction.v1.request transaction_request, aip.transaction.v1.result transaction_result,
aip.transaction.v1.query_request transaction_query_request, aip.transaction.v1.view transaction_view,
aip.discovery.v1.manifest_request manifest_request, aip.discovery.v1.manifest_response manifest,
aip.discovery.v1.event_stream_request event_stream_request, aip.discovery.v1.event_stream_response event_stream,
aip.channel.v1.message_created channel_message, aip.channel.v1.conversation_updated conversation,
aip.audit.v1.receipt_chain receipt_chain, aip.audit.v1.receipt_query_request receipt_query_request,
aip.audit.v1.audit_event audit_event, aip.audit.v1.audit_query_request audit_query_request,
aip.audit.v1.audit_query_result audit_query_result, aip.resource.v1.resource_list_request resource_list_request,
aip.resource.v1.resource_list resource_list, aip.resource.v1.resource_read_request resource_read_request,
aip.resource.v1.resource_read_result resource_read_result, aip.economic.v1.batch_settlement batch_settlement`
  .trim()
  .split(/,\s*/)
  .map((pair) => pair.split(' ') as [messageType: string, key: string]);

const envelopeOf = (message_type: string, body: unknown) => ({
  aip_version: '1.0',
  message_type,
  message_id: 'msg_1',
  sent_at: '2026-07-09T00:00:00Z',
  body,
});

describe('message types', () => {
  it('are the 58 of protocol 1.0, each with its body key', () => {
    expect(MESSAGE_TYPES).toHaveLength(58);
    const ours = Object.entries(BODIES).map(([key, [messageType]]) => [messageType, key]);
    expect(ours.sort()).toEqual([...MESSAGE_TYPES].sort());
  });

  it.each(MESSAGE_TYPES)('F-015 N-016 N-019 %s is decoded with body %s and with no other', (messageType, key) => {
    const definition = (BODIES as Record<string, readonly [string, Definition]>)[key]?.[1] as Definition;
    const body = { [key]: sampleOf(definition, true) };
    const decoded = decodeEnvelope(envelopeOf(messageType, body));
    expect(decoded.message_type).toBe(messageType);
    expect(Object.keys(decoded.body)).toEqual([key]);
    const other = messageType === 'aip.core.v1.ack' ? 'aip.core.v1.action' : 'aip.core.v1.ack';
    expect(() => decodeEnvelope(envelopeOf(other, body))).toThrow(withCode('envelope.decode.invalid'));
  });
});

describe('examples of every record with a body', () => {
  it.each(bodies.map((body) => [Object.keys(body)[0] as string, body] as const))('%s passes', (key, body) => {
    const messageType = MESSAGE_TYPES.find(([, bodyKey]) => bodyKey === key)?.[0] as string;
    const value = envelopeOf(messageType, body);
    expect(check('Envelope', value)).toEqual([]);
    expect(decodeEnvelope(value).body).toMatchObject(body);
    expect(check('Envelope', envelopeOf(messageType, { [key]: { ...body[key], surprise: 1 } }))).toEqual([
      { path: `/body/${key}`, message: 'has the unknown member "surprise"' },
    ]);
  });
});

describe.each(withSchema.map((definition) => [definition.name, definition] as const))('record %s', (_, definition) => {
  const samples = forms(definition).map(({ variant, members }) => ({
    members,
    minimal: sampleOf(definition, false, variant) as Record<string, unknown>,
    full: sampleOf(definition, true, variant) as Record<string, unknown>,
  }));

  it('is accepted with its required members and with all members', () => {
    for (const sample of [sampleOf(definition, false), sampleOf(definition, true)]) {
      expect(check(name(definition), sample)).toEqual([]);
    }
    for (const { minimal, full } of samples) {
      expect(check(name(definition), minimal)).toEqual([]);
      expect(check(name(definition), full)).toEqual([]);
      expect(() => validate(name(definition), full)).not.toThrow();
    }
  });

  it('is refused with an unknown member unless it is open, and when it is not an object', () => {
    for (const { full } of samples) {
      const issues = check(name(definition), { ...full, surprise: null });
      if (definition.kind === 'record' && definition.open) expect(issues).toEqual([]);
      else expect(issues[0]?.message).toBe('has the unknown member "surprise"');
    }
    for (const other of [null, [], 'text', 7, true]) expect(check(name(definition), other)).not.toEqual([]);
    expect(() => validate(name(definition), null)).toThrow(withCode('action.invalid_input'));
  });

  // Body and CancelTarget are one of several members, each with a test of its own.
  if (samples.length === 0) return;

  it('is refused without any one of its required members', () => {
    for (const { members, full } of samples) {
      for (const [member, { mark }] of Object.entries(members)) {
        const { [member]: _dropped, ...rest } = full;
        const issues = check(name(definition), rest);
        if (mark === 'R') expect(issues[0]?.message).toBe(`lacks the required member ${member}`);
        else expect(issues).toEqual([]);
      }
    }
  });

  it('takes null for optional members only, and its normal form drops them', () => {
    for (const { members, full } of samples) {
      for (const [member, { mark, type }] of Object.entries(members)) {
        const nulled = { ...full, [member]: null };
        const accepts = mark === 'O' || mark === 'N' || (mark === 'R' && type.type === 'opaque');
        expect(check(name(definition), nulled).length === 0, member).toBe(accepts);
        if (accepts) expect(member in (normalForm(name(definition), nulled) as object)).toBe(mark !== 'O');
      }
    }
  });

  it('has a normal form that drops empty optional lists, writes defaults, and stays as it is from then on', () => {
    for (const { members, full, minimal } of samples) {
      const emptied = copy(full);
      for (const [member, { mark, type }] of Object.entries(members)) {
        if (mark === 'L') emptied[member] = type.type === 'map' ? {} : [];
      }
      const before = copy(emptied);
      const normal = normalForm(name(definition), emptied) as unknown as Record<string, unknown>;
      expect(emptied).toEqual(before);
      for (const [member, { mark }] of Object.entries(members)) expect(member in normal, member).toBe(mark !== 'L');
      expect(normalForm(name(definition), normal)).toBe(normal);
      const defaulted = normalForm(name(definition), minimal) as unknown as Record<string, unknown>;
      for (const [member, { mark }] of Object.entries(members))
        if (mark === 'D') expect(member in defaulted).toBe(true);
      expect(check(name(definition), defaulted)).toEqual([]);
    }
  });

  it('is refused with a value outside an enum, a negative or fractional integer, and a member of another type', () => {
    for (const { members, full } of samples) {
      for (const [member, { type }] of Object.entries(members)) {
        const refused = (value: unknown) =>
          expect(check(name(definition), { ...full, [member]: value })).not.toEqual([]);
        if (type.type === 'opaque') continue;
        refused(Symbol);
        if (type.type === 'ref') refused('no such value');
        if (type.type === 'uint') [-1, 0.5, '7', true].forEach(refused);
        if (['string', 'time', 'const'].includes(type.type)) [7, [], {}, true].forEach(refused);
        if (type.type === 'bool') [0, 'true'].forEach(refused);
        if (type.type === 'list' || type.type === 'map') ['text', 7].forEach(refused);
      }
    }
  });
});

describe('the typed decode', () => {
  const heartbeat = (members: string) =>
    `{"aip_version":"1.0","message_type":"aip.core.v1.heartbeat","message_id":"msg_1","sent_at":"2026-07-09T00:00:00Z","body":{"heartbeat":{${members}}}}`;
  const decode = (text: string) => decodeEnvelope(parseJson(text));

  it.each(['"sequence":1.0', '"sequence":1e3', '"sequence":18446744073709551616', '"sequence":-0', '"sequence":1e+21'])(
    'refuses %s: no integer token of 64 bits',
    (members) => {
      expect(() => decode(heartbeat(members))).toThrow(withCode('envelope.decode.invalid'));
      expect(() => decode(heartbeat(members))).toThrow('/body/heartbeat/sequence must be an integer');
    },
  );

  it('reads integers of 64 bits and floats from their tokens', () => {
    const { body } = decode(heartbeat('"sequence":18446744073709551615,"progress":1.0'));
    expect(JSON.stringify(body)).toBe('{"heartbeat":{"sequence":18446744073709551615,"progress":1}}');
  });

  it('refuses 33 bits where 32 are the width', () => {
    const request = (limit: number) =>
      envelopeOf('aip.session.v1.session_list_request', { session_list_request: { limit } });
    expect(decodeEnvelope(request(2 ** 32 - 1)).body).toEqual({ session_list_request: { limit: 2 ** 32 - 1 } });
    expect(() => decodeEnvelope(request(2 ** 32))).toThrow(
      '/body/session_list_request/limit must be an integer of at most 32 bits',
    );
  });

  it('refuses a time that is not RFC 3339 wherever it stands', () => {
    expect(() =>
      decodeEnvelope({
        ...envelopeOf('aip.core.v1.ack', { ack: { action_id: 'a', status: 'queued' } }),
        sent_at: 'now',
      }),
    ).toThrow(withCode('envelope.decode.invalid'));
    const event = { id: 'evt_1', kind: 'k', occurred_at: '2026-07-09T00:00:00' };
    const stream = envelopeOf('aip.discovery.v1.event_stream_response', { event_stream: { events: [event] } });
    expect(() => decodeEnvelope(stream)).toThrow('/body/event_stream/events/0/occurred_at a time must be RFC 3339');
  });

  it('leaves opaque values alone: nulls, empty lists and number tokens stay', () => {
    const text =
      '{"aip_version":"1.0","message_type":"aip.core.v1.ack","message_id":"msg_1","sent_at":"2026-07-09T00:00:00Z","body":{"ack":{"action_id":"a","status":"queued","reason":null,"queue":{"n":null,"l":[],"one":1.0}}}}';
    expect(JSON.stringify(decode(text).body)).toBe(
      '{"ack":{"action_id":"a","status":"queued","queue":{"n":null,"l":[],"one":1.0}}}',
    );
  });
});
