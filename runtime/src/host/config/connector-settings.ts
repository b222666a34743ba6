import type { ConnectorEnvironment } from '../../connectors/sdk/environment.js';
import { env as readEnv } from '../../transport/settings/env.js';
import type { SecretPlaces } from '../secrets.js';
import type { HostConfig } from './config.js';

/** Bound of a JSON file that a variable names, in bytes. */
const MAX_JSON_FILE_BYTES = 131_072;

/** What a connector is given: its configuration, not checked yet, and where its secrets are. */
export interface ConnectorSettings {
  config: unknown;
  secrets: SecretPlaces;
}

/**
 * The configuration and secret places of a host, with the connector's own variables laid over them. Throws
 * StartupRefused, which names the variable.
 */
export function connectorSettings(
  environment: ConnectorEnvironment | undefined,
  source: Readonly<Record<string, string | undefined>>,
  { connectorConfig, secretsDir }: Pick<HostConfig, 'connectorConfig' | 'secretsDir'>,
): ConnectorSettings {
  const folder = secretsDir;
  if (!environment) return { config: connectorConfig, secrets: { folder } };
  const env = readEnv(environment.prefix, source, 'connector_host.config');

  const members: Record<string, unknown> = {};
  for (const [variable, { member, form }] of Object.entries(environment.config)) {
    if (!env.given(variable)) continue;
    if (form === 'integer') members[member] = env.int(variable, 0);
    else if (form === 'boolean') members[member] = env.bool(variable);
    else if (form === 'text') members[member] = env.text(variable);
    else members[member] = jsonOf(env.publicFile(variable, MAX_JSON_FILE_BYTES), (why) => env.refuse(variable, why));
  }
  const files: Record<string, string> = {};
  for (const [variable, name] of Object.entries(environment.secrets)) {
    if (!env.given(variable)) continue;
    // A file that cannot be used must stop the start, not the first action.
    env.secretFile(variable);
    files[name] = env.requiredText(variable, { maxBytes: 4096 });
  }
  const config = Object.keys(members).length === 0 ? connectorConfig : { ...(connectorConfig as object), ...members };
  return { config, secrets: { folder, files } };
}

function jsonOf(text: string | undefined, refuse: (why: string) => Error): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw refuse('must name a file that holds JSON');
  }
}
