import { DecideCommand } from '../../command-bases/decide-command.js';

export default class ApprovalsDeny extends DecideCommand {
  static override summary = 'Deny what waits for a person.';
  static override examples = ['aip approvals deny appr_0199 --reason "not this month"'];
  protected override readonly decision = 'denied';
}
