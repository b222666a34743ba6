import * as Flags from '@oclif/core/flags';
import { AipCommand, outputFlags } from '../../command.js';
import { durationFlag } from '../../duration.js';

const POLL_MS = 50;

export default class DevStop extends AipCommand {
  static override summary = 'Stop the running `aip dev`: hosts drain, everything ends.';
  static override flags = {
    ...outputFlags,
    timeout: durationFlag({ default: 15_000, description: 'Longest wait for the end.' }),
    data: Flags.string({ description: 'Data folder of the `aip dev`.', helpValue: 'DIR' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(DevStop);
    const { CliError } = await import('../../client/errors.js');
    const { devPaths, runningDev } = await import('../../fleet/running-dev.js');
    const { isAlive } = await import('@aip/controller/internal/data-folder');
    const { pollUntil } = await import('@aip/runtime/internal/time');
    const { paint } = await import('../../ui/paint.js');
    const paths = devPaths(flags.data, process.env);
    const holder = await runningDev(paths);
    if (!holder) throw new CliError('cli.dev_not_running', `No \`aip dev\` runs on ${paths.root}.`);
    await this.waitsFor(`Stopping process ${holder.pid}: hosts drain`);
    process.kill(holder.pid, 'SIGTERM');
    const hasEnded = async (): Promise<true | undefined> => ((await isAlive(holder)) ? undefined : true);
    if (!(await pollUntil(hasEnded, { longestMs: flags.timeout, everyMs: () => POLL_MS }))) {
      throw new CliError(
        'cli.still_running',
        `Process ${holder.pid} has not ended in time.`,
        'It continues to stop; `aip dev status` shows it.',
      );
    }
    await this.answer(flags, {
      document: { stopped: holder.pid },
      names: () => [String(holder.pid)],
      text: () => `${paint.good('✓')} Stopped process ${holder.pid}.`,
    });
  }
}
