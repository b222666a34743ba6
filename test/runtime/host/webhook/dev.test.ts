import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePorts } from '#controller/local/process/ports.js';
import type { Event } from '#runtime/protocol/types.js';
import { runCli } from '../../../cli/support/run-cli.ts';
import { clientOf, type TestClient } from '../../../support/client.ts';
import { type Dev, startDev } from '../../../support/dev.ts';
import { until } from '../../../support/until.ts';
import { ACCEPTED, delivery } from './support/webhook-host.ts';

const EXAMPLE = resolve(import.meta.dirname, '..', '..', '..', '..', 'examples', 'chatwoot.yaml');
/** Who decides what waits for a policy of the tenant, as replies do. */
const APPROVER = {
  ...{ principal_id: 'human:approver:demo', tenant_id: 'demo', roles: [], groups: [], tenant_policies: ['replies'] },
  ...{ external_systems: [], revision: 1, revoked: false, delegated_scopes: [] },
};
let folder: string | undefined;
let dev: Dev;
let client: TestClient;
let simulator: string;
let url: string;
let example: string;
beforeAll(async () => {
  const [port] = await freePorts(1);
  simulator = `http://127.0.0.1:${port}`;
  example = (await readFile(EXAMPLE, 'utf8')).replace('http://127.0.0.1:4220', simulator);
  folder = await mkdtemp(join(tmpdir(), 'aip-chatwoot-'));
  const authority = join(folder, 'authority.json');
  await writeFile(authority, JSON.stringify([APPROVER]), { mode: 0o600 });
  const env = { AIP_GATEWAY_APPROVAL_AUTHORITY_FILE: authority };
  dev = await startDev({ documents: example, args: ['--with-simulators'], env });
  client = clientOf(dev);
  url = (dev.ready.instances[0] as { webhook_url?: string }).webhook_url as string;
});
afterAll(async () => {
  await dev?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const eventsOf = async (id: string): Promise<Event[]> => {
  const { body } = await client.get('/aip/v1/events?kinds=chatwoot.channel_message&limit=1000');
  return (body as { events: Event[] }).events.filter((event) => event.id === id);
};
const eventId = (id: string): string => `evt_chatwoot_${createHash('sha256').update(id).digest('hex')}`;
const control = async <T>(name: string, body: object = {}): Promise<T> =>
  (await fetch(`${simulator}/__simulator/${name}`, { method: 'POST', body: JSON.stringify(body) })).json() as T;

test('the example runs with a simulated Chatwoot: what a contact writes becomes one event at the gateway', async () => {
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/webhooks\/chatwoot$/);
  expect(dev.reported()).toMatch(new RegExp(`webhook deliveries of \\S+ go to ${url}\n`));
  await control('incoming', { conversation_id: 31, content: 'Where is my parcel?' });
  const { deliveries } = await until('Chatwoot got its answer', async () => {
    const found = await control<{ deliveries: { id: string; status: number; answer: string }[] }>('deliveries');
    return found.deliveries.length > 0 && found;
  });
  expect(deliveries[0]?.status).toBe(200);
  const id = eventId(deliveries[0]?.id as string);
  const [event] = await until('the gateway has it', async () => {
    const found = await eventsOf(id);
    return found.length > 0 && found;
  });
  expect(event?.data).toMatchObject({
    channel_message: { parts: [{ text: 'Where is my parcel?' }] },
    identity: { tenant: { id: 'demo' } },
  });
});

test('P-034 P-139 the gateway keeps one event with the host as actor and the contact in upstream data alone', async () => {
  const id = randomUUID();
  const [file, secret] = [join(dev.dataDir, '..', 'delivery.json'), join(dev.dataDir, '..', 'secret')];
  await writeFile(file, JSON.stringify(delivery()));
  await writeFile(secret, '0123456789abcdef');
  const args = [
    'webhooks',
    'send',
    file,
    '--secret-file',
    secret,
    '--data',
    dev.dataDir,
    '--delivery-id',
    id,
    '--json',
  ];
  for (let n = 0; n < 3; n += 1) {
    const sent = await runCli(args);
    expect(sent.json()).toMatchObject({
      url,
      delivery_id: id,
      status: 200,
      answer: ACCEPTED,
    });
  }
  const found = await until('the gateway has it', async () => {
    const events = await eventsOf(eventId(id));
    return events.length > 0 && events;
  });
  expect(found).toHaveLength(1);
  const did = dev.ready.instances[0]?.replicas[0]?.did;
  expect(found[0]?.actor).toMatchObject({ id: 'agent:chatwoot:1', kind: 'agent', did });
  const { upstream_actor: upstream, ...data } = (found[0]?.data ?? {}) as Record<string, unknown>;
  expect(upstream).toEqual({ id: 'principal:chatwoot:account-1:contact-77', kind: 'contact' });
  expect(Object.keys(data).sort()).toEqual(['aip_connector', 'channel_message', 'identity']);
});

test('aip webhooks send says what the host answered, and what to do when it cannot', async () => {
  const [file, wrong] = [join(dev.dataDir, '..', 'delivery.json'), join(dev.dataDir, '..', 'wrong')];
  await writeFile(file, JSON.stringify(delivery()));
  await writeFile(wrong, 'another secret');
  const refused = await runCli(['webhooks', 'send', file, '--secret-file', wrong, '--url', url]);
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('refused with status 401')]);
  const accepted = await runCli([
    'webhooks',
    'send',
    file,
    '--secret-file',
    join(dev.dataDir, '..', 'secret'),
    '--url',
    url,
  ]);
  expect([accepted.code, accepted.stdout]).toEqual([0, expect.stringContaining('accepted as one event')]);
  const nowhere = await runCli(['webhooks', 'send', file, '--secret-file', wrong, '--url', `${simulator}/elsewhere`]);
  expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('is not a webhook route')]);
});

test('an approved reply with an idempotency key is sent through the gateway, once for all that repeat the key', async () => {
  const input = JSON.stringify({ conversation_id: 31, content: 'It is on its way.' });
  const submit = ['actions', 'submit', 'cap:chatwoot:message:create', '--input', input, '--idempotency-key', 'reply-1'];
  const submitted = await runCli([...submit, '--data', dev.dataDir, '--json']);
  expect(submitted.json()).toMatchObject({ state: 'pending_approval' });
  const waiting = await runCli(['approvals', 'list', '--data', dev.dataDir, '-o', 'name']);
  const approve = ['approvals', 'approve', waiting.stdout.trim(), '--yes', '--reason', 'read'];
  const approved = await runCli([...approve, '--data', dev.dataDir]);
  expect(approved.code, approved.stderr).toBe(0);
  const repeated = await until('a repeat gets the result', async () => {
    const run = await runCli([...submit, '--data', dev.dataDir, '--json']);
    return (run.json() as { state: string }).state === 'completed' && run;
  });
  expect(repeated.json()).toMatchObject({ result: { output: { idempotent_replay: true } } });
  const { messages } = await control<{ messages: { content: string }[] }>('messages', { conversation_id: 31 });
  expect(messages.filter(({ content }) => content === 'It is on its way.')).toHaveLength(1);
});

test('aip fleet describe shows the URL to enter at the provider', async () => {
  const described = await runCli(['fleet', 'describe', 'chatwoot', '--data', dev.dataDir]);
  expect([described.code, described.stdout]).toEqual([0, expect.stringContaining(url)]);
});

test('a webhook secret with events disabled is refused at admission in words', async () => {
  const file = join(dev.dataDir, '..', 'disabled.yaml');
  await writeFile(
    file,
    example
      .replaceAll('name: chatwoot', 'name: silent')
      .replace('  replicas: 1', '  replicas: 1\n  events: { enabled: false }'),
  );
  const applied = await runCli(['dev', 'apply', '-f', file, '--data', dev.dataDir]);
  expect(applied.stdout + applied.stderr).toContain(
    'the secret webhook-secret makes the hosts take webhook deliveries, but spec.events.enabled is false; enable events or remove the secret',
  );
});
