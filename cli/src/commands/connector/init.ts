import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, outputFlags } from '../../command.js';

export default class ConnectorInit extends AipCommand {
  static override summary = 'Write a new connector project.';
  static override description =
    'Writes a small project that runs as it is: a connector with one capability, its test, an instance, a Dockerfile, and the SDK as a packed file.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> greeter',
    '<%= config.bin %> <%= command.id %> ./my-crm --type crm',
  ];
  static override args = { dir: Args.string({ required: true, description: 'New or empty folder.' }) };
  static override flags = {
    ...outputFlags,
    type: Flags.string({ description: 'Connector type (default: the name of the folder).', helpValue: 'TYPE' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ConnectorInit);
    const { writeProject } = await import('../../connector/write-project.js');
    await this.waitsFor('Packing the SDK');
    const written = await writeProject(args.dir, flags.type);
    const { paint } = await import('../../ui/paint.js');
    const { asTyped } = await import('../../ui/self.js');
    await this.answer(flags, {
      document: written,
      names: () => [written.directory],
      text: () => [
        `${paint.good('✓')} ${written.directory}: connector ${written.type}`,
        `Next: cd ${args.dir} && npm install && npm test`,
        asTyped('Then: aip dev -f instance.yaml'),
      ],
    });
  }
}
