import * as Flags from '@oclif/core/flags';
import { AipCommand, outputFlags } from '../../command.js';

export default class DevStatus extends AipCommand {
  static override summary = 'Show where the running `aip dev` is and how its instances are.';
  static override description = 'Exit code: 0 when every instance is ready, 1 when not, 7 when no `aip dev` runs.';
  static override flags = {
    ...outputFlags,
    data: Flags.string({ description: 'Data folder of the `aip dev`.', helpValue: 'DIR' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(DevStatus);
    const { CliError } = await import('../../client/errors.js');
    const { devPaths, runningDev } = await import('../../fleet/running-dev.js');
    const { readDev } = await import('../../contexts/connection.js');
    const { readFleet } = await import('../../ui/fleet/watch-fleet.js');
    const { readyText } = await import('../../dev/ready-text.js');
    const { withoutPassword } = await import('../../ui/format.js');
    const { paint } = await import('../../ui/paint.js');
    const paths = devPaths(flags.data, process.env);
    const holder = await runningDev(paths);
    const info = await readDev(paths.root);
    if (!holder) throw new CliError('cli.dev_not_running', `No \`aip dev\` runs on ${paths.root}.`);
    if (!info) throw new CliError('cli.dev_not_running', `The \`aip dev\` on ${paths.root} is only starting.`);
    await this.waitsFor('Reading the registry');
    const fleet = await readFleet({ kind: 'registry', url: info.database_url, dataDir: paths.root });
    const { database_url, ...shown } = info;
    const facts: [string, string][] = [
      ['process', String(holder.pid)],
      ['gateway', info.gateways.join(' ')],
      ['control plane', new URL(info.control_url).origin],
      ['token', info.token_file],
      ['database', withoutPassword(database_url)],
      ['data folder', paths.root],
    ];
    await this.answer(flags, {
      document: { pid: holder.pid, ...shown, ...fleet.document },
      names: () => info.instances.map(({ namespace, name }) => `${namespace}/${name}`),
      text: ({ width }) => [
        readyText(info),
        '',
        ...facts.map(([name, value]) => `${paint.dim(name.padEnd(15))}${value}`),
        '',
        fleet.table(width, Date.now()),
      ],
    });
    if (info.instances_ready < info.instances_total) process.exitCode = 1;
  }
}
