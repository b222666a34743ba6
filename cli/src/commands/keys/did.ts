import * as Args from '@oclif/core/args';
import { AipCommand, outputFlags } from '../../command.js';

export default class KeysDid extends AipCommand {
  static override summary = 'Show the DID of a signing key.';
  static override args = { file: Args.string({ required: true, description: 'File with the seed, 64 hex digits.' }) };
  static override flags = { ...outputFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(KeysDid);
    const { signingKeyFromSeed } = await import('@aip/runtime/internal/signing');
    const { readText } = await import('../../contexts/connection.js');
    const { UsageError } = await import('../../client/errors.js');
    const seed = (await readText(args.file, 'key')).trim();
    if (!/^[0-9a-fA-F]{64}$/.test(seed))
      throw new UsageError(`${args.file} holds no seed.`, 'A seed is 64 hex digits.');
    const { did } = signingKeyFromSeed(seed);
    await this.answer(flags, { document: { did }, names: () => [did], text: () => did });
  }
}
