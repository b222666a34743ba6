import { parseArgs } from 'node:util';
import { StartupRefused } from '../../transport/settings/env.js';
import { HOST_PREFIX } from './config.js';

/** Options whose name is not simply the variable's in lower case with dashes (docs/configuration.md#options-of-aip-runtime-host). */
const OTHER_NAMES: Record<string, string> = {
  'control-plane-endpoint': 'CONTROL_ENDPOINT',
  'control-plane-did': 'CONTROL_DID',
  'control-plane-did-file': 'CONTROL_DID_FILE',
  'control-plane-dids-file': 'CONTROL_DIDS_FILE',
  'connector-type-id': 'TYPE_ID',
  'tls-ca-certificate-file': 'TLS_CA_FILE',
  'credential-revision-ref': 'CREDENTIAL_REVISION',
  'credential-revision-policy-file': 'CREDENTIAL_POLICY_FILE',
  'heartbeat-interval-ms': 'HEARTBEAT_MS',
  'health-probe-timeout-ms': 'HEALTH_TIMEOUT_MS',
};

const SAME_NAMES = [
  'bind',
  'public-endpoint',
  'gateway-did',
  'gateway-did-file',
  'gateway-dids-file',
  'gateway-principal-id',
  'database-url-file',
  'database-ca-file',
  'database-connections',
  'journal-durability',
  'signing-seed-file',
  'version-id',
  'instance-id',
  'replica-id',
  'tenant-id',
  'tenant-system',
  'external-account-id',
  'external-account-system',
  'tls-cert-file',
  'tls-key-file',
  'trust-domain',
  'region',
  'zone',
  'capacity-class',
  'artifact-digest',
  'secret-provider-ref',
  'config-revision',
  'credential-id',
  'credential-issuer',
  'callback-endpoint',
  'event-endpoint',
  'max-in-flight',
  'max-body-bytes',
  'max-unfinished-body-bytes',
  'max-answered-body-bytes',
  'lease-ttl-ms',
  'drain-timeout-ms',
  'control-timeout-ms',
  'name-wait-ms',
  'connector',
  'connector-module',
  'secrets-dir',
  'webhook-path-prefix',
  'webhook-previous-secret-ms',
  'config',
  'config-file',
  'log-level',
];

const FLAGS: Record<string, string> = {
  'callback-allow-http': 'CALLBACK_ALLOW_HTTP',
  'callback-allow-private-networks': 'CALLBACK_ALLOW_PRIVATE',
  'event-allow-http': 'EVENT_ALLOW_HTTP',
  'event-allow-private-networks': 'EVENT_ALLOW_PRIVATE',
  'allow-insecure-loopback-http': 'ALLOW_LOOPBACK_HTTP',
};

const TEXTS: Record<string, string> = {
  ...OTHER_NAMES,
  ...Object.fromEntries(SAME_NAMES.map((name) => [name, name.toUpperCase().replaceAll('-', '_')])),
};

/** The variable, without its prefix, of each option. */
export const HOST_OPTIONS: Readonly<Record<string, string>> = {
  ...TEXTS,
  ...FLAGS,
  'credential-scope': 'CREDENTIAL_SCOPES',
};

/** The environment with every option of the command line laid over its variable: the option wins. Throws StartupRefused. */
export function withOptions(
  args: readonly string[],
  source: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const merged = { ...source };
  for (const [option, value] of Object.entries(parse(args))) {
    merged[`${HOST_PREFIX}${HOST_OPTIONS[option]}`] = Array.isArray(value) ? value.join(',') : String(value);
  }
  return merged;
}

function parse(args: readonly string[]): Record<string, string | boolean | (string | boolean)[] | undefined> {
  const text = (name: string) => [name, { type: 'string' as const }];
  const flag = (name: string) => [name, { type: 'boolean' as const }];
  try {
    return parseArgs({
      args: [...args],
      options: {
        ...Object.fromEntries([...Object.keys(TEXTS).map(text), ...Object.keys(FLAGS).map(flag)]),
        'credential-scope': { type: 'string', multiple: true },
      },
    }).values;
  } catch (error) {
    throw new StartupRefused('connector_host.config', (error as Error).message);
  }
}
