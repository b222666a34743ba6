import { DecideCommand } from '../../command-bases/decide-command.js';

export default class ApprovalsDeny extends DecideCommand {
  static override summary = 'Deny what waits for a person.';
  protected override readonly decision = 'denied';
}
