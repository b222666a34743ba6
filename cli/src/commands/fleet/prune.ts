import { Flags } from '@oclif/core';
import { AipCommand, contextFlag, outputFlags } from '../../command.js';

export default class FleetPrune extends AipCommand {
  static override summary = 'Drop schemas and roles of removed instances.';
  static override description =
    `What instances with deletionPolicy Retain left in the fleet's database is listed and, once confirmed, dropped permanently. The database is the one that AIP_REGISTRY_URL names, with the fleet's own user, else of the running \`aip dev\`.

With --context the roles of all existing ConnectorInstances of that cluster are kept, whatever their state; use it after a restore.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --dry-run',
    '<%= config.bin %> <%= command.id %> --context prod --yes',
  ];
  static override flags = {
    ...outputFlags,
    ...contextFlag,
    yes: Flags.boolean({ char: 'y', description: 'Do not ask.' }),
    'dry-run': Flags.boolean({ description: 'Only list them.', exclusive: ['yes'] }),
    data: Flags.string({ description: 'Data folder of the `aip dev`.', helpValue: 'DIR' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(FleetPrune);
    const { openPrune } = await import('../../fleet/prune.js');
    const { confirmed } = await import('../../confirm.js');
    const { paint } = await import('../../ui/paint.js');
    const { removedDatabasesTable } = await import('../../ui/tables/removed-databases.js');
    const prune = await openPrune(flags, process.env);
    try {
      const found = await prune.found();
      if (!flags.json) this.log(removedDatabasesTable(found, process.stdout.columns));
      const dropped: string[] = [];
      if (found.length > 0 && !flags['dry-run']) {
        await confirmed(`Drop ${found.length} permanently?`, flags.yes);
        for (const each of found) {
          await prune.drop(each);
          dropped.push(each.role);
          if (!flags.json) this.log(`${paint.good('✓')} Dropped ${each.role}.`);
        }
      }
      if (flags.json) this.printJson({ removed: found, dropped });
    } finally {
      await prune.close();
    }
  }
}
