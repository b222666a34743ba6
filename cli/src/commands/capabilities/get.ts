import * as Args from '@oclif/core/args';
import { AipCommand, connectionFlags } from '../../command.js';

export default class CapabilitiesGet extends AipCommand {
  static override summary = 'Explain a capability: schema, contract in words, an example call.';
  static override examples = ['<%= config.bin %> <%= command.id %> cap:demo:count'];
  static override args = { capability: Args.string({ required: true, description: 'Capability id.' }) };
  static override flags = { ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(CapabilitiesGet);
    const { findCapability, unknownCapability } = await import('../../client/capability-for.js');
    const { capabilityLines } = await import('../../ui/capability-lines.js');
    const { exampleOf } = await import('../../client/example.js');
    const { gateway } = await this.connect(flags);
    const capability = await findCapability(gateway, args.capability);
    if (!capability) throw await unknownCapability(gateway, args.capability);
    await this.answer(flags, {
      document: { ...capability, example_input: exampleOf(capability.input_schema) },
      names: () => [capability.id],
      text: ({ width }) => capabilityLines(capability, width),
    });
  }
}
