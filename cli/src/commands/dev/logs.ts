import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, streamFlags } from '../../command.js';

export default class DevLogs extends AipCommand {
  static override summary = 'Show what the programs of `aip dev` log.';
  static override description =
    'Shows the logs of a stopped `aip dev` too. Exit code: 7 when none has run on the folder.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> -f',
    '<%= config.bin %> <%= command.id %> inventory -f --level warn',
    '<%= config.bin %> <%= command.id %> gateway --tail 100',
  ];
  static override args = {
    name: Args.string({
      description: 'A program (gateway, control-plane, postgres), an instance or a replica; default: all.',
    }),
  };
  static override flags = {
    ...streamFlags,
    follow: Flags.boolean({ char: 'f', description: 'Keep showing what comes, until Ctrl-C.' }),
    tail: Flags.integer({ min: 0, default: 20, description: "Lines of each log's end.", helpValue: 'N' }),
    level: Flags.option({
      options: ['trace', 'debug', 'info', 'warn', 'error'] as const,
      default: 'info',
      description: 'Least level shown.',
    })(),
    data: Flags.string({ description: 'Data folder of the `aip dev`.', helpValue: 'DIR' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DevLogs);
    const { access } = await import('node:fs/promises');
    const { CliError } = await import('../../client/errors.js');
    const { devPaths } = await import('../../fleet/running-dev.js');
    const { showLogs } = await import('../../logs/dev-logs.js');
    const { interruptible } = await import('../../interrupt.js');
    const { logs, root } = devPaths(flags.data, process.env);
    await access(logs).catch(() => {
      throw new CliError('cli.dev_not_running', `No \`aip dev\` has run on ${root}.`);
    });
    const json = await this.streamsJson(flags);
    const request = { name: args.name, follow: flags.follow, tail: flags.tail, level: flags.level, json };
    await interruptible((signal) => showLogs(logs, request, (line) => this.log(line), signal));
    if (flags.follow) process.exitCode = 130;
  }
}
