import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../../command.js';

export default class Capabilities extends AipCommand {
  static override summary = "List what the token's tenant may call.";
  static override flags = {
    ...connectionFlags,
    text: Flags.string({ description: 'Only those with this text in id, name or description.', helpValue: 'TEXT' }),
    capability: Flags.string({ description: 'Only this capability.', helpValue: 'ID' }),
    profile: Flags.string({ description: 'Only those of this profile.', helpValue: 'PROFILE' }),
    cursor: Flags.string({
      description: 'Continue after the cursor that the previous page printed.',
      helpValue: 'CURSOR',
    }),
    limit: Flags.integer({ min: 1, max: 200, default: 100, description: 'Rows of the page.', helpValue: 'N' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Capabilities);
    const { listCapabilities } = await import('@aip/runtime/internal/client');
    const { gateway } = await this.connect(flags);
    const page = await listCapabilities(gateway, {
      ...(flags.text === undefined ? {} : { text: flags.text }),
      ...(flags.capability === undefined ? {} : { capability_id: flags.capability }),
      ...(flags.profile === undefined ? {} : { profile: flags.profile }),
      ...(flags.cursor === undefined ? {} : { cursor: flags.cursor }),
      limit: flags.limit,
    });
    const { capabilityTable } = await import('../../ui/tables/capabilities.js');
    await this.answer(flags, {
      document: page,
      names: () => page.capabilities.map(({ capability }) => capability.id),
      text: (view) => capabilityTable(page, view),
    });
  }
}
