import { NATIVE_HTTP_PROFILE } from '../../protocol/wire/native-http.js';
import { WEBHOOK_SECRET, webhookChannel } from '../../protocol/wire/webhook.js';
import type { ConnectorCapability } from '../sdk/capability.js';
import { defineConnector, type InstanceFacts } from '../sdk/connector.js';
import {
  accountOf,
  CHATWOOT_OPERATIONS,
  type ChatwootConfig,
  type ChatwootOperation,
  chatwootConfigIssues,
  chatwootConfigSchema,
  chatwootEnvironment,
  DEFAULT_RESPONSE_BYTES,
} from './config.js';
import { chatwootShape } from './delivery.js';
import { createMessage } from './message.js';
import { accountPath, chatwootClient } from './provider.js';
import { setStatus } from './status.js';

const TYPE = 'chatwoot';

const CAPABILITIES: Record<ChatwootOperation, ConnectorCapability<ChatwootConfig>> = {
  'message:create': createMessage,
  'conversation:status': setStatus,
};

/** Codes with which the connector may end an action or refuse a delivery. */
const ERROR_CODES = [
  'authentication',
  'remote_temporary',
  'remote_rejected',
  'transport',
  'invalid_response',
  'invalid_webhook_delivery',
  'webhook_replay',
].map((name) => `connector.${TYPE}.${name}`);

const receivesWebhooks = ({ secretFiles }: InstanceFacts): boolean => secretFiles.includes(WEBHOOK_SECRET);

/** Chatwoot: sends messages, and takes the deliveries of its webhooks when the instance has the secret webhook-secret. */
export const chatwoot = defineConnector<ChatwootConfig>({
  type: TYPE,
  configSchema: chatwootConfigSchema,
  environment: chatwootEnvironment,
  webhook: chatwootShape,
  checkConfig: chatwootConfigIssues,
  agent: (config) => ({ id: `agent:chatwoot:${accountOf(config)}`, kind: 'agent', display_name: 'Chatwoot' }),
  profiles: (_config, facts) => [
    NATIVE_HTTP_PROFILE,
    'aip.connector.chatwoot.v1',
    ...(receivesWebhooks(facts) ? ['aip.http.webhook.v1'] : []),
  ],
  capabilities: ({ operations = ['message:create'] }) =>
    CHATWOOT_OPERATIONS.filter((operation) => operations.includes(operation)).map(
      (operation) => CAPABILITIES[operation],
    ),
  manifest: (config, facts) => ({
    ...(receivesWebhooks(facts) && {
      channels: [{ id: webhookChannel(TYPE), system: TYPE, account_id: accountOf(config) }],
    }),
    security: {
      webhook_ingress_enabled: receivesWebhooks(facts),
      webhook_hmac_required: true,
      webhook_max_body_bytes: 1_048_576,
      error_codes: ERROR_CODES,
    },
    limits: { provider_response_max_bytes: config.max_response_bytes ?? DEFAULT_RESPONSE_BYTES },
    compatibility: { system: TYPE, connector: TYPE },
  }),
  health: async (ctx) => {
    if (ctx.config.health === 'none') return { ready: true, detail: 'the provider is not asked (health: none)' };
    await chatwootClient(ctx).probe({ method: 'GET', path: accountPath(ctx.config), signal: ctx.signal });
    return { ready: true, detail: 'Chatwoot answers for the account' };
  },
});
