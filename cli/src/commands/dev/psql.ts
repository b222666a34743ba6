import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as Flags from '@oclif/core/flags';
import { AipCommand } from '../../command.js';

export default class DevPsql extends AipCommand {
  static override summary = 'Open psql on the database of the running `aip dev`.';
  static override description =
    'Arguments after `--` go to psql. The password is passed in the environment, never shown.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    "<%= config.bin %> <%= command.id %> -- -c 'select id from registry.instances'",
  ];
  static override strict = false;
  static override flags = {
    data: Flags.string({ description: 'Data folder of the `aip dev`.', helpValue: 'DIR' }),
  };

  async run(): Promise<void> {
    const { flags, argv } = await this.parse(DevPsql);
    // As they were given: the parser sorts equal arguments together.
    const given = this.argv.includes('--') ? this.argv.slice(this.argv.indexOf('--') + 1) : (argv as string[]);
    const { devPaths } = await import('../../fleet/running-dev.js');
    const { readDev } = await import('../../contexts/connection.js');
    const { CliError, UsageError } = await import('../../client/errors.js');
    const paths = devPaths(flags.data, process.env);
    const info = await readDev(paths.root);
    if (!info) throw new CliError('cli.dev_not_running', `No \`aip dev\` runs on ${paths.root}.`);
    const url = new URL(info.database_url);
    const password = decodeURIComponent(url.password);
    url.password = '';
    const { progress } = await import('../../progress/progress.js');
    progress.pause();
    const child = spawn('psql', [url.href, ...given], {
      stdio: 'inherit',
      env: { ...process.env, PGPASSWORD: password },
    });
    const [code] = await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new UsageError(
        'There is no psql on this machine.',
        `Install it, or use the database_url in ${paths.devJson}.`,
      );
    });
    process.exitCode = Number(code ?? 1);
  }
}
