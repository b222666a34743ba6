import { AipError } from '../../protocol/errors.js';
import { compileJsonSchema } from '../../protocol/schema-check.js';
import type { Connector } from './connector.js';

/** One thing wrong with a configuration: where, and what. */
export interface ConfigIssue {
  path: string;
  message: string;
}

/** The configuration does not pass the connector's schema; `issues` says where. */
export class ConnectorConfigInvalid extends AipError {
  readonly issues: ConfigIssue[];

  constructor(type: string, issues: ConfigIssue[]) {
    const first = issues.map(({ path, message }) => `${path === '' ? '/' : path} ${message}`).join('; ');
    super(
      { code: 'connector.config_invalid', category: 'permanent', message: '' },
      `the configuration of ${type} is invalid: ${first}`,
      {
        details: { issues },
      },
    );
    this.issues = issues;
  }
}

/** The configuration, checked against the connector's schema. Throws ConnectorConfigInvalid. */
export function checkConfig<Config>(connector: Connector<Config>, config: unknown): Config {
  const issues = compileJsonSchema(connector.configSchema)(config);
  if (issues.length > 0) throw new ConnectorConfigInvalid(connector.type, issues);
  return config as Config;
}
