import * as Args from '@oclif/core/args';
import { AipCommand, fleetFlags, outputFlags } from '../../command.js';

export default class FleetEvents extends AipCommand {
  static override summary = 'Show what happened to instances, oldest first.';
  static override args = { name: Args.string({ description: 'Only this instance.' }) };
  static override flags = {
    ...outputFlags,
    ...fleetFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(FleetEvents);
    const { openFleetSource } = await import('../../fleet/fleet-source.js');
    const { fleetEvents } = await import('../../fleet/fleet-events.js');
    const { fleetEventTable } = await import('../../ui/tables/fleet/fleet-events.js');
    const source = await openFleetSource(flags, process.env);
    const events = await fleetEvents(source, { name: args.name, namespace: flags.namespace });
    await this.answer(flags, {
      document: { events },
      names: () => events.map(({ reason }) => reason),
      text: ({ width }) => fleetEventTable(events, Date.now(), width),
    });
  }
}
