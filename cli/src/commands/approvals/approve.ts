import { DecideCommand } from '../../command-bases/decide-command.js';

export default class ApprovalsApprove extends DecideCommand {
  static override summary = 'Approve what waits for a person.';
  protected override readonly decision = 'approved';
}
