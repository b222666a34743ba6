import type { Capability, Manifest, Principal } from '../../protocol/types.js';
import { NATIVE_HTTP_PROFILE } from '../../protocol/wire/native-http.js';
import type { DeliveryShaper } from '../webhook/shape.js';
import type { ConnectorCapability } from './capability.js';
import type { ProbeContext } from './context.js';
import type { ConnectorEnvironment } from './environment.js';

/** Answer of a health probe. `detail` is at most 1024 bytes and names no secret. */
export interface ConnectorHealth {
  ready: boolean;
  detail: string;
}

/** One thing wrong with a configuration: where, and what. */
export interface ConfigIssue {
  path: string;
  message: string;
}

/** What is known of an instance before any host of it runs. */
export interface InstanceFacts {
  /** Names of the secret files of the instance; never their contents. */
  readonly secretFiles: readonly string[];
}

const NO_FACTS: InstanceFacts = { secretFiles: [] };

/** Members of the manifest beside agent, profiles and capabilities. */
export type ManifestMembers = Partial<
  Pick<Manifest, 'resources' | 'channels' | 'security' | 'governance' | 'limits' | 'compatibility' | 'extensions'>
>;

/**
 * A connector as it is declared: what it is, and a capability for each thing that it can do. Everything that is a
 * function of the configuration must be a pure one: it is asked without network and without secrets, long before a host
 * runs, and both answers must have one digest.
 */
export interface ConnectorDefinition<Config> {
  /** Stable name, the `connector.type` of an instance. */
  type: string;
  /** JSON Schema 2020-12 of the configuration. */
  configSchema: object;
  /** What the schema cannot say about a configuration; no issues when it is valid. */
  checkConfig?(config: Config): ConfigIssue[];
  /** Variables that a host started by hand may take configuration and secrets from. */
  environment?: ConnectorEnvironment;
  /**
   * Reads the deliveries of the provider's webhooks. An instance with the secret `webhook-secret` takes them at
   * `POST /webhooks/<type>`; the manifest must then declare the channel `<type>-webhooks`.
   */
  webhook?: DeliveryShaper;
  /** Who the connector is; names neither trust domain nor DID, the host adds them. Default `agent:<type>`. */
  agent?(config: Config): Principal;
  /** Default: `aip.native.http.v1` alone. */
  profiles?(config: Config, facts: InstanceFacts): string[];
  capabilities:
    | readonly ConnectorCapability<Config>[]
    | ((config: Config, facts: InstanceFacts) => readonly ConnectorCapability<Config>[]);
  /** Further members of the manifest. */
  manifest?(config: Config, facts: InstanceFacts): ManifestMembers;
  /** Can the provider be used now? Must end within the probe limit (default 2000 ms); default: always ready. */
  health?(ctx: ProbeContext<Config>): Promise<ConnectorHealth>;
}

/** A connector as hosts use it. */
export interface Connector<Config = unknown> {
  readonly type: string;
  readonly configSchema: object;
  readonly environment?: ConnectorEnvironment;
  readonly webhook?: DeliveryShaper;
  checkConfig?(config: Config): ConfigIssue[];
  capabilities(config: Config, facts?: InstanceFacts): readonly ConnectorCapability<Config>[];
  manifest(config: Config, facts?: InstanceFacts): Manifest;
  health?(ctx: ProbeContext<Config>): Promise<ConnectorHealth>;
}

/** Declares a connector; export what it returns as `default`. */
export function defineConnector<Config = unknown>(definition: ConnectorDefinition<Config>): Connector<Config> {
  const { type, configSchema, environment, webhook, checkConfig, agent, profiles, capabilities, manifest, health } =
    definition;
  const capabilitiesOf = (config: Config, facts: InstanceFacts = NO_FACTS) =>
    typeof capabilities === 'function' ? capabilities(config, facts) : capabilities;
  return {
    type,
    configSchema,
    ...(environment && { environment }),
    ...(webhook && { webhook }),
    ...(checkConfig && { checkConfig }),
    ...(health && { health }),
    capabilities: capabilitiesOf,
    manifest: (config, facts = NO_FACTS) => ({
      manifest_version: 'aip-manifest/v1',
      agent: agent?.(config) ?? { id: `agent:${type}`, kind: 'agent', display_name: type },
      capabilities: capabilitiesOf(config, facts).map(({ record }): Capability => record),
      profiles: profiles?.(config, facts) ?? [NATIVE_HTTP_PROFILE],
      ...manifest?.(config, facts),
    }),
  };
}
