import type { Connector, InstanceFacts } from '../../connectors/sdk/connector.js';
import type { SecretReader } from '../../connectors/sdk/secrets.js';
import { SecretUnavailable } from '../../connectors/sdk/secrets.js';
import type { DeliveryShaper } from '../../connectors/webhook/shape.js';
import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { WEBHOOK_SECRET, webhookNames } from '../../protocol/wire/webhook.js';
import type { Logger } from '../../transport/process/logger.js';
import { StartupRefused } from '../../transport/process/startup.js';
import { HOST_PREFIX, type HostConfig } from '../config/config.js';
import type { EventLog } from '../event-log/event-log.js';
import { openDurableState } from '../journal/durable-state.js';
import type { EventPublisher } from '../outbox/publisher.js';
import { openWebhookKeys } from './keys.js';
import { openReplaySet } from './replay-set.js';
import { openWebhookRoute, type WebhookRoute } from './route.js';

/** The provider whose deliveries a host takes. */
export interface WebhookProvider {
  name: string;
  shaper: DeliveryShaper;
}

/**
 * The provider of the webhook ingress; undefined when the connector has none or the instance has no secret for it. Throws StartupRefused when
 * the secret is given and something that it needs is missing.
 */
export function webhookProvider(
  { type, webhook: shaper }: Connector,
  { secretFiles }: InstanceFacts,
  { config, secret, log }: { config: HostConfig; secret: SecretReader; log: Logger },
): WebhookProvider | undefined {
  if (!shaper || !secretFiles.includes(WEBHOOK_SECRET)) return undefined;
  const refuse = (why: string): StartupRefused => new StartupRefused('connector_host.config', why);
  if (!config.events)
    throw refuse(
      `${HOST_PREFIX}EVENT_ENDPOINT is required, because the secret ${WEBHOOK_SECRET} turns the webhook ingress on; set it or remove the secret`,
    );
  let key: Buffer;
  try {
    key = secret.bytes(WEBHOOK_SECRET);
  } catch (error) {
    if (error instanceof SecretUnavailable) throw refuse(error.message);
    throw error;
  }
  if (/\s/.test(String.fromCharCode(key.at(-1) as number)))
    log.warn({ secret: WEBHOOK_SECRET }, 'the webhook secret ends in white space, which is part of the key');
  return { name: type, shaper };
}

/** Opens the ingress of a provider on the host's storage and publisher. */
export function openWebhook(
  { name, shaper }: WebhookProvider,
  host: {
    config: HostConfig;
    facts: InstanceFacts;
    secret: SecretReader;
    pool: Pool;
    events: EventLog;
    publisher: EventPublisher;
    clock: Clock;
    log: Logger;
  },
): WebhookRoute {
  const { config, facts, secret, pool, events, publisher, clock, log } = host;
  const { instanceId } = config;
  const names = webhookNames(name);
  return openWebhookRoute({
    names,
    shaper,
    keys: openWebhookKeys({
      secret,
      names: facts.secretFiles,
      state: openDurableState(pool, instanceId),
      previousMs: config.webhook.previousSecretMs,
      clock,
    }),
    replay: openReplaySet({ pool, namespace: names.replayNamespace, instanceId, clock }),
    events,
    publisher,
    clock,
    log,
  });
}

/** The handler by the paths that it answers at: its own, and the one below the prefix of a shared host name. */
export function webhookRoutes({ path, handle }: WebhookRoute, prefix: string): Record<string, WebhookRoute['handle']> {
  return { [path]: handle, [prefix + path]: handle };
}
