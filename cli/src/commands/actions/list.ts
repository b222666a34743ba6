import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../../command.js';
import { durationFlag } from '../../duration.js';
import { formatOf } from '../../output.js';

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

/** Rows of a page where there is no screen to fit. */
const PIPE_ROWS = 100;
/** Lines of the screen that are not rows: command, head, page line, prompt. */
const OTHER_LINES = 5;

export default class ActionsList extends AipCommand {
  static override summary = 'List actions, newest first.';
  static override description =
    'A page fits the screen; in a pipe it has 100 rows. With --watch the list is kept up to date until Ctrl-C: redrawn on a terminal, elsewhere one line per change.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --state failed --since 1h',
    '<%= config.bin %> <%= command.id %> --watch',
    '<%= config.bin %> <%= command.id %> -o name --limit 1000',
  ];
  static override flags = {
    ...connectionFlags,
    state: Flags.option({ options: STATES, description: 'Only actions in this state.' })(),
    capability: Flags.string({ description: 'Only actions of this capability.', helpValue: 'ID' }),
    session: Flags.string({ description: 'Only actions of this session.', helpValue: 'ID' }),
    principal: Flags.string({ description: 'Only actions of this principal.', helpValue: 'ID' }),
    approval: Flags.string({ description: 'Only the actions of this approval.', helpValue: 'ID' }),
    transaction: Flags.string({ description: 'Only the actions of this transaction.', helpValue: 'ID' }),
    since: durationFlag({ description: 'Only actions accepted within this time.' }),
    order: Flags.option({
      options: ['newest', 'oldest'] as const,
      default: 'newest',
      description: 'Which end of the list comes first.',
    })(),
    watch: Flags.boolean({ char: 'w', default: false, description: 'Keep showing what changes, until Ctrl-C.' }),
    cursor: Flags.string({ description: 'Continue from the cursor that the last page printed.', helpValue: 'CURSOR' }),
    limit: Flags.integer({ min: 1, max: 1000, description: 'Rows of the page.', helpValue: 'N' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(ActionsList);
    const { resolveFilter } = await import('../../client/resolve-id.js');
    const { newestActions } = await import('../../client/list-actions.js');
    const { actionTable } = await import('../../ui/tables/actions.js');
    const { gateway } = await this.connect(flags);
    const filter = {
      state: flags.state,
      capability_id: flags.capability,
      session_id: await resolveFilter(gateway, 'session', flags.session),
      principal_id: flags.principal,
      approval_id: await resolveFilter(gateway, 'approval', flags.approval),
      transaction_id: await resolveFilter(gateway, 'transaction', flags.transaction),
      order: flags.order,
      cursor: flags.cursor,
      limit: flags.limit ?? screenRows(),
    };
    if (flags.watch) {
      const { watchActions } = await import('../../watch-actions.js');
      process.exitCode = await watchActions(gateway, filter, {
        sinceMs: flags.since,
        json: await this.streamsJson(flags),
      });
      return;
    }
    const human = ['text', 'wide'].includes(formatOf(flags));
    const page = await newestActions(gateway, filter, { sinceMs: flags.since, errors: human });
    await this.answer(flags, {
      document: {
        actions: page.actions.map(({ status }) => status),
        total_size: page.total,
        ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
      },
      names: () => page.actions.map(({ status }) => status.action_id),
      text: (view) => actionTable(page, view),
    });
  }
}

function screenRows(): number {
  const { isTTY, rows } = process.stdout;
  return isTTY && rows ? Math.max(10, rows - OTHER_LINES) : PIPE_ROWS;
}
