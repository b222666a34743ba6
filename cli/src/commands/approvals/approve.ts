import { DecideCommand } from '../../command-bases/decide-command.js';

export default class ApprovalsApprove extends DecideCommand {
  static override summary = 'Approve what waits for a person.';
  static override examples = ['aip approvals approve appr_0199 --reason "checked with the customer"'];
  protected override readonly decision = 'approved';
}
