import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../command.js';

/** A command that decides an approval; subclasses say how. */
export abstract class DecideCommand extends AipCommand {
  static override description =
    'Shows what is decided and asks first on a terminal; elsewhere --yes is needed. Under `aip dev` the decision is that of the approver of the tenant, because a requester may not approve its own action.';
  static override examples = ['<%= config.bin %> <%= command.id %> appr_0199 --reason "checked with the customer"'];
  static override args = { id: Args.string({ required: true, description: 'Approval id, or its beginning.' }) };
  static override flags = {
    ...connectionFlags,
    reason: Flags.string({ description: 'Why; it is kept with the decision.', helpValue: 'TEXT' }),
    as: Flags.string({ description: 'Principal that the token stands for.', helpValue: 'PRINCIPAL' }),
    'decision-id': Flags.string({
      description: 'Id of the decision; a repeat under it changes nothing.',
      helpValue: 'ID',
    }),
    yes: Flags.boolean({ char: 'y', description: 'Do not ask.' }),
  };

  protected abstract readonly decision: 'approved' | 'denied';

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DecideCommand);
    const { decideApproval } = await import('../records/decide-approval.js');
    const { paintState } = await import('../ui/paint.js');
    const { asTyped } = await import('../ui/self.js');
    const { decision } = this;
    await this.waitsFor('Waiting for the gateway');
    const view = await decideApproval(
      { id: args.id, decision, reason: flags.reason, decisionId: flags['decision-id'], yes: flags.yes },
      flags,
      process.env,
      (line) => this.logToStderr(line),
    );
    await this.answer(flags, {
      document: view,
      names: () => [view.request.id],
      text: () => [
        `${paintState(view.status)} ${view.request.id}`,
        view.status === 'pending'
          ? 'More votes are needed.'
          : asTyped(`Follow it: aip actions follow ${view.request.action_id}`),
      ],
    });
  }
}
