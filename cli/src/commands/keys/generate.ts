import * as Flags from '@oclif/core/flags';
import { AipCommand, outputFlags } from '../../command.js';
import { formatOf } from '../../output.js';

export default class KeysGenerate extends AipCommand {
  static override summary = 'Make a signing key: a file with its seed, and its DID.';
  static override description =
    'The seed is 32 random bytes as 64 hex digits, written with mode 0600 and never shown. The DID is public: it names the key to gateways and peers.';
  static override examples = ['<%= config.bin %> <%= command.id %> --output-file agent.seed'];
  static override flags = {
    ...outputFlags,
    'output-file': Flags.string({
      required: true,
      description: 'File for the seed; it must not be there yet.',
      helpValue: 'FILE',
    }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(KeysGenerate);
    const { writeFile } = await import('node:fs/promises');
    const { newSeedHex, signingKeyFromSeed } = await import('@aip/runtime/internal/signing');
    const { fileProblem } = await import('@aip/runtime/internal/gateway');
    const { UsageError } = await import('../../client/errors.js');
    const seed = newSeedHex();
    const file = flags['output-file'];
    await writeFile(file, `${seed}\n`, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST')
        throw new UsageError(`${file} is there already.`, 'A key is never overwritten; name another file.');
      throw new UsageError(`${file} can't be written: ${fileProblem(error)}.`, 'Check the path and its mode.');
    });
    const { did } = signingKeyFromSeed(seed);
    await this.answer(flags, { document: { seed_file: file, did }, names: () => [did], text: () => did });
    if (formatOf(flags) === 'text') this.logToStderr(`The seed is in ${file}.`);
  }
}
