import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { FAILURES } from '../../../simulators/behavior.ts';
import { type Simulator, startSimulator } from '../../../support/simulator.ts';
import { until } from '../../../support/until.ts';
import { end } from '../support/host-process.ts';
import { approved } from './support/approved.ts';
import { startWebhookHost, type WebhookHost } from './support/webhook-host.ts';

let simulator: Simulator;
let host: WebhookHost;
beforeAll(async () => {
  simulator = await startSimulator('chatwoot');
  host = await startWebhookHost({ config: { base_url: simulator.url, health: 'account' } });
  await pointWebhook();
});
afterAll(async () => {
  await host?.stop();
  await simulator?.stop();
});
afterEach(async () => {
  await simulator.behave();
  host.ingress.answer = () => 200;
});

interface Message {
  id: number;
  content: string;
  content_attributes: Record<string, unknown>;
}
interface Delivery {
  id: string;
  event: string;
  status: number | null;
  answer: string;
}
const CAPABILITY = 'cap:chatwoot:message:create';
const pointWebhook = () => simulator.control('webhook', { url: `${host.host.url}/webhooks/chatwoot` });
const messagesOf = async (conversation: number) =>
  (await simulator.control<{ messages: Message[] }>('messages', { conversation_id: conversation })).messages;
const deliveries = async () => (await simulator.control<{ deliveries: Delivery[] }>('deliveries')).deliveries;
/** Sends an approved action to the host, as the gateway does. */
async function send(input: Record<string, unknown>, id = newId('action')) {
  const { action, record } = approved(CAPABILITY, input, id);
  const answer = await host.central.send(action, { route: { approval_authorization: record } });
  return { id, answer };
}

test('P-016 P-017 P-018 P-019 each message of the connector carries the marker with connector, loop prevention and action', async () => {
  for (const input of [{ content: 'On its way' }, { content: 'internal', private: true }]) {
    const { id, answer } = await send({ conversation_id: 41, ...input });
    expect(answer.result).toMatchObject({ status: 'completed', output: { conversation_id: 41, sent: true } });
    expect((await messagesOf(41)).at(-1)).toMatchObject({
      ...input,
      content_attributes: { aip: { connector_id: 'chatwoot', loop_prevention: true, action_id: id } },
    });
  }
});

test('our own message comes back as a webhook and is suppressed; a reply of the contact becomes one event', async () => {
  const events = (await host.events()).length;
  await send({ conversation_id: 42, content: 'Is it there?' });
  const echoes = await until('every message that was sent has come back', async () => {
    const sent = (await simulator.requests()).filter(
      ({ method, path }) => method === 'POST' && path.endsWith('/messages'),
    );
    const found = await deliveries();
    return found.length === sent.length && found;
  });
  for (const echo of echoes)
    expect([echo.status, echo.answer]).toEqual([200, '{"accepted_events":0,"central_delivery":null}']);
  expect(await host.events()).toHaveLength(events);

  await simulator.control('incoming', { conversation_id: 42, content: 'Yes, thank you' });
  await until('the reply was answered', async () => (await deliveries()).length === echoes.length + 1);
  const [event] = (await host.events()).slice(events);
  expect(event).toMatchObject({
    kind: 'chatwoot.channel_message',
    actor: { id: 'principal:chatwoot:account-1:contact-1042' },
    data: {
      channel_message: {
        conversation: { external_refs: [{ system: 'chatwoot', type: 'conversation', id: '42' }] },
        parts: [{ type: 'text', text: 'Yes, thank you', format: 'plain' }],
        raw_payload: { event: 'message_created' },
      },
    },
  });
  expect(host.ingress.events().at(-1)?.event.id).toBe(event?.id);
});

test('the token is sent, and nothing of the action but the message', async () => {
  await send({ conversation_id: 43, content: 'Hello' });
  const request = (await simulator.requests()).filter(({ path }) => path.endsWith('/43/messages')).at(-1);
  expect(request).toMatchObject({ method: 'POST', credential: 'accepted', status: 200 });
  expect(Object.keys(request?.body as object).sort()).toEqual(['content', 'content_attributes', 'private']);
  expect(request?.headers).not.toHaveProperty('idempotency-key');
});

test.each([
  ['unauthorized', 'connector.chatwoot.authentication', false],
  ['forbidden', 'connector.chatwoot.authentication', false],
  ['rateLimited', 'connector.chatwoot.remote_temporary', false],
  ['failing', 'connector.chatwoot.remote_temporary', true],
  ['badGateway', 'connector.chatwoot.remote_temporary', true],
  ['redirecting', 'connector.chatwoot.remote_rejected', false],
  ['hangingUp', 'connector.chatwoot.transport', true],
] as const)(
  'a provider that fails (%s) fails the action with its code and sends nothing',
  async (failure, code, uncertain) => {
    await simulator.behave({ ...FAILURES[failure], match: 'POST /api' });
    const { answer } = await send({ conversation_id: 44, content: 'Hello' });
    expect(answer.result).toMatchObject({
      status: 'failed',
      error: { code, details: { uncertain_outcome: uncertain } },
    });
    if (failure === 'rateLimited')
      expect(answer.result?.error).toMatchObject({ retryable: true, retry_after_ms: 7000 });
    expect(await messagesOf(44)).toEqual([]);
  },
);

test.each(['lostAnswer', 'truncated', 'oversized'] as const)(
  'a message whose answer is lost (%s) is found by its marker: completed, and sent once',
  async (failure) => {
    await simulator.behave({ ...FAILURES[failure], match: 'POST /api', times: 1 });
    const { answer } = await send({ conversation_id: 45, content: failure });
    expect(answer.result).toMatchObject({ status: 'completed', output: { sent: true } });
    expect((await messagesOf(45)).filter(({ content }) => content === failure)).toHaveLength(1);
  },
);

test.each(['chunked', 'wrongContentType'] as const)('an answer that is %s is read all the same', async (failure) => {
  await simulator.behave({ ...FAILURES[failure], match: 'POST /api' });
  const { answer } = await send({ conversation_id: 46, content: failure });
  expect(answer.result).toMatchObject({ status: 'completed', output: { message_id: expect.any(Number) } });
});

test('a host that is killed between the message and its journal completes the action afterwards, and sends no second message', async () => {
  await simulator.behave({ ...FAILURES.slow, match: 'POST /api', times: 1 });
  const { action, record } = approved(CAPABILITY, { conversation_id: 47, content: 'Once' });
  const first = host.central.send(action, { route: { approval_authorization: record } }).catch(() => undefined);
  await until('Chatwoot was asked', async () =>
    (await simulator.requests()).some(({ method, path }) => method === 'POST' && path.includes('/47/')),
  );
  await end(host.host, 'SIGKILL');
  await first;
  await host.start();
  await host.ready();
  await pointWebhook();
  const again = () => host.central.send(action, { route: { approval_authorization: record } });

  const pending = await again();
  expect(pending.result).toMatchObject({
    status: 'failed',
    error: { code: 'transaction.reconciliation_pending', retryable: true },
  });
  expect(await messagesOf(47)).toEqual([]);

  // The request that was on its way has its effect late.
  const late = await fetch(`${simulator.url}/api/v1/accounts/1/conversations/47/messages`, {
    method: 'POST',
    headers: { api_access_token: 'token-1', 'content-type': 'application/json' },
    body: JSON.stringify({
      content: 'Once',
      content_attributes: { aip: { connector_id: 'chatwoot', loop_prevention: true, action_id: action.id } },
    }),
  });
  const { id } = (await late.json()) as Message;
  expect((await again()).result).toMatchObject({ status: 'completed', output: { sent: true, message_id: id } });
  expect(await messagesOf(47)).toHaveLength(1);
});

test('a host that was killed before it sent anything sends once no request can be on its way', async () => {
  await simulator.behave({ ...FAILURES.slow, match: 'POST /api', times: 1 });
  const { action, record } = approved(CAPABILITY, { conversation_id: 48, content: 'Later' });
  const first = host.central.send(action, { route: { approval_authorization: record } }).catch(() => undefined);
  await until('Chatwoot was asked', async () =>
    (await simulator.requests()).some(({ method, path }) => method === 'POST' && path.includes('/48/')),
  );
  await end(host.host, 'SIGKILL');
  await first;
  await host.pool.query(
    `UPDATE aip_host.connector_state SET value = to_json((value #>> '{}')::bigint - 120000) WHERE key = $1`,
    [`chatwoot.message:${action.id}`],
  );
  await host.start();
  await host.ready();
  await pointWebhook();
  const answer = await host.central.send(action, { route: { approval_authorization: record } });
  expect(answer.result).toMatchObject({ status: 'completed', output: { sent: true } });
  expect((await messagesOf(48)).map(({ content }) => content)).toEqual(['Later']);
});

test('the health of the account decides whether the connector is ready; none asks nothing', async () => {
  await simulator.behave(FAILURES.unauthorized);
  await until('the host is not ready', async () => (await host.readiness()).status === 503);
  expect((await host.readiness()).body.connector.detail).toContain('refused the credential');
  await simulator.behave();
  await host.ready();
});

/** A client of Chatwoot's API that others wrote; its package is CommonJS. */
interface IndependentClient {
  messages: {
    create(call: { accountId: number; conversationId: number; data: object }): Promise<Message>;
    list(call: { accountId: number; conversationId: number }): Promise<{ payload: Message[] }>;
  };
}

test('an independent client of Chatwoot sends through the same routes and headers, and reads what the connector sent', async () => {
  const { default: ChatwootClient } = createRequire(import.meta.url)('@figuro/chatwoot-sdk') as {
    default: new (options: { config: object }) => IndependentClient;
  };
  const config = { basePath: simulator.url, with_credentials: true, credentials: 'include', token: 'token-1' };
  const client = new ChatwootClient({ config });
  await send({ conversation_id: 49, content: 'from the connector' });
  await client.messages.create({ accountId: 1, conversationId: 49, data: { content: 'from the client' } });
  const ours = (await simulator.requests()).filter(({ method, path }) => method === 'POST' && path.includes('/49/'));
  const [first, second] = ours.map(({ path, credential, headers }) => [path, credential, headers['content-type']]);
  expect(first?.slice(0, 2)).toEqual(['/api/v1/accounts/1/conversations/49/messages', 'accepted']);
  expect(second?.slice(0, 2)).toEqual(first?.slice(0, 2));
  const { payload } = await client.messages.list({ accountId: 1, conversationId: 49 });
  expect(payload.map(({ content }) => content)).toEqual(['from the connector', 'from the client']);
});
