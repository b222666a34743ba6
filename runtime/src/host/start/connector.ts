import { loadConnector } from '../../connectors/load.js';
import type { ConnectorCapability } from '../../connectors/sdk/capability.js';
import { checkConfig } from '../../connectors/sdk/config.js';
import type { Connector, InstanceFacts } from '../../connectors/sdk/connector.js';
import type { SecretReader } from '../../connectors/sdk/secrets.js';
import { signingKeyFromSeed } from '../../protocol/signing.js';
import type { Principal } from '../../protocol/types.js';
import type { Signer } from '../../transport/http/error-response.js';
import { connectorSettings } from '../config/connector-settings.js';
import { type BoundManifest, bindManifest, hostPrincipal } from '../manifest/bind-manifest.js';
import { openSecrets, secretNames } from '../secrets.js';
import { type WebhookProvider, webhookProvider } from '../webhook/open.js';
import type { HostContext } from './context.js';

/** The connector of a host, checked and bound to the identity of its replica. */
export interface BoundConnector {
  readonly connector: Connector;
  readonly config: unknown;
  readonly facts: InstanceFacts;
  /** The calls of each capability, by its id. */
  readonly handlers: ReadonlyMap<string, ConnectorCapability>;
  readonly secret: SecretReader;
  /** Present when the host takes webhook deliveries. */
  readonly webhook: WebhookProvider | undefined;
  readonly principal: Principal;
  readonly signer: Signer;
  readonly manifest: BoundManifest;
}

/** Loads the connector, checks its configuration and secrets, and binds its manifest. Throws StartupRefused and AipErrors. */
export async function bindConnector(
  { config, log }: HostContext,
  source: Readonly<Record<string, string | undefined>>,
): Promise<BoundConnector> {
  const key = signingKeyFromSeed(config.signingSeed);
  const connector = await loadConnector(config.connector);
  const given = connectorSettings(connector.environment, source, config);
  const connectorConfig = checkConfig(connector, given.config);
  const facts = { secretFiles: secretNames(given.secrets) };
  const stated = connector.manifest(connectorConfig, facts);
  const capabilities = connector.capabilities(connectorConfig, facts);
  const secret = openSecrets(given.secrets);
  const webhook = webhookProvider(connector, facts, { config, secret, log });
  const principal = hostPrincipal(stated, config.trustDomain, key.did);
  return {
    connector,
    config: connectorConfig,
    facts,
    handlers: new Map(capabilities.map((each) => [each.record.id, each])),
    secret,
    webhook,
    principal,
    signer: { principal, key },
    manifest: bindManifest(stated, principal),
  };
}
