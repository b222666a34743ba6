import type { ApprovalList } from '@aip/runtime/internal/protocol';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../../command.js';

export default class ApprovalsList extends AipCommand {
  static override summary = 'List approvals.';
  static override examples = ['<%= config.bin %> <%= command.id %> --status pending'];
  static override flags = {
    ...connectionFlags,
    status: Flags.option({
      options: ['pending', 'approved', 'denied', 'expired', 'revoked'] as const,
      description: 'Only approvals with this status.',
    })(),
    mine: Flags.boolean({ description: 'Only those that the approver of this context may decide.' }),
    approver: Flags.string({ description: 'Only those that this principal may decide.', helpValue: 'ID' }),
    requester: Flags.string({ description: 'Only those that this principal asked for.', helpValue: 'ID' }),
    cursor: Flags.string({ description: 'Continue from the cursor that the last page printed.', helpValue: 'CURSOR' }),
    limit: Flags.integer({ min: 1, max: 1000, default: 100, description: 'Rows of the page.', helpValue: 'N' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(ApprovalsList);
    const { read } = await import('../../client/read.js');
    const { approvalTable } = await import('../../ui/tables/approvals.js');
    let { approver } = flags;
    if (flags.mine) {
      const { approverOf } = await import('../../records/who-am-i.js');
      const { connection, principal } = await approverOf(flags, process.env);
      await connection.close();
      approver = principal.id;
    }
    const { gateway } = await this.connect(flags);
    const page = await read<ApprovalList>(gateway, '/aip/v1/approvals', {
      status: flags.status,
      approver,
      requester: flags.requester,
      cursor: flags.cursor,
      limit: flags.limit,
    });
    await this.answer(flags, {
      document: page,
      names: () => page.approvals.map(({ request }) => request.id),
      text: (view) => approvalTable(page, view),
    });
  }
}
