import type { ResourceList } from '@aip/runtime/internal/protocol';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../../command.js';

export default class ResourcesList extends AipCommand {
  static override summary = 'List what can be read.';
  static override flags = {
    ...connectionFlags,
    capability: Flags.string({ description: 'Only those of this capability.', helpValue: 'ID' }),
    kind: Flags.string({ description: 'Only those of this kind.', helpValue: 'KIND' }),
    cursor: Flags.string({ description: 'Continue from the cursor that the last page printed.', helpValue: 'CURSOR' }),
    limit: Flags.integer({ min: 1, max: 1000, default: 100, description: 'Rows of the page.', helpValue: 'N' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(ResourcesList);
    const { read } = await import('../../client/read.js');
    const { resourceTable } = await import('../../ui/tables/records.js');
    const { gateway } = await this.connect(flags);
    const page = await read<ResourceList>(gateway, '/aip/v1/resources', {
      capability_id: flags.capability,
      kind: flags.kind,
      cursor: flags.cursor,
      limit: flags.limit,
    });
    await this.answer(flags, {
      document: page,
      names: () => page.resources.map(({ id }) => id),
      text: (view) => resourceTable(page, view),
    });
  }
}
