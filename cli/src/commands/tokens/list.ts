import * as Flags from '@oclif/core/flags';
import { AipCommand, contextFlag, outputFlags } from '../../command.js';

export default class TokensList extends AipCommand {
  static override summary = 'List tokens: whose they are, their scopes and end; never the tokens.';
  static override flags = {
    ...outputFlags,
    ...contextFlag,
    file: Flags.string({ description: 'Principals file of the gateway.', helpValue: 'FILE' }),
    data: Flags.string({ description: 'Data folder of the `aip dev`.', helpValue: 'DIR' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(TokensList);
    const { listTokens } = await import('../../tokens/manage-tokens.js');
    const { tokenTable } = await import('../../ui/tables/tokens.js');
    const tokens = await listTokens(flags, process.env);
    await this.answer(flags, {
      document: { tokens },
      names: () => tokens.map(({ id }) => id),
      text: (view) => tokenTable(tokens, view),
    });
  }
}
