import { AipCommand, fleetFlags, outputFlags } from '../../command.js';

export default class FleetInstances extends AipCommand {
  static override summary = 'List instances: how many replicas are ready, and what is wrong.';
  static override flags = {
    ...outputFlags,
    ...fleetFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(FleetInstances);
    const { openFleetSource } = await import('../../fleet/fleet-source.js');
    const { readInstances } = await import('../../fleet/read-instances.js');
    const { instanceRows, instancesTable } = await import('../../ui/tables/fleet/instance-list.js');
    const source = await openFleetSource(flags, process.env);
    const found = instanceRows(await readInstances(source, flags.namespace));
    await this.answer(flags, {
      document: { instances: found },
      names: () => found.map(({ namespace, name }) => `${namespace}/${name}`),
      text: (view) => instancesTable(found, view),
    });
  }
}
