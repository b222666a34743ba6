import type { ResourceReadResult } from '@aip/runtime/internal/protocol';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../../command.js';

export default class ResourcesRead extends AipCommand {
  static override summary = 'Read a resource.';
  static override args = { id: Args.string({ required: true, description: 'Resource id.' }) };
  static override flags = {
    ...connectionFlags,
    version: Flags.string({ description: 'Version to read.', helpValue: 'VERSION' }),
    accept: Flags.string({ description: 'Media types that are wanted, separated by commas.', helpValue: 'TYPES' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ResourcesRead);
    const { read, segment } = await import('../../client/read.js');
    const { resourceLines } = await import('../../ui/tables/records.js');
    const { gateway } = await this.connect(flags);
    const found = await read<ResourceReadResult>(gateway, `/aip/v1/resources/${segment(args.id)}`, {
      version: flags.version,
      accept: flags.accept,
    });
    await this.answer(flags, { document: found, names: () => [found.resource.id], text: () => resourceLines(found) });
  }
}
