import * as Args from '@oclif/core/args';
import { AipCommand } from '../command.js';

/** Answered before the command framework is loaded (main.ts); declared so that completion and documentation know it. */
export default class Help extends AipCommand {
  static override summary = 'Explain a command, or list them all.';
  static override examples = ['<%= config.bin %> <%= command.id %> actions submit'];
  static override strict = false;
  static override args = { command: Args.string({ description: 'Words of a command or topic.' }) };

  async run(): Promise<void> {
    const { readManifest } = await import('../program/manifest.js');
    const { rootHelp } = await import('../program/root-help.js');
    this.log(rootHelp(readManifest(), process.stdout.columns));
  }
}
