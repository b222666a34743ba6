import { compileJsonSchema } from '../../protocol/content/schema-check.js';
import { AipError } from '../../protocol/errors.js';
import type { ConfigIssue, Connector } from './connector.js';

/** The configuration does not pass the connector's checks; `issues` says where. */
export class ConnectorConfigInvalid extends AipError {
  readonly issues: ConfigIssue[];

  constructor(type: string, issues: ConfigIssue[]) {
    const all = issues.map(({ path, message }) => `${path === '' ? '/' : path} ${message}`).join('; ');
    super('connector.config_invalid', `the configuration of ${type} is invalid: ${all}`, {
      details: { issues },
    });
    this.issues = issues;
  }
}

/** The configuration, checked against the connector's schema and then its own rules. Throws ConnectorConfigInvalid. */
export function checkConfig<Config>(connector: Connector<Config>, config: unknown): Config {
  const issues = compileJsonSchema(connector.configSchema)(config);
  if (issues.length === 0) issues.push(...(connector.checkConfig?.(config as Config) ?? []));
  if (issues.length > 0) throw new ConnectorConfigInvalid(connector.type, issues);
  return config as Config;
}
