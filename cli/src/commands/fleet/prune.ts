import * as Flags from '@oclif/core/flags';
import { AipCommand, contextFlag, outputFlags } from '../../command.js';
import { formatOf } from '../../output.js';

export default class FleetPrune extends AipCommand {
  static override summary = 'Drop schemas and roles of removed instances.';
  static override description =
    `What instances with deletionPolicy Retain left in the fleet's database is listed and, once confirmed, dropped permanently. The database is the one that AIP_REGISTRY_URL names, with the fleet's own user, else of the running \`aip dev\`.

With --disable-logins nothing is dropped: the roles of all hosts lose the right to log in. Run it after \`helm uninstall\` where instances were not deleted before. A controller that is installed again gives the right back to the roles of its instances.

With --context the roles of all existing ConnectorInstances of that cluster are kept, whatever their state; use it after a restore.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --dry-run',
    '<%= config.bin %> <%= command.id %> --context prod --yes',
    '<%= config.bin %> <%= command.id %> --disable-logins',
  ];
  static override flags = {
    ...outputFlags,
    ...contextFlag,
    yes: Flags.boolean({ char: 'y', description: 'Do not ask.' }),
    'disable-logins': Flags.boolean({
      description: 'Keep everything, but let no host log in; only without a controller.',
    }),
    'dry-run': Flags.boolean({ description: 'Only list them.', exclusive: ['yes'] }),
    data: Flags.string({ description: 'Data folder of the `aip dev`.', helpValue: 'DIR' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(FleetPrune);
    const { openPrune } = await import('../../fleet/prune.js');
    const { confirmed } = await import('../../confirm.js');
    const { paint } = await import('../../ui/paint.js');
    const { hostLoginsTable, removedDatabasesTable } = await import('../../ui/tables/removed-databases.js');
    const prune = await openPrune(flags, process.env);
    try {
      if (flags['disable-logins']) {
        const logins = await prune.logins();
        if (!flags.json) this.log(hostLoginsTable(logins, process.stdout.columns));
        const disabled: string[] = [];
        if (logins.length > 0 && !flags['dry-run']) {
          await confirmed(`Let ${logins.length} roles no longer log in?`, flags.yes);
          for (const each of logins) {
            await prune.disable(each);
            disabled.push(each.role);
            if (!flags.json) this.log(`${paint.good('✓')} ${each.role} can no longer log in.`);
          }
        }
        if (flags.json) this.printJson({ logins, disabled });
        return;
      }
      const found = await prune.found();
      const human = ['text', 'wide'].includes(formatOf(flags));
      if (human) this.log(removedDatabasesTable(found, process.stdout.columns));
      const dropped: string[] = [];
      if (found.length > 0 && !flags['dry-run']) {
        await confirmed(`Drop ${found.length} permanently?`, flags.yes);
        for (const each of found) {
          await prune.drop(each);
          dropped.push(each.role);
          if (human) this.log(`${paint.good('✓')} Dropped ${each.role}.`);
        }
      }
      if (!human)
        await this.answer(flags, {
          document: { removed: found, dropped },
          names: () => (flags['dry-run'] ? found.map(({ role }) => role) : dropped),
          text: () => [],
        });
    } finally {
      await prune.close();
    }
  }
}
