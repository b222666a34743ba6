import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OBSERVED } from '#runtime/gateway/records/observations/observed.js';
import { decodeEnvelope, MESSAGE_TYPES } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { until } from '../../../../support/until.ts';
import {
  type Answer,
  actionEnvelope,
  errorOf,
  type HttpGateway,
  principalEntry,
  startHttpGateway,
} from '../../support/gateway.ts';

let gateway: HttpGateway;
let vectors: Record<string, unknown>[];

beforeAll(async () => {
  vectors = JSON.parse(
    await readFile(join(import.meta.dirname, '..', '..', '..', 'protocol', 'vectors', 'bodies.json'), 'utf8'),
  );
  gateway = await startHttpGateway({
    principals: [
      principalEntry('peer', { tenant_id: 'acme', scopes: ['events:read'] }),
      principalEntry('other', { tenant_id: 'acme', scopes: ['events:read', 'action:read'] }),
    ],
  });
});
afterAll(() => gateway?.stop());

function send(body: Record<string, unknown>, fields: object = {}, token = 'peer'): Promise<Answer> {
  const [key] = Object.keys(body);
  const message_type = MESSAGE_TYPES[key as keyof typeof MESSAGE_TYPES];
  return gateway.call('POST', '/aip/v1/messages', {
    token,
    body: { ...actionEnvelope(), ...fields, message_type, body },
  });
}

test('N-072 part: every body that only reports something is recorded as one event and answered with it', async () => {
  const known = vectors.filter((body) => (Object.keys(body)[0] as string) in OBSERVED);
  expect(known.length).toBeGreaterThan(8);
  for (const body of known) {
    const [key] = Object.keys(body) as [keyof typeof OBSERVED];
    const answer = await send(body);
    expect([key, answer.status]).toEqual([key, 200]);
    const { events } = (
      decodeEnvelope(answer.body).body as { event_stream: { events: { kind: string; actor: object }[] } }
    ).event_stream;
    expect(events).toMatchObject([{ kind: OBSERVED[key]?.kind, actor: { id: 'human:peer' } }]);
  }
});

test('a channel message leaves an event without its text, in the tenant of its sender, visible to its sender', async () => {
  const sessionId = newId('session');
  const answer = await send(
    {
      channel_message: {
        conversation: { id: newId('conversation'), channel: { type: 'web' }, status: 'open', external_refs: [] },
        message: { id: '5501' },
        sender: { id: 'contact:77', kind: 'contact' },
        parts: [{ type: 'text', text: 'a private sentence' }],
        delivery: { id: 'dlv-1' },
        raw_payload: { text: 'a private sentence' },
      },
    },
    { session_id: sessionId },
  );
  const [event] = answer.body.body.event_stream.events;
  expect(event).toMatchObject({
    kind: 'aip.channel.message_created',
    session_id: sessionId,
    data: {
      sender: { id: 'contact:77', kind: 'contact' },
      delivery: { id: 'dlv-1' },
      identity: { tenant: { id: 'acme' } },
    },
  });
  expect(JSON.stringify(answer.body)).not.toContain('private sentence');
  const ids = async (token: string): Promise<string[]> =>
    (await gateway.call('GET', '/aip/v1/events?kind=aip.channel.message_created', { token })).body.events.map(
      (each: { id: string }) => each.id,
    );
  await until('the sender sees its event', async () => (await ids('peer')).includes(event.id));
  expect(await ids('other')).toEqual([]);
});

test('an observation never enters the events of an action that its body names', async () => {
  const submitted = await gateway.call('POST', '/aip/v1/actions', { token: 'other', body: actionEnvelope() });
  const actionId = submitted.body.body.action_result.action_id;
  await send({ ack: { action_id: actionId, status: 'rejected', reason: 'not at all' } }, {}, 'other');
  const events = await gateway.call('GET', `/aip/v1/actions/${actionId}/events`, { token: 'other' });
  expect(events.body.events.map((each: { kind: string }) => each.kind)).not.toContain('aip.action.ack');
});

test('a body that is larger than an event may be is refused', async () => {
  const answer = await send({ resource_list: { resources: [{ id: 'x', name: 'x'.repeat(300_000) }] } });
  expect([answer.status, errorOf(answer).code]).toEqual([400, 'stream.event_too_large']);
});
