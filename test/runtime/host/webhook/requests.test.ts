import { createHash, randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { until } from '../../../support/until.ts';
import {
  ACCEPTED,
  deliver,
  delivery,
  nowS,
  SECRET,
  signatureOf,
  startWebhookHost,
  type WebhookHost,
} from './support/webhook-host.ts';

let host: WebhookHost;
beforeAll(async () => {
  host = await startWebhookHost();
});
afterAll(async () => {
  await host?.stop();
});
afterEach(() => {
  host.ingress.answer = () => 200;
});

const hashOf = (id: string): string => createHash('sha256').update(id).digest('hex');
const seen = async (id: string): Promise<boolean> =>
  (await host.replay()).some(({ delivery_hash }) => delivery_hash === hashOf(id));
const eventOf = async (id: string) => (await host.events()).find((event) => event.id === `evt_chatwoot_${hashOf(id)}`);
/** A delivery that must be refused with this status and code, and leave neither event nor outbox record. */
async function refused(
  payload: string | Buffer | object,
  options: Parameters<WebhookHost['deliver']>[1],
  status: number,
  code: string,
): Promise<void> {
  await published();
  const before = (await host.events()).length;
  const answer = await host.deliver(payload, options);
  expect([answer.status, answer.text]).toEqual([status, JSON.stringify({ error: { code } })]);
  expect([(await host.events()).length, (await host.outbox()).length]).toEqual([before, 0]);
}
/** What was delivered before has left the outbox. */
const published = (): Promise<unknown> => until('the outbox is empty', async () => (await host.outbox()).length === 0);
const suppressed = { accepted_events: 0, central_delivery: null };

test('P-001 P-035 P-036 P-121 P-132 one signed delivery becomes one event, one batch, one answer', async () => {
  const id = randomUUID();
  const sent = host.ingress.received.length;
  const answer = await host.deliver(delivery(), { id });
  expect([answer.status, answer.body]).toEqual([200, ACCEPTED]);
  await published();
  const received = host.ingress.received.slice(sent);
  expect(received).toHaveLength(1);
  expect(received[0]?.envelope.body).toMatchObject({
    event_stream: { events: [{ id: `evt_chatwoot_${hashOf(id)}`, kind: 'chatwoot.channel_message' }] },
  });
});

test('P-133 centrally_acknowledged is answered once the gateway has the event, and not before', async () => {
  const taken = (id: string): boolean =>
    host.ingress.events().some(({ event }) => event.id === `evt_chatwoot_${hashOf(id)}`);
  host.ingress.answer = () => 503;
  expect((await host.deliver(delivery())).body.central_delivery).toBe('durably_queued');
  host.ingress.answer = () => 200;
  // A machine that is slow at the moment answers durably_queued.
  const acknowledged = await until('a delivery is acknowledged', async () => {
    const id = randomUUID();
    const { body } = await host.deliver(delivery(), { id });
    return body.central_delivery === 'centrally_acknowledged' && { taken: taken(id) };
  });
  expect(acknowledged).toEqual({ taken: true });
});

test('what these tests sign and hash is what the vectors say', () => {
  const body = '{"event":"message_created","account":{"id":1},"conversation":{"id":2}}';
  expect(signatureOf(body, 1767225600)).toBe('sha256=16a4b6abbf7749d734d9851e292c406d8a97543caed65a4cda99674628595f10');
  expect(`evt_chatwoot_${hashOf('0b9c1f2e-7a34-4c55-9a0d-3f6f2f1f9c10')}`).toBe(
    'evt_chatwoot_0c3c1bfb0bcbdb071df202b0a576b0771366f690b23ed7bd6b889cd21fc06103',
  );
});

test.each(['d', 'A delivery with blanks', '{"json":1}', 'x'.repeat(4000)])(
  'P-005 any text of the delivery header is the identity: %.20s',
  async (id) => {
    expect((await host.deliver(delivery(), { id })).body).toEqual(ACCEPTED);
    expect(await eventOf(id)).toMatchObject({ data: { channel_message: { delivery: { delivery_id: id } } } });
    expect(await seen(id)).toBe(true);
  },
);

test('P-006 a negative timestamp is an integer and fails freshness', async () => {
  await refused(delivery(), { timestamp: -5 }, 401, 'webhook.authentication_failed');
});

test.each(['1.5', '0x1f', '17 67', 'now', '1e9', '', '9223372036854775808', '-9223372036854775809'].filter(Boolean))(
  'P-007 P-145 the timestamp %s is not an integer',
  async (timestamp) => {
    await refused(delivery(), { timestamp }, 400, 'webhook.invalid_timestamp');
  },
);

test('P-008 the parsed timestamp is checked and signed: leading zeros and a plus sign are not part of what is signed', async () => {
  const body = JSON.stringify(delivery());
  for (const form of [(now: number) => `+${now}`, (now: number) => `00${now}`]) {
    const now = nowS();
    const answer = await host.deliver(body, { timestamp: form(now), signature: signatureOf(body, now) });
    expect(answer.body).toEqual(ACCEPTED);
    await refused(
      body,
      { timestamp: form(now), signature: signatureOf(body, form(now)) },
      401,
      'webhook.authentication_failed',
    );
  }
});

test('P-009 P-096 only sha256= and hex is a signature', async () => {
  const body = JSON.stringify(delivery());
  const timestamp = nowS();
  const hex = signatureOf(body, timestamp).slice(7);
  for (const signature of [
    hex,
    `SHA256=${hex}`,
    `Sha256=${hex}`,
    `sha512=${hex}`,
    `sha256:${hex}`,
    ` ${hex}`,
    `sha256= ${hex}`,
  ])
    await refused(body, { timestamp, signature }, 401, 'webhook.authentication_failed');
});

test('P-097 hex digits of either case are accepted', async () => {
  const body = JSON.stringify(delivery());
  const timestamp = nowS();
  const hex = signatureOf(body, timestamp).slice(7);
  const mixed = [...hex].map((digit, n) => (n % 2 ? digit.toUpperCase() : digit)).join('');
  for (const each of [hex, hex.toUpperCase(), mixed])
    expect((await host.deliver(body, { timestamp, signature: `sha256=${each}` })).body).toEqual(ACCEPTED);
});

test('P-098 a signature that is not hex or of another length is refused', async () => {
  const body = JSON.stringify(delivery());
  const timestamp = nowS();
  const hex = signatureOf(body, timestamp).slice(7);
  for (const each of [
    '',
    hex.slice(2),
    `${hex}00`,
    hex.slice(1),
    `${hex.slice(0, -1)}g`,
    'z'.repeat(64),
    hex.repeat(8),
  ])
    await refused(body, { timestamp, signature: `sha256=${each}` }, 401, 'webhook.authentication_failed');
});

test('P-010 headers are found whatever the case of their names', async () => {
  const body = JSON.stringify(delivery());
  const timestamp = String(nowS());
  for (const change of [(name: string) => name.toUpperCase(), (name: string) => name.toLowerCase()]) {
    const status = await new Promise((done, fail) => {
      const headers = {
        'X-Chatwoot-Delivery': randomUUID(),
        'X-Chatwoot-Timestamp': timestamp,
        'X-Chatwoot-Signature': signatureOf(body, timestamp),
      };
      const sending = httpRequest(`${host.host.url}/webhooks/chatwoot`, {
        method: 'POST',
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [change(name), value])),
      });
      sending.on('response', (response) => done(response.resume().statusCode)).on('error', fail);
      sending.end(body);
    });
    expect(status).toBe(200);
  }
});

test.each([
  ['P-142', 'x-chatwoot-delivery', 'id'],
  ['P-143', 'x-chatwoot-timestamp', 'timestamp'],
  ['P-144', 'x-chatwoot-signature', 'signature'],
] as const)('%s a missing, empty or non-text %s is webhook.missing_header', async (_id, header, option) => {
  const body = JSON.stringify(delivery());
  const timestamp = nowS();
  const good = { timestamp, signature: signatureOf(body, timestamp) };
  await refused(body, { ...good, [option]: null }, 400, 'webhook.missing_header');
  await refused(body, { ...good, [option]: null, headers: { [header]: '' } }, 400, 'webhook.missing_header');
  await refused(body, { ...good, [option]: null, headers: { [header]: '   ' } }, 400, 'webhook.missing_header');
  await refused(body, { ...good, [option]: null, headers: { [header]: 'caf\u00e9' } }, 400, 'webhook.missing_header');
});

test.each([
  ['P-011', 'event'],
  ['P-012', 'account'],
  ['P-013', 'conversation'],
])('%s a payload without %s is refused', async (_id, member) => {
  for (const event of ['message_created', 'message_updated'])
    await refused(delivery({ event, [member]: undefined }), {}, 401, 'webhook.authentication_failed');
});

test('P-149 what the reading calls invalid is refused as not authentic', async () => {
  for (const payload of [[], 'text', 7, null, { event: 5, account: {}, conversation: {} }])
    await refused(JSON.stringify(payload), {}, 401, 'webhook.authentication_failed');
});

test('P-014 a payload without message is one event with empty text', async () => {
  const id = randomUUID();
  expect((await host.deliver(delivery({ message: undefined }), { id })).body).toEqual(ACCEPTED);
  expect(await eventOf(id)).toMatchObject({
    data: { channel_message: { message: {}, parts: [{ type: 'text', text: '', format: 'plain' }] } },
  });
});

test('P-015 P-032 a payload without contact, or one whose id is not an integer, is one event of an unknown contact', async () => {
  for (const contact of [undefined, null, {}, { id: '77' }, { id: 7.5 }, { id: null }, 7]) {
    const id = randomUUID();
    expect((await host.deliver(delivery({ contact }), { id })).body).toEqual(ACCEPTED);
    expect(await eventOf(id)).toMatchObject({ actor: { id: 'principal:chatwoot:account-1:contact-unknown' } });
  }
});

test('P-046 P-049 the route takes POST alone, and other paths below it are not there', async () => {
  expect((await fetch(`${host.host.url}/webhooks/chatwoot`)).status).toBe(405);
  expect((await deliver(host.host.url, delivery(), { url: `${host.host.url}/webhooks/twenty` })).status).toBe(404);
  expect((await deliver(host.host.url, delivery(), { url: `${host.host.url}/webhooks/chatwoot/` })).status).toBe(404);
});

test('P-051 headers are checked before the timestamp', async () => {
  await refused(delivery(), { timestamp: 'soon', signature: null }, 400, 'webhook.missing_header');
});

const notUtf8 = Buffer.concat([Buffer.from('{"event":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);

test('P-052 the timestamp is checked before the text', async () => {
  await refused(notUtf8, { timestamp: 'soon' }, 400, 'webhook.invalid_timestamp');
});

test('P-053 P-146 the text is checked before freshness and signature', async () => {
  await refused(notUtf8, { signature: 'sha256=00' }, 400, 'webhook.invalid_utf8');
  await refused(notUtf8, { timestamp: 5 }, 400, 'webhook.invalid_utf8');
  await refused(notUtf8, {}, 400, 'webhook.invalid_utf8');
});

test('P-054 P-071 P-147 P-155 a refused signature or timestamp leaves no identifier, and a marker does not help it', async () => {
  const own = delivery({
    message: { content: 'secret words', content_attributes: { aip: { loop_prevention: true } } },
  });
  for (const over of [{ signature: `sha256=${'00'.repeat(32)}` }, { secret: 'another' }, { timestamp: nowS() - 400 }]) {
    const id = randomUUID();
    const answer = await host.deliver(own, { id, ...over });
    expect([answer.status, answer.text]).toEqual([401, '{"error":{"code":"webhook.authentication_failed"}}']);
    expect(await seen(id)).toBe(false);
  }
});

test('P-055 P-062 the bytes are verified as they came: any reformatting is refused', async () => {
  const body = JSON.stringify(delivery());
  const timestamp = nowS();
  const signature = signatureOf(body, timestamp);
  const parsed = JSON.parse(body);
  const reordered = JSON.stringify(Object.fromEntries(Object.entries(parsed).reverse()));
  for (const changed of [JSON.stringify(parsed, null, 1), reordered, `${body}\n`, ` ${body}`])
    await refused(changed, { timestamp, signature }, 401, 'webhook.authentication_failed');
  const spaced = `{ "event" : "message_created" ,\n "account":{"id":1.0},"conversation":{"id":2} }`;
  expect((await host.deliver(spaced)).body).toEqual(ACCEPTED);
});

test('P-056 P-148 a signed body that is not JSON is recorded and refused', async () => {
  for (const body of ['{"event":', 'hello', '', `\uFEFF${JSON.stringify(delivery())}`, '{"a":1}{"b":2}']) {
    const id = randomUUID();
    await refused(body, { id }, 401, 'webhook.authentication_failed');
    expect(await seen(id)).toBe(true);
  }
});

test('P-061 a wrongly signed body never reaches the parser: not even its depth matters', async () => {
  await refused('['.repeat(900_000), { secret: 'another' }, 401, 'webhook.authentication_failed');
  // A body that is read to its end has its identifier recorded, and fails otherwise when its member cannot be mapped.
  const unmappable = '{"event":"message_created","account":{"id":1},"conversation":{"id":2},"message":{"extra":1e999}}';
  await refused(unmappable, {}, 500, 'webhook.invalid_mapping');
  for (const body of ['{"event":', unmappable]) {
    const id = randomUUID();
    await refused(body, { id, secret: 'another' }, 401, 'webhook.authentication_failed');
    expect(await seen(id)).toBe(false);
  }
});

test('P-057 P-063 P-067 P-068 P-069 P-135 P-140 a message with loop_prevention true is suppressed, each time, and recorded', async () => {
  const id = randomUUID();
  const payload = delivery({ message: { content_attributes: { aip: { loop_prevention: true } } } });
  await published();
  const [events, outbox, sent] = [await host.events(), await host.outbox(), host.ingress.received.length];
  for (let n = 0; n < 2; n += 1) {
    const answer = await host.deliver(payload, { id });
    expect([answer.status, answer.body]).toEqual([200, suppressed]);
  }
  expect(await seen(id)).toBe(true);
  expect([await host.events(), await host.outbox(), host.ingress.received.length]).toEqual([events, outbox, sent]);
});

test('P-065 a message of this connector is suppressed also without loop_prevention', async () => {
  for (const aip of [{ connector_id: 'chatwoot' }, { connector_id: 'chatwoot', loop_prevention: false }]) {
    const answer = await host.deliver(delivery({ message: { content_attributes: { aip } } }));
    expect(answer.body).toEqual(suppressed);
  }
});

test.each([
  ['P-064', { loop_prevention: 'true' }],
  ['P-064', { loop_prevention: 1 }],
  ['P-064', { loop_prevention: false }],
  ['P-064', { loop_prevention: null, connector_id: 'Chatwoot' }],
  ['P-066', { connector_id: 'twenty' }],
  ['P-066', { connector_id: 'chatwoot-2', action_id: 'act_1' }],
])('%s the marker %j suppresses nothing', async (_id, aip) => {
  expect((await host.deliver(delivery({ message: { content: 'x', content_attributes: { aip } } }))).body).toEqual(
    ACCEPTED,
  );
});

test('P-070 an unmarked message is mapped whoever sent it and of whatever type', async () => {
  for (const message of [
    { message_type: 'outgoing', sender: { id: 5, type: 'user' }, content: 'from an agent' },
    { message_type: 'activity', content: 'resolved' },
    { private: true, content: 'note' },
    { sender: { id: 1, name: 'chatwoot', type: 'agent_bot' } },
  ])
    expect((await host.deliver(delivery({ message }))).body).toEqual(ACCEPTED);
});

test('P-095 a signature over the body alone or with another timestamp is refused', async () => {
  const body = JSON.stringify(delivery());
  const timestamp = nowS();
  const { createHmac } = await import('node:crypto');
  const bare = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  for (const signature of [bare, signatureOf(body, timestamp - 1), signatureOf(`.${body}`, timestamp)])
    await refused(body, { timestamp, signature }, 401, 'webhook.authentication_failed');
});

test('P-102 freshness is measured against the clock of the host in UTC, whatever its time zone', async () => {
  const east = await startWebhookHost({ env: { TZ: 'Asia/Kolkata' } });
  onTestFinished(() => east.stop());
  const send = async (timestamp: number) => (await east.deliver(delivery(), { timestamp })).status;
  // Its local time is 19800 seconds ahead.
  expect([await send(nowS()), await send(nowS() + 19_800), await send(nowS() - 19_800)]).toEqual([200, 401, 401]);
});

test('P-100 P-101 part: a delivery that is too old or too far ahead is refused with its code', async () => {
  for (const timestamp of [nowS() - 310, nowS() + 310])
    await refused(delivery(), { timestamp }, 401, 'webhook.authentication_failed');
});

test('P-166 a body of 1 MiB is taken; one more byte is 413 before any header, with no trace', async () => {
  const sized = (bytes: number): string => {
    const head = '{"event":"message_created","account":{"id":1},"conversation":{"id":2},"message":{},"padding":"';
    return `${head}${'x'.repeat(bytes - head.length - 2)}"}`;
  };
  const id = randomUUID();
  expect((await host.deliver(sized(1_048_576), { id })).body).toEqual(ACCEPTED);
  for (const options of [{ id: randomUUID() }, { id: null, signature: null }]) {
    const events = (await host.events()).length;
    const answer = await host.deliver(sized(1_048_577), options);
    expect([answer.status, answer.body.error?.code]).toEqual([413, 'http.body_too_large']);
    if (options.id) expect(await seen(options.id)).toBe(false);
    expect(await host.events()).toHaveLength(events);
  }
});

test('P-150 an event above the bound of the central server is webhook.invalid_delivery, and nothing is stored', async () => {
  await refused(delivery({ message: { content: 'x'.repeat(300_000) } }), {}, 400, 'webhook.invalid_delivery');
  const id = randomUUID();
  expect((await host.deliver(delivery({ message: { content: 'x'.repeat(100_000) } }), { id })).body).toEqual(ACCEPTED);
});

test.each([
  ['a NUL character', '"a\\u0000b"'],
  ['half of a surrogate pair', '"a\\ud800b"'],
  ['a number out of range', '1e999'],
  ['nesting that leaves no room for the envelope', `${'['.repeat(120)}${']'.repeat(120)}`],
])('P-151 P-155 %s in a message is webhook.invalid_mapping', async (_what, value) => {
  const body = `{"event":"message_created","account":{"id":1},"conversation":{"id":2},"message":{"content":"secret words","extra":${value}}}`;
  await refused(body, {}, 500, 'webhook.invalid_mapping');
  const own = body.replace('"extra"', '"content_attributes":{"aip":{"loop_prevention":true}},"extra"');
  expect((await host.deliver(own)).body).toEqual(suppressed);
});

test('what is refused after authentication is counted and logged with its delivery id', async () => {
  const counts = async () => ((await host.readiness()).body.runtime as { webhooks?: Record<string, number> }).webhooks;
  const before = await counts();
  const id = randomUUID();
  await refused('not json', { id }, 401, 'webhook.authentication_failed');
  await refused(delivery(), { secret: 'another' }, 401, 'webhook.authentication_failed');
  const after = await counts();
  expect([after?.lost, after?.refused]).toEqual([(before?.lost ?? 0) + 1, (before?.refused ?? 0) + 1]);
  expect(host.host.lines()).toContainEqual(
    expect.objectContaining({
      message: 'authentic webhook delivery refused',
      code: 'webhook.authentication_failed',
      delivery_id: id,
    }),
  );
});
