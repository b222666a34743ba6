import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadConnector } from '../connectors/load.js';
import { checkConfig } from '../connectors/sdk/config.js';
import { SDK_VERSION } from '../connectors/sdk/version.js';
import { normalForm } from '../protocol/decode/normal-form.js';
import { AipError } from '../protocol/errors.js';
import { check } from '../protocol/validate.js';
import { withJournalProfile } from '../protocol/wire/journal-profile.js';
import { StartupRefused } from '../transport/settings/env.js';
import { HOST_PREFIX, parseConnectorConfig } from './config/config.js';

const OPTIONS = {
  connector: { type: 'string' },
  module: { type: 'string' },
  config: { type: 'string' },
  'config-file': { type: 'string' },
  'secret-file': { type: 'string', multiple: true },
} as const;

/** Names the file with the configuration when no option gives one. */
export const CONFIG_FILE_VARIABLE = 'AIP_CONNECTOR_CONFIG_FILE';
/** Bound of the one line, in bytes: what the controller reads of a Pod's log, and less than a kubelet keeps of it (10 MiB) by default. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

type DescribeOptions = Partial<Record<'connector' | 'module' | 'config' | 'config-file', string>> & {
  'secret-file'?: string[];
};

/** What a connector says of itself for a configuration, before any host of it runs (docs/kubernetes/reference.md). */
export interface Description {
  /** In normal form; its agent names neither trust domain nor DID. */
  manifest: unknown;
  /** Nine booleans by capability id. */
  implementation_support: Record<string, unknown>;
  config_schema: object;
  sdk_version: string;
}

/**
 * `aip-runtime describe --connector TYPE | --module PATH [--config JSON | --config-file PATH] [--secret-file NAME …]`: prints the description as the one line on
 * standard output, of at most 8 MiB; what the connector itself prints there goes to standard error. Without either option the variable
 * AIP_CONNECTOR_CONFIG_FILE names the file. Needs no network and no secrets. Otherwise prints one JSON line {code, message, issues?} on
 * standard error; returns the exit code.
 */
export async function runDescribe(args: readonly string[]): Promise<number> {
  const print = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  try {
    const line = `${JSON.stringify(await describeConnector(args))}\n`;
    if (Buffer.byteLength(line) > MAX_LINE_BYTES)
      throw new StartupRefused('connector.describe', `the description is longer than ${MAX_LINE_BYTES} bytes`);
    await new Promise<void>((done) => print(line, () => done()));
    return 0;
  } catch (error) {
    if (!(error instanceof AipError) && !(error instanceof StartupRefused)) throw error;
    const { code, message } = error;
    const issues = error instanceof AipError ? (error.details as object | undefined) : undefined;
    process.stderr.write(`${JSON.stringify({ code, message, ...issues })}\n`);
    return 1;
  }
}

async function describeConnector(args: readonly string[]): Promise<Description> {
  const options = optionsOf(args);
  // An image of a connector of its own names its module once, for hosts and for this.
  const module = options.module ?? process.env[`${HOST_PREFIX}CONNECTOR_MODULE`];
  const connector = await loadConnector({
    ...(options.connector !== undefined && { type: options.connector }),
    ...(module !== undefined && { module }),
  });
  if (options.connector !== undefined && connector.type !== options.connector)
    throw new StartupRefused(
      'connector.describe',
      `this is connector ${connector.type}, not ${options.connector}; name the type that the module exports`,
    );
  const config = checkConfig(connector, configOf(options));
  const facts = { secretFiles: [...new Set(options['secret-file'] ?? [])].sort() };
  const stated = normalForm('Manifest', connector.manifest(config, facts));
  const [issue] = check('Manifest', stated);
  if (issue)
    throw new StartupRefused('connector_host.manifest', `the manifest is invalid at ${issue.path}: ${issue.message}`);
  const manifest = withJournalProfile(stated);
  return {
    manifest,
    implementation_support: Object.fromEntries(
      connector.capabilities(config, facts).map(({ record, support }) => [record.id, support]),
    ),
    config_schema: connector.configSchema,
    sdk_version: SDK_VERSION,
  };
}

function optionsOf(args: readonly string[]): DescribeOptions {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    throw new StartupRefused('connector.describe', (error as Error).message);
  }
}

function configOf({ config, 'config-file': given }: DescribeOptions): unknown {
  const refuse = (why: string): StartupRefused => new StartupRefused('connector.describe', `the configuration ${why}`);
  if (config !== undefined && given !== undefined) throw refuse('is given twice: as --config and as --config-file');
  const file = given ?? (config === undefined ? process.env[CONFIG_FILE_VARIABLE] : undefined);
  if (file === undefined) return parseConnectorConfig(config ?? '{}', refuse);
  try {
    return parseConnectorConfig(readFileSync(file, 'utf8'), refuse);
  } catch (error) {
    throw error instanceof StartupRefused ? error : refuse(`file ${file} cannot be read`);
  }
}
