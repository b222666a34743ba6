import * as Flags from '@oclif/core/flags';
import { AipCommand, outputFlags } from '../../command.js';
import { durationFlag } from '../../duration.js';

export default class DevApply extends AipCommand {
  static override summary = 'Change what a running `aip dev` runs.';
  static override description =
    `Hands resource documents to the running \`aip dev\` and waits until they hold: scale, rollout, drain. Documents of the same kind, namespace and name are replaced; others stay unless --prune is given.

Exit code: 0 applied and settled, 1 not settled in time or refused, 2 wrong documents, 7 no \`aip dev\` runs.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> -f fleet.yaml',
    '<%= config.bin %> <%= command.id %> -f fleet.yaml --prune',
  ];
  static override flags = {
    ...outputFlags,
    file: Flags.string({
      char: 'f',
      multiple: true,
      required: true,
      description: 'Resource documents.',
      helpValue: 'FILE',
    }),
    prune: Flags.boolean({ description: 'Remove what the files do not name.' }),
    timeout: durationFlag({ default: 120_000, max: 3_600_000, description: 'Longest wait.' }),
    data: Flags.string({ description: 'Data folder of the `aip dev` to change.', helpValue: 'DIR' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(DevApply);
    await this.waitsFor('Waiting until the documents are applied');
    const { appliedLines, applyToDev } = await import('../../dev/apply-to-dev.js');
    const outcome = await applyToDev(
      { files: flags.file, prune: flags.prune, timeoutMs: flags.timeout, data: flags.data },
      process.env,
    );
    await this.answer(flags, {
      document: outcome,
      names: () => Object.keys(outcome.conditions),
      text: () => appliedLines(outcome),
    });
    process.exitCode = outcome.settled ? 0 : 1;
  }
}
