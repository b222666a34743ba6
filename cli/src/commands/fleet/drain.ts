import { ReplicaStateCommand } from '../../command-bases/replica-state-command.js';

export default class FleetDrain extends ReplicaStateCommand {
  static override summary = 'Take a replica out of service; its work finishes first.';
  protected override readonly state = 'Drained';
  protected override readonly outcome = 'is drained: it takes no new work and is kept.';
}
