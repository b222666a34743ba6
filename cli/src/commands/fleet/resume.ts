import { ReplicaStateCommand } from '../../command-bases/replica-state-command.js';

export default class FleetResume extends ReplicaStateCommand {
  static override summary = 'Put a drained replica back into service.';
  protected override readonly state = 'Ready';
  protected override readonly outcome = 'is resumed.';
}
