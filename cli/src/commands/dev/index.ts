import * as Flags from '@oclif/core/flags';
import { AipCommand, outputFlags } from '../../command.js';

export default class Dev extends AipCommand {
  static override summary = 'Run a whole fleet on this machine.';
  static override description =
    `Starts an embedded PostgreSQL, the signed control plane, one or more gateways and a host process for each replica of the given ConnectorInstance documents, everything on loopback. Ctrl-C drains the hosts and ends everything; a second one kills.

What cannot run is reported with its place, and the rest stays up: save the file to fix it. The database and the identities stay in the data folder between runs. Variables AIP_GATEWAY_*, AIP_CONNECTOR_HOST_* and AIP_CONNECTOR_CONTROL_* reach the programs.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --demo',
    '<%= config.bin %> <%= command.id %> -f examples/demo.yaml --gateways 2',
    '<%= config.bin %> <%= command.id %> -f fleet.yaml --data ./state --gateway-port 0 --control-port 0 --output json',
  ];
  static override flags = {
    ...outputFlags,
    demo: Flags.boolean({ description: 'Run the demo connector, submit a streaming action and follow it.' }),
    file: Flags.string({
      char: 'f',
      multiple: true,
      description: 'ConnectorInstance, ConnectorReplica and Secret documents. Without any, those of the last run.',
      helpValue: 'FILE',
    }),
    data: Flags.string({
      description: 'Data folder (default: $AIP_DEV_DATA, then $XDG_STATE_HOME/aip/dev, else ~/.local/state/aip/dev).',
      helpValue: 'DIR',
    }),
    fresh: Flags.boolean({ description: 'Begin with an empty data folder.' }),
    'gateway-port': Flags.integer({
      default: 8080,
      min: 0,
      max: 65535,
      description: 'Port of the gateway; 0 = any free one.',
      helpValue: 'PORT',
    }),
    'control-port': Flags.integer({
      default: 8090,
      min: 0,
      max: 65535,
      description: 'Port of the control plane; 0 = any free one.',
      helpValue: 'PORT',
    }),
    gateways: Flags.integer({
      default: 1,
      min: 1,
      max: 16,
      description: 'How many gateways; further ones take any free port.',
      helpValue: 'N',
    }),
    'trusted-signers': Flags.string({
      description: 'File with further trusted signers for the gateways.',
      helpValue: 'FILE',
    }),
    'with-simulators': Flags.boolean({
      description: 'Start simulated providers for instances whose base_url is a port of this machine.',
    }),
    watch: Flags.boolean({
      allowNo: true,
      description: 'Apply resource files and connector modules when they are saved (default: on a terminal).',
    }),
    output: Flags.option({
      options: ['text', 'json'] as const,
      default: 'text',
      description: 'json: one line when all is ready.',
    })(),
    log: Flags.string({
      multiple: true,
      description:
        'Show only logs of this instance, replica or program (gateway, control-plane, postgres); may be repeated. Default: all hosts.',
      helpValue: 'NAME',
    }),
    'log-level': Flags.option({
      options: ['trace', 'debug', 'info', 'warn', 'error', 'none'] as const,
      description: 'Least level of the logs shown; none shows no logs. Default: info.',
    })(),
    verbose: Flags.boolean({
      char: 'v',
      description: 'Show all that the programs log, and where the time of the start goes.',
    }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Dev);
    const json = flags.json || flags.output === 'json';
    const { runDev } = await import('../../dev/run-dev.js');
    process.exitCode = await runDev({
      demo: flags.demo,
      files: flags.file ?? [],
      data: flags.data ?? (process.env.AIP_DEV_DATA || undefined),
      fresh: flags.fresh,
      gatewayPort: flags['gateway-port'],
      controlPort: flags['control-port'],
      gateways: flags.gateways,
      trustedSigners: flags['trusted-signers'],
      withSimulators: flags['with-simulators'],
      watch: flags.watch,
      json,
      verbose: flags.verbose,
      logs: {
        names: flags.log ?? [],
        level: flags['log-level'] ?? (flags.verbose ? 'trace' : json ? 'none' : 'info'),
        all: flags.verbose,
      },
    });
    // Whatever still holds the event loop belongs to programs that have ended.
    process.exit();
  }
}
