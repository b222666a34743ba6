import * as Args from '@oclif/core/args';
import { AipCommand } from '../command.js';

export default class Completion extends AipCommand {
  static override summary = 'Print a completion script for bash, zsh or fish.';
  static override description =
    'Completes commands, flags and their values, and ids, capabilities, contexts and instances from the fleet in use.';
  static override examples = [
    'source <(<%= config.bin %> completion bash)',
    '<%= config.bin %> completion zsh > ~/.zsh/completions/_aip',
    '<%= config.bin %> completion fish > ~/.config/fish/completions/aip.fish',
  ];
  static override args = {
    shell: Args.string({ required: true, options: ['bash', 'zsh', 'fish'], description: 'The shell.' }),
  };

  async run(): Promise<void> {
    const { args } = await this.parse(Completion);
    const { completionScript } = await import('../program/completion-script.js');
    process.stdout.write(completionScript(args.shell as 'bash' | 'zsh' | 'fish'));
  }
}
