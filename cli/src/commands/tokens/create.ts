import * as Flags from '@oclif/core/flags';
import { AipCommand, contextFlag, outputFlags } from '../../command.js';
import { formatOf } from '../../output.js';
import { KNOWN_SCOPES } from '../../tokens/scopes.js';

export default class TokensCreate extends AipCommand {
  static override summary = 'Make a bearer token for a principal.';
  static override description =
    `Prints the token once; only its digest is kept. It ends after 90 days unless --expires-in says otherwise.

Without --file the Secret of the context's cluster is changed, or the principals file of the running \`aip dev\`. Scopes: ${KNOWN_SCOPES.join(' ')}. They say what a token may read, cancel, decide and export. It may call every capability of its tenant, but for those that ask for a scope of their own.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --tenant demo --scopes action:read,events:read',
    "<%= config.bin %> <%= command.id %> --tenant demo --scopes 'action:read action:write' --principal agent:billing --expires-in 12h",
  ];
  static override flags = {
    ...outputFlags,
    ...contextFlag,
    tenant: Flags.string({ required: true, description: 'Tenant the principal belongs to.', helpValue: 'ID' }),
    scopes: Flags.string({
      required: true,
      description: 'Scopes, separated by commas or spaces; `operator` stands for all of one tenant.',
      helpValue: 'LIST',
    }),
    principal: Flags.string({ description: 'Principal id (default: human:<tenant>:<random>).', helpValue: 'ID' }),
    roles: Flags.string({ description: 'Roles, separated by commas or spaces.', helpValue: 'LIST' }),
    'expires-in': Flags.string({
      default: '90d',
      description: 'Life such as 30m, 12h or 7d; `never` for one without end.',
      helpValue: 'DURATION',
    }),
    file: Flags.string({ description: 'Principals file of the gateway.', helpValue: 'FILE' }),
    data: Flags.string({ description: 'Data folder of the `aip dev` to change.', helpValue: 'DIR' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(TokensCreate);
    const { createToken } = await import('../../tokens/create-token.js');
    const created = await createToken(
      {
        tenant: flags.tenant,
        scopes: flags.scopes,
        principal: flags.principal,
        roles: flags.roles,
        expiresIn: flags['expires-in'] === 'never' ? undefined : flags['expires-in'],
        file: flags.file,
        context: flags.context,
        data: flags.data,
      },
      process.env,
    );
    const { unknownScopes } = await import('../../tokens/scopes.js');
    for (const warning of unknownScopes(created.scopes)) this.logToStderr(warning);
    await this.answer(flags, {
      document: created,
      names: () => [created.principal_id],
      text: () => created.token,
    });
    if (formatOf(flags) !== 'text') return;
    const { paint } = await import('../../ui/paint.js');
    process.stderr.write(
      `${paint.dim(`${created.principal_id} of tenant ${created.tenant_id}. Keep it: it is not shown again.`, process.stderr)}\n`,
    );
    if (created.principals_secret !== undefined)
      process.stderr.write(
        `${paint.dim('Gateways know it once their Pods see the changed Secret, in about a minute.', process.stderr)}\n`,
      );
  }
}
