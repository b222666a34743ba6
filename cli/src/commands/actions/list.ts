import { Flags } from '@oclif/core';
import { AipCommand, connectionFlags } from '../../command.js';

const STATES = [
  'queued',
  'running',
  'streaming',
  'pending_approval',
  'completed',
  'failed',
  'cancelled',
  'expired',
  'dead_lettered',
] as const;

export default class ActionsList extends AipCommand {
  static override summary = 'List actions.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --state running',
    '<%= config.bin %> <%= command.id %> --json --limit 1000',
  ];
  static override flags = {
    ...connectionFlags,
    state: Flags.option({ options: STATES, description: 'Only actions in this state.' })(),
    capability: Flags.string({ description: 'Only actions of this capability.', helpValue: 'ID' }),
    session: Flags.string({ description: 'Only actions of this session.', helpValue: 'ID' }),
    principal: Flags.string({ description: 'Only actions of this principal.', helpValue: 'ID' }),
    cursor: Flags.string({ description: 'Go on from the cursor that the last page printed.', helpValue: 'CURSOR' }),
    limit: Flags.integer({ min: 1, max: 1000, default: 100, description: 'Rows of the page.', helpValue: 'N' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(ActionsList);
    const { listActions } = await import('../../client/actions.js');
    const { gateway } = await this.connect(flags);
    const page = await listActions(gateway, {
      state: flags.state,
      capability_id: flags.capability,
      session_id: flags.session,
      principal_id: flags.principal,
      cursor: flags.cursor,
      limit: flags.limit,
    });
    if (flags.json) return this.printJson(page);
    const { actionTable } = await import('../../ui/tables/actions.js');
    this.log(actionTable(page, process.stdout.columns));
  }
}
