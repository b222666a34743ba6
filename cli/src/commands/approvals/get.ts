import type { ApprovalRecordView } from '@aip/runtime/internal/protocol';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, connectionFlags } from '../../command.js';

export default class ApprovalsGet extends AipCommand {
  static override summary = 'Show exactly what an approval is about.';
  static override args = { id: Args.string({ required: true, description: 'Approval id, or its beginning.' }) };
  static override flags = {
    ...connectionFlags,
    evidence: Flags.boolean({
      description:
        'Show the input that is to be approved; needs approval:export and approval:sensitive, which the approver of `aip dev` has.',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ApprovalsGet);
    const { resolveId } = await import('../../client/resolve-id.js');
    const { read, segment } = await import('../../client/read.js');
    const { approvalLines } = await import('../../ui/tables/approvals.js');
    const { devApprover } = await import('../../records/who-am-i.js');
    const own = await this.connect(flags);
    const approver = flags.evidence ? await devApprover(own, flags, process.env) : undefined;
    const { gateway } = approver ? await this.connect({ ...flags, 'token-file': approver.tokenFile }) : own;
    const path = `/aip/v1/approvals/${segment(await resolveId(gateway, 'approval', args.id))}`;
    const view = await read<ApprovalRecordView>(gateway, path, {
      include_evidence_payload: flags.evidence || undefined,
    });
    await this.answer(flags, { document: view, names: () => [view.request.id], text: () => approvalLines(view) });
  }
}
