import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../command.js';
import { formatOf } from '../output.js';

export default class Version extends AipCommand {
  static override summary = 'Show the versions of this program and of the gateway.';
  static override description = 'A gateway that does not answer is not a failure; --client does not ask one.';
  static override flags = {
    ...connectionFlags,
    client: Flags.boolean({ default: false, description: 'Only this program.' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Version);
    const { printVersions } = await import('../program/version.js');
    await printVersions(this.config.version, flags, formatOf(flags));
  }
}
