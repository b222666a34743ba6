import * as Flags from '@oclif/core/flags';
import { AipCommand, outputFlags } from '../../command.js';

export default class DevReset extends AipCommand {
  static override summary = 'Delete the database, keys and tokens of `aip dev`.';
  static override description =
    'Asks first on a terminal; elsewhere --yes is needed. A running `aip dev` must be stopped before.';
  static override flags = {
    ...outputFlags,
    yes: Flags.boolean({ char: 'y', description: 'Do not ask.' }),
    data: Flags.string({ description: 'Data folder of the `aip dev`.', helpValue: 'DIR' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(DevReset);
    const { devPaths, runningDev } = await import('../../fleet/running-dev.js');
    const { emptyDataFolder } = await import('@aip/controller/internal/fleet');
    const { UsageError } = await import('../../client/errors.js');
    const { confirmed } = await import('../../confirm.js');
    const { paint } = await import('../../ui/paint.js');
    const paths = devPaths(flags.data, process.env);
    const holder = await runningDev(paths);
    if (holder) throw new UsageError(`Process ${holder.pid} runs on ${paths.root}.`, 'Stop it with `aip dev stop`.');
    await confirmed(`Delete the database, keys and tokens in ${paths.root}?`, flags.yes);
    await this.waitsFor(`Emptying ${paths.root}`);
    await emptyDataFolder(paths);
    await this.answer(flags, {
      document: { reset: paths.root },
      names: () => [paths.root],
      text: () => `${paint.good('✓')} Emptied ${paths.root}.`,
    });
  }
}
