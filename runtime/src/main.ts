import { readFileSync } from 'node:fs';
import { openLogger } from './transport/process/logger.js';
import { endAtOnceOnSignals } from './transport/process/shutdown.js';
import { runProgram } from './transport/program.js';
import { failStart } from './transport/settings/env.js';
import { IMPORT_VARIABLE, importSecrets, parseSecretImports } from './transport/settings/import-secrets.js';

const HELP = `aip-runtime runs the programs of a connector fleet.

  aip-runtime gateway              the central server, configured by AIP_GATEWAY_*
  aip-runtime host [options]       one connector host, configured by AIP_CONNECTOR_HOST_* or --options of the same names
  aip-runtime describe --connector TYPE | --module PATH [--config JSON | --config-file PATH]
                                   prints a connector's manifest and configuration schema as one JSON line;
                                   without either option AIP_CONNECTOR_CONFIG_FILE names the file
  aip-runtime --version | --help

Gateway and host first copy the secrets of mounted folders to where they may be read: ${IMPORT_VARIABLE}=FROM:TO,FROM:TO
`;

/** Each program is loaded only when it is needed: a host never loads the gateway. */
const PROGRAMS: Record<string, (args: string[]) => Promise<void>> = {
  gateway: async () => {
    importGivenSecrets('aip-gateway');
    const { GATEWAY } = await import('./gateway/main.js');
    await runProgram(GATEWAY, process.env);
  },
  host: async (args) => {
    importGivenSecrets('aip-connector-host');
    const { HOST } = await import('./host/main.js');
    const { withOptions } = await import('./host/config/options.js');
    await runProgram(HOST, withOptions(args, process.env));
  },
  describe: async (args) => {
    const { runDescribe } = await import('./host/describe.js');
    // A connector's module may leave timers or sockets behind, which nothing here waits for.
    process.exit(await runDescribe(args));
  },
  '--help': async () => void process.stdout.write(HELP),
  '--version': async () => void process.stdout.write(`${version()}\n`),
};

/** Brings mounted secrets where the rules for secret files hold, before any configuration is read, and keeps them up to date. */
function importGivenSecrets(component: string): void {
  const imports = parseSecretImports(process.env[IMPORT_VARIABLE]);
  if (imports.length > 0) importSecrets(imports, openLogger({ component }));
}

function version(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

endAtOnceOnSignals();
const [named = '--help', ...args] = process.argv.slice(2);
const program = args.includes('--help') ? '--help' : named;
const run = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined;
if (run) {
  await run(args).catch((error) => failStart(error));
} else {
  process.stderr.write(HELP);
  process.exitCode = 2;
}
