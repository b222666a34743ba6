import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, contextFlag, outputFlags } from '../../command.js';

export default class TokensRevoke extends AipCommand {
  static override summary = 'Revoke a token, or all tokens of a principal.';
  static override description =
    'Gateways refuse it within a second; those of a cluster once their Pods see the changed Secret, in about a minute.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> 3f2a1c9b04de',
    '<%= config.bin %> <%= command.id %> agent:billing --yes',
  ];
  static override args = {
    id: Args.string({ required: true, description: 'Id of the token (`aip tokens list`), or of a principal.' }),
  };
  static override flags = {
    ...outputFlags,
    ...contextFlag,
    yes: Flags.boolean({ char: 'y', description: 'Do not ask.' }),
    file: Flags.string({ description: 'Principals file of the gateway.', helpValue: 'FILE' }),
    data: Flags.string({ description: 'Data folder of the `aip dev`.', helpValue: 'DIR' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TokensRevoke);
    const { revokeTokens } = await import('../../tokens/manage-tokens.js');
    const { confirmed } = await import('../../confirm.js');
    const { paint } = await import('../../ui/paint.js');
    await confirmed(`Revoke ${args.id}?`, flags.yes);
    const revoked = await revokeTokens(args.id, flags, process.env);
    await this.answer(flags, {
      document: { revoked },
      names: () => revoked.map(({ id }) => id),
      text: () => revoked.map(({ id, principal_id }) => `${paint.good('✓')} Revoked ${id} of ${principal_id}.`),
    });
  }
}
