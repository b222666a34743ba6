import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { type Simulator, startSimulator } from '../../../support/simulator.ts';
import { until } from '../../../support/until.ts';
import { end, spawnHost } from '../support/host-process.ts';
import { approved } from './support/approved.ts';
import { deliver, delivery, SECRET, startWebhookHost, type WebhookHost } from './support/webhook-host.ts';

const P = 'AIP_CONNECTOR_HOST_';
let host: WebhookHost | undefined;
let simulator: Simulator | undefined;
afterEach(async () => {
  await host?.stop();
  host = undefined;
  await simulator?.stop();
  simulator = undefined;
});

/** What a start that must not continue leaves behind. */
async function refusal(env: Record<string, string>): Promise<Record<string, unknown> | undefined> {
  const started = spawnHost(env);
  expect(await started.exit).toBe(1);
  return started.lines().at(-1);
}
const without = (env: Record<string, string>, start: string): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith(start)));

test('P-047 a webhook secret without an event endpoint stops the start', async () => {
  host = await startWebhookHost({ idle: true });
  expect(await refusal(without(host.env, `${P}EVENT_`))).toMatchObject({
    code: 'connector_host.config',
    message: expect.stringContaining('AIP_CONNECTOR_HOST_EVENT_ENDPOINT is required'),
  });
});

test('P-048 P-093 a webhook secret that is missing, empty, linked or readable by others stops the start', async () => {
  host = await startWebhookHost({ idle: true });
  const file = join(host.folder, 'webhook-key');
  const env = { ...host.env, AIP_CHATWOOT_WEBHOOK_SECRET_FILE: file };
  const refused = {
    code: 'connector_host.config',
    message: expect.stringContaining('AIP_CHATWOOT_WEBHOOK_SECRET_FILE'),
  };
  expect(await refusal(env)).toMatchObject(refused);
  await writeFile(file, '', { mode: 0o600 });
  expect(await refusal(env)).toMatchObject(refused);
  await writeFile(file, 'x'.repeat(16_385), { mode: 0o600 });
  expect(await refusal(env)).toMatchObject(refused);
  for (const mode of [0o640, 0o604, 0o660, 0o602]) {
    await writeFile(file, SECRET);
    await chmod(file, mode);
    expect(await refusal(env)).toMatchObject(refused);
  }
  await rm(file);
  // A folder cannot be read as a file, whoever the host runs as.
  await mkdir(file, { mode: 0o700 });
  expect(await refusal(env)).toMatchObject(refused);
  await rm(file, { recursive: true });
  await symlink(join(host.secrets, 'webhook-secret'), file);
  expect(await refusal(env)).toMatchObject(refused);
  const inFolder = join(host.secrets, 'webhook-secret');
  await chmod(inFolder, 0o644);
  expect(await refusal(host.env)).toMatchObject({
    code: 'connector_host.config',
    message: expect.stringContaining('webhook-secret'),
  });
});

test('P-046 P-092 a host started by hand takes the variables of the provider; the key is the exact bytes of the file', async () => {
  host = await startWebhookHost({ idle: true });
  const [secret, token] = [join(host.folder, 'webhook-key'), join(host.folder, 'token')];
  await writeFile(secret, `${SECRET}\n`, { mode: 0o600 });
  await writeFile(token, 'token-1', { mode: 0o600 });
  Object.assign(host.env, {
    AIP_CHATWOOT_BASE_URL: 'http://127.0.0.1:9',
    AIP_CHATWOOT_ACCOUNT_ID: '1',
    AIP_CHATWOOT_HEALTH: 'none',
    AIP_CHATWOOT_API_TOKEN_FILE: token,
    AIP_CHATWOOT_WEBHOOK_SECRET_FILE: secret,
  });
  delete host.env[`${P}CONFIG`];
  delete host.env[`${P}SECRETS_DIR`];
  await host.start();
  await host.ready();
  expect((await host.deliver(delivery(), { secret: `${SECRET}\n` })).status).toBe(200);
  expect((await host.deliver(delivery(), { secret: SECRET })).status).toBe(401);
  expect(host.host.lines()).toContainEqual(
    expect.objectContaining({ message: 'the webhook secret ends in white space, which is part of the key' }),
  );
  expect(host.manifest().channels).toEqual([{ id: 'chatwoot-webhooks', system: 'chatwoot', account_id: '1' }]);
});

test('P-049 P-050 without the secret there is no route, and the host registers and executes actions', async () => {
  simulator = await startSimulator('chatwoot');
  host = await startWebhookHost({ secrets: { 'api-token': 'token-1' }, config: { base_url: simulator.url } });
  expect((await host.deliver(delivery())).status).toBe(404);
  expect(host.manifest().channels).toBeUndefined();
  const { action, record } = approved(
    'cap:chatwoot:message:create',
    { conversation_id: 1, content: 'x' },
    newId('action'),
  );
  const answer = await host.central.send(action, { route: { approval_authorization: record } });
  expect(answer.result).toMatchObject({ status: 'completed', output: { conversation_id: 1, sent: true } });
  expect(host.control.operations()).toContain('register');
});

test('P-115 the connector declares the codes that it may use, the replay code among them', async () => {
  host = await startWebhookHost();
  const { error_codes: codes } = host.manifest().security as { error_codes: string[] };
  expect(codes).toContain('connector.chatwoot.webhook_replay');
});

test('a rotated secret is in force with the next delivery; the previous one counts for a bounded time, also over a restart', async () => {
  host = await startWebhookHost();
  const current = join(host.secrets, 'webhook-secret');
  await writeFile(current, 'rotated', { mode: 0o600 });
  expect((await host.deliver(delivery(), { secret: 'rotated' })).status).toBe(200);
  expect((await host.deliver(delivery(), { secret: SECRET })).status).toBe(401);

  await writeFile(join(host.secrets, 'webhook-secret-previous'), SECRET, { mode: 0o600 });
  await end(host.host);
  await host.start();
  await host.ready();
  for (const secret of ['rotated', SECRET]) expect((await host.deliver(delivery(), { secret })).status).toBe(200);

  await host.pool.query(
    `UPDATE aip_host.connector_state SET value = to_json((value #>> '{}')::bigint - 86400001) WHERE key LIKE 'webhook.previous_secret:%'`,
  );
  await end(host.host);
  await host.start();
  await host.ready();
  expect((await host.deliver(delivery(), { secret: SECRET })).status).toBe(401);
  expect((await host.deliver(delivery(), { secret: 'rotated' })).status).toBe(200);
});

test('a secret that is not usable any more refuses deliveries and names no content', async () => {
  host = await startWebhookHost();
  await chmod(join(host.secrets, 'webhook-secret'), 0o644);
  const answer = await host.deliver(delivery());
  expect([answer.status, answer.text]).toEqual([400, '{"error":{"code":"webhook.invalid_delivery"}}']);
  expect(JSON.stringify(host.host.lines())).not.toContain(SECRET);
});

test('the route is served below the prefix of a shared host name too', async () => {
  host = await startWebhookHost({ env: { [`${P}WEBHOOK_PATH_PREFIX`]: '/acme/shop' } });
  for (const path of ['/webhooks/chatwoot', '/acme/shop/webhooks/chatwoot']) {
    const url = host.host.url + path;
    expect((await deliver(host.host.url, delivery(), { url })).status).toBe(200);
  }
  expect((await deliver(host.host.url, delivery(), { url: `${host.host.url}/acme/aip/v1/messages` })).status).toBe(404);
});

test('a host whose lease is not there yet takes deliveries and publishes them once it is', async () => {
  host = await startWebhookHost({ waitReady: false, idle: true });
  let open = false;
  host.control.intercept = async (_received, decide) => (open ? decide() : 'hang up');
  await host.start();
  expect((await host.deliver(delivery())).body).toEqual({ accepted_events: 1, central_delivery: 'durably_queued' });
  open = true;
  await host.ready();
  const { ingress } = host;
  await until('it was published', () => ingress.events().length === 1);
});
