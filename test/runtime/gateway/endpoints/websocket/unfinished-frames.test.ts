import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { until } from '../../../../support/until.ts';
import { actionEnvelope, type HttpGateway, principalEntry, startHttpGateway } from '../../support/gateway.ts';
import { connect } from './client.ts';

const MIB = 1_048_576;
const BOUND = 8 * MIB;

let gateway: HttpGateway;
beforeAll(async () => {
  gateway = await startHttpGateway({
    principals: ['desk', 'witness'].map((tenant_id) => principalEntry(tenant_id, { tenant_id, scopes: ['*'] })),
    env: { AIP_GATEWAY_MAX_UNFINISHED_BODY_BYTES: `${BOUND}` },
  });
});
afterAll(() => gateway?.stop());

test('messages without an end share the bound of unfinished bodies: the oldest are cut, those of another tenant are answered', async () => {
  const witness = await connect(gateway.url, 'witness');
  const attackers = await Promise.all(Array.from({ length: 20 }, () => connect(gateway.url, 'desk')));
  onTestFinished(async () => {
    await witness.close();
    for (const { socket } of attackers) socket.terminate();
  });
  for (const { socket } of attackers) socket.send('x'.repeat(MIB), { fin: false });
  await until(
    'those above the bound are cut',
    () => attackers.filter(({ socket }) => socket.readyState === 3).length >= 12,
  );
  for (let call = 0; call < 10; call += 1) {
    const id = newId('action');
    witness.send(actionEnvelope({ id }));
    const answer = await witness.waitFor('the answer', ({ frames }) =>
      frames.find(({ body }) => body.action_result?.action_id === id),
    );
    expect(answer.body.action_result.status).toBe('completed');
  }
  expect(attackers.filter(({ socket }) => socket.readyState === 1).length).toBeGreaterThan(0);
});

test('messages that are finished count no longer, whole or in pieces, and pings between them do not either', async () => {
  const client = await connect(gateway.url, 'desk');
  onTestFinished(() => client.close());
  const text = JSON.stringify(actionEnvelope({ input: { text: 'x'.repeat(2 * MIB) } }));
  // Together four times the bound.
  for (let n = 0; n < 8; n += 1) {
    const envelope = JSON.stringify(actionEnvelope({ input: { text: 'x'.repeat(2 * MIB) } }));
    client.socket.send(envelope.slice(0, MIB), { fin: false });
    client.socket.ping('still here');
    client.socket.send(envelope.slice(MIB), { fin: true });
    client.socket.send(text.replace(/msg_[^"]+/, newId('message')));
    await client.waitFor('both answers', ({ frames }) => frames.length === 2 * (n + 1));
  }
  expect(client.frames).toHaveLength(16);
});
